import { isTimeZone, ownTimeZone } from '../time-zone.ts';
import { nanosecondsOf } from '../../../../schemas/http/time.ts';
import { type AxisEnds, type Style, styles } from '../chart/props.ts';
import type { Query } from '../router.ts';
import { type IntervalText, intervalTexts } from './intervals.ts';

/** The source of one line: a name of SenML records, or the path of a number in JSON payloads. */
export type Series = {
  format: 'senml' | 'json';
  /** The id of the thing; of a series of a group that of the group. */
  thing: string;
  name: string;
  /** It is over all things of a group, by an aggregate. */
  isOfGroup?: true;
  /** It stands in the legend alone. */
  isHidden?: true;
};

/** The last so many seconds, or from one time to another, in milliseconds. */
export type Range =
  | { kind: 'last'; text: string; seconds: number }
  | { kind: 'fixed'; from: number; to: number };

export const aggregates = ['avg', 'min', 'max', 'sum', 'count', 'first', 'last'] as const;
type Aggregate = (typeof aggregates)[number] | 'none';

const gapKinds = ['null', 'connect', 'zero', 'previous', 'linear'] as const;
/** The filling of an interval without messages. */
type Gaps = (typeof gapKinds)[number];

/** Only the store can fill gaps, and it fills intervals. */
export const gapKindsOf = (aggregate: Aggregate): readonly Gaps[] =>
  aggregate === 'none' ? ['null', 'connect'] : gapKinds;

/** Earlier points that are drawn as well: of a day or a week before, or of as long as the range is. */
export const befores = ['none', 'day', 'week', 'same'] as const;
type Before = (typeof befores)[number];

/** The part of a view that says which points are read. */
export type Asked = {
  series: readonly Series[];
  range: Range;
  aggregate: Aggregate;
  /** Default: as short as the chart has room for. */
  interval?: IntervalText;
  gaps: Gaps;
  timeZone: string;
  isLive: boolean;
  before?: Before;
};

/** Marks that a chart has beside its lines. */
export const marks = ['alarms', 'rules', 'notes'] as const;
type Mark = (typeof marks)[number];
const marksDefault: readonly Mark[] = ['alarms', 'notes'];

/** All that the page shows. It stands in the address, so that a link brings the same view. */
export type View = Asked & {
  interval: IntervalText;
  before: Before;
  style: Style;
  isLog: boolean;
  axisEnds: Readonly<Record<string, AxisEnds>>;
  marks: readonly Mark[];
};

/** As many series as one chart has. */
export const seriesMax = 32;

export const ranges: readonly string[] = ['15m', '1h', '6h', '24h', '7d', '30d', '365d'];
const rangeDefault = '24h';
const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** Reads an address; what is not understood in it is left out. */
export function readView(query: Query): View {
  const aggregate = aggregates.find((one) => one === query['aggregate']) ?? 'none';
  return {
    series: seriesIn(query['series'] ?? ''),
    range: readRange(query),
    aggregate,
    gaps: gapKindsOf(aggregate).find((one) => one === query['gaps']) ?? 'null',
    timeZone: isTimeZone(query['tz'] ?? '') ? (query['tz'] ?? '') : ownTimeZone,
    isLive: query['live'] === 'on',
    interval: intervalTexts.find((one) => one === query['interval']) ?? 'auto',
    before: befores.find((one) => one === query['before']) ?? 'none',
    style: styles.find((one) => one === query['style']) ?? 'line',
    isLog: query['scale'] === 'log',
    axisEnds: readAxisEnds(query['y'] ?? ''),
    marks: readMarks(query['marks']),
  };
}

function readMarks(text: string | undefined): readonly Mark[] {
  if (text === undefined) return marksDefault;
  const given = text.split(',');
  return marks.filter((mark) => given.includes(mark));
}

/** Units with the ends of their axes: `Cel:-20:5|Pa::110000`. */
function readAxisEnds(text: string): Record<string, AxisEnds> {
  const all: Record<string, AxisEnds> = Object.create(null);
  for (const one of text.split('|')) {
    const [unit = '', ...ends] = one.split(':');
    const [from, to] = ends.map((end) => (end.trim() === '' ? Number.NaN : Number(end)));
    const read = {
      ...(isNumber(from) ? { from } : {}),
      ...(isNumber(to) ? { to } : {}),
    };
    if (read.from !== undefined && read.to !== undefined && read.from >= read.to) continue;
    if (Object.keys(read).length > 0) all[decoded(unit)] = read;
  }
  return { ...all };
}

