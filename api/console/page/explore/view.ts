import { nanosecondsOf } from '../../../../schemas/http/time.ts';
import type { Query } from '../router.ts';

/** The source of one line: a name of SenML records, or the path of a number in JSON payloads. */
export type Series = { format: 'senml' | 'json'; thing: string; name: string };

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

/** All that the page shows. It stands in the address, so that a link brings the same view. */
export type View = {
  series: readonly Series[];
  range: Range;
  aggregate: Aggregate;
  gaps: Gaps;
  timeZone: string;
  isLive: boolean;
};

export const ranges: readonly string[] = ['15m', '1h', '6h', '24h', '7d', '30d', '365d'];
const rangeDefault = '24h';
const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Reads an address; what is not understood in it is left out. */
export function readView(query: Query): View {
  const aggregate = aggregates.find((one) => one === query['aggregate']) ?? 'none';
  return {
    series: readSeries(query['series'] ?? ''),
    range: readRange(query),
    aggregate,
    gaps: gapKindsOf(aggregate).find((one) => one === query['gaps']) ?? 'null',
    timeZone: isTimeZone(query['tz'] ?? '') ? (query['tz'] ?? '') : ownTimeZone,
    isLive: query['live'] === 'on',
  };
}

/** The address of a view. */
export function queryOf({ series, range, aggregate, gaps, timeZone, isLive }: View): Query {
  return {
    series: series.map(textOf).join('|'),
    range: range.kind === 'last' ? range.text : undefined,
    from: range.kind === 'fixed' ? new Date(range.from).toISOString() : undefined,
    to: range.kind === 'fixed' ? new Date(range.to).toISOString() : undefined,
    aggregate: aggregate === 'none' ? undefined : aggregate,
    gaps: gaps === 'null' ? undefined : gaps,
    tz: timeZone === ownTimeZone ? undefined : timeZone,
    live: isLive ? 'on' : undefined,
  };
}

/** A series as text: `senml:<thing>:<name>`. */
export const textOf = ({ format, thing, name }: Series): string =>
  `${format}:${thing}:${encodeURIComponent(name)}`;

function readSeries(text: string): Series[] {
  return text.split('|').flatMap((one): Series[] => {
    const [format, thing = '', name = ''] = one.split(':');
    if (format !== 'senml' && format !== 'json') return [];
    if (!/^[0-9a-f-]{36}$/.test(thing)) return [];
    try {
      return [{ format, thing, name: decodeURIComponent(name) }];
    } catch {
      return [];
    }
  });
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

function isTimeZone(name: string): boolean {
  if (name === '') return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
