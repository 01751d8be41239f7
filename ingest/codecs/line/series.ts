import { encodeTag } from '../../../schemas/messages/points.ts';
import { subtopicOf } from '../../../schemas/messages/subtopic.ts';

/** How a profile has tags read. */
export type TagRules = {
  /** The tags that the subtopic has; undefined: all. */
  readonly kept: ReadonlySet<string> | undefined;
  /** The tag that names the thing which a gateway speaks for. */
  readonly device: string | undefined;
};

/** All that the measurement and the tags of a point say of its records. */
export type Series = {
  kind: 'series';
  measurement: string;
  unit: string;
  subtopic: string;
  /** The value of the device's tag; '' without one. */
  device: string;
};

export type SeriesLimits = { nameCharsMax: number; subtopicCharsMax: number };

/** Why a line is not taken, in InfluxDB's words where it has some. */
export type LineProblem = { readonly kind: 'wrong'; readonly problem: string };

export const problemOf = (problem: string): LineProblem => ({ kind: 'wrong', problem });

type Key = { kind: 'key'; measurement: string; tags: Map<string, string>; end: number };

type Tag = { kind: 'tag'; key: string; value: string; end: number };

/** A point's measurement and tags, which begin the line; `end`: of them. */
export function parseKey(line: string): Key | LineProblem {
  const { length } = line;
  let at = 0;
  if (length === 0 || line[0] === ',') return problemOf('missing measurement');
  for (at = 1; at < length; at++) {
    const isEnd = line[at] === ',' || line[at] === ' ';
    if (isEnd && line[at - 1] !== '\\') break;
  }
  if (at >= length) return problemOf('missing fields');
  const measurement = line.slice(0, at).replaceAll(/\\([, ])/g, '$1');
  const tags = new Map<string, string>();
  while (line[at] === ',') {
    const tag = parseTag(line, at + 1);
    if (tag.kind === 'wrong') return tag;
    if (tags.has(tag.key)) return problemOf('duplicate tags');
    tags.set(tag.key, tag.value);
    at = tag.end;
  }
  return { kind: 'key', measurement, tags, end: at };
}

function parseTag(line: string, start: number): Tag | LineProblem {
  const first = line[start] ?? ' ';
  if (first === ' ' || first === ',' || first === '=') return problemOf('missing tag key');
  const equals = tagEnd(line, start + 1);
  if (line[equals] !== '=') return problemOf('missing tag value');
  const begin = line[equals + 1] ?? ' ';
  if (begin === ' ' || begin === ',') return problemOf('missing tag value');
  const end = tagEnd(line, equals + 2);
  if (line[end] === '=') return problemOf('invalid tag format');
  if (end >= line.length) return problemOf('missing fields');
  const key = unescapeLabel(line.slice(start, equals));
  return { kind: 'tag', key, value: unescapeLabel(line.slice(equals + 1, end)), end };
}

/** Where the next comma, space or equals sign is that has no backslash before it; at the latest the line's end. */
function tagEnd(line: string, from: number): number {
  let at = from;
  for (; at < line.length; at++) {
    const isEnd = line[at] === ',' || line[at] === ' ' || line[at] === '=';
    if (isEnd && line[at - 1] !== '\\') break;
  }
  return at;
}

/** The text of a tag or of a field's key. */
export const unescapeLabel = (text: string): string => text.replaceAll(/\\([,= ])/g, '$1');

/** Tags that a reader of Millrace makes up for InfluxDB's clients: written back they are no part of the subtopic. */
const ownTags: ReadonlySet<string> = new Set(['unit', 'thing', 'thing_id', 'group', 'subtopic']);

/** The series that a measurement and its tags are. */
export function seriesOf(
  { measurement, tags }: Pick<Key, 'measurement' | 'tags'>,
  rules: TagRules,
  limits: SeriesLimits,
): Series | LineProblem {
  const wrong = labelProblem('measurement', measurement, limits.nameCharsMax);
  if (wrong !== undefined) return wrong;
  const unit = tags.get('unit') ?? '';
  const wrongUnit = labelProblem('unit', unit, limits.nameCharsMax);
  if (wrongUnit !== undefined) return wrongUnit;
  const beginning = subtopicOf(tags.get('subtopic') ?? '', limits.subtopicCharsMax);
  if (!beginning.ok) return problemOf(beginning.detail);
  const parts = [...tags]
    .filter(([key]) => key !== rules.device && !ownTags.has(key) && (rules.kept?.has(key) ?? true))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${encodeTag(key)}=${encodeTag(value)}`);
  const all = beginning.subtopic === '' ? parts : [beginning.subtopic, ...parts];
  const subtopic = all.join('.');
  if (subtopic.length > limits.subtopicCharsMax) {
    return problemOf(`tags: the subtopic has more than ${limits.subtopicCharsMax} characters`);
  }
  const device = rules.device === undefined ? '' : (tags.get(rules.device) ?? '');
  return { kind: 'series', measurement, unit, subtopic, device };
}

/** Why a text can't be the name or the unit of a record. */
export function labelProblem(
  what: string,
  text: string,
  charsMax: number,
): LineProblem | undefined {
  if (text.length > charsMax) return problemOf(`${what}: longer than ${charsMax} characters`);
  return /\p{Cc}/u.test(text) ? problemOf(`${what}: must not hold control characters`) : undefined;
}