const isNumber = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a view. */
export function queryOf(view: View): Query {
  const { series, range, aggregate, gaps, timeZone, isLive, interval, before, style } = view;
  const isUsual = marks.every((one) => view.marks.includes(one) === marksDefault.includes(one));
  return {
    series: series.map(linkTextOf).join('|'),
    range: range.kind === 'last' ? range.text : undefined,
    from: range.kind === 'fixed' ? new Date(range.from).toISOString() : undefined,
    to: range.kind === 'fixed' ? new Date(range.to).toISOString() : undefined,
    aggregate: aggregate === 'none' ? undefined : aggregate,
    interval: interval === 'auto' ? undefined : interval,
    gaps: gaps === 'null' ? undefined : gaps,
    tz: timeZone === ownTimeZone ? undefined : timeZone,
    live: isLive ? 'on' : undefined,
    before: before === 'none' ? undefined : before,
    style: style === 'line' ? undefined : style,
    scale: view.isLog ? 'log' : undefined,
    y: axisEndsText(view.axisEnds),
    marks: isUsual ? undefined : view.marks.join(',') || 'none',
  };
}

const axisEndsText = (all: View['axisEnds']): string =>
  Object.entries(all)
    .map(([unit, { from = '', to = '' }]) => `${encodeURIComponent(unit)}:${from}:${to}`)
    .join('|');

/** A series as text, by which it is known: `senml:<thing>:<name>`. */
export const textOf = ({ format, thing, name, isOfGroup }: Series): string =>
  `${format}${isOfGroup === true ? '-group' : ''}:${thing}:${encodeURIComponent(name)}`;

/** The things of series, each once. */
export const thingsOf = (series: readonly Series[]): string[] => [
  ...new Set(series.flatMap(({ thing, isOfGroup }) => (isOfGroup === true ? [] : [thing]))),
];

/** A series in a link; one that is hidden has a word more. */
const linkTextOf = (series: Series): string =>
  `${textOf(series)}${series.isHidden === true ? ':hidden' : ''}`;

/** The series of a text of a link. */
export function seriesIn(text: string): Series[] {
  const read = text.split('|').flatMap((one): Series[] => {
    const [kind = '', thing = '', name = '', look] = one.split(':');
    const [format, place] = kind.split('-');
    if (format !== 'senml' && format !== 'json') return [];
    if (!/^[0-9a-f-]{36}$/.test(thing)) return [];
    if (place !== undefined && place !== 'group') return [];
    const isHidden = look === 'hidden' ? { isHidden: true as const } : {};
    const isOfGroup = place === 'group' ? { isOfGroup: true as const } : {};
    try {
      return [{ format, thing, name: decodeURIComponent(name), ...isOfGroup, ...isHidden }];
    } catch {
      return [];
    }
  });
  return read.slice(0, seriesMax);
}

/** Of a link: a range by its name, or times as the API takes them, of which `-24h` and `-24h` to `now` move on. */
function readRange({ range = rangeDefault, from, to = 'now', tz }: Query): Range {
  const last = from?.startsWith('-') && to === 'now' ? lastOf(from.slice(1)) : undefined;
  if (last !== undefined) return last;
  const now = { nowMs: Date.now(), tz: isTimeZone(tz ?? '') ? tz : ownTimeZone };
  const read = (text: string) => {
    const time = nanosecondsOf('time', text, now);
    return typeof time === 'string' ? Number.NaN : Number(time / 1_000_000n);
  };
  const ends = { from: read(from ?? ''), to: read(to) };
  if (ends.from < ends.to) return { kind: 'fixed', ...ends };
  return lastOf(range) ?? lastOf(rangeDefault) ?? { kind: 'fixed', from: 0, to: 1 };
}

/** `24h` as a range; undefined where that is none. */
export function lastOf(text: string): Range | undefined {
  const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  return seconds > 0 ? { kind: 'last', text, seconds } : undefined;
}

/** The ends of a range at a moment, in milliseconds. */
export function endsOf(range: Range, now: number): { from: number; to: number } {
  return range.kind === 'fixed'
    ? { from: range.from, to: range.to }
    : { from: now - range.seconds * 1_000, to: now };
}

/** The API takes no times before or after these. */
const [earliest, latest] = [Date.UTC(1971, 0, 1), Date.UTC(2100, 0, 1)];

/** A range from one time to another, in milliseconds, as far as the API takes it. */
export function fixedRange(from: number, to: number): Range {
  const within = (time: number) => Math.min(Math.max(Math.round(time), earliest), latest);
  const start = Math.min(within(from), latest - 10);
  return { kind: 'fixed', from: start, to: Math.max(within(to), start + 10) };
}

const beforeMs = { none: 0, day: 86_400_000, week: 604_800_000 };

/** By how many milliseconds earlier the points are that are drawn as well. */
export const shiftOf = (before: Before, ends: { from: number; to: number }): number =>
  before === 'same' ? ends.to - ends.from : beforeMs[before];
