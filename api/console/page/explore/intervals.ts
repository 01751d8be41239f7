import type { Requests } from '../client/call.ts';

type Unit = NonNullable<NonNullable<Requests['readMessages_senml']['query']>['agg_interval']>;

/** An interval of aggregates: a number of a unit of time. */
export type Interval = { unit: Unit; value: number };

/** Those that may be chosen; `auto` is as short as the chart has room for. */
export const intervalTexts = [
  'auto',
  '1s',
  '10s',
  '30s',
  '1m',
  '5m',
  '15m',
  '1h',
  '6h',
  '1d',
  '1w',
  '1mo',
] as const;
export type IntervalText = (typeof intervalTexts)[number];

const unitsByText: Readonly<Record<string, Unit>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
};

const unitSeconds: Partial<Record<Unit, number>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
};

/** From short to long. */
const steps: readonly Interval[] = [
  ...[1, 5, 10, 30].map((value) => ({ unit: 'second' as const, value })),
  ...[1, 5, 10, 30].map((value) => ({ unit: 'minute' as const, value })),
  ...[1, 3, 6, 12].map((value) => ({ unit: 'hour' as const, value })),
  { unit: 'day', value: 1 },
  { unit: 'week', value: 1 },
  { unit: 'month', value: 1 },
  { unit: 'year', value: 1 },
];

export const secondsOf = ({ unit, value }: Interval): number => (unitSeconds[unit] ?? 1) * value;

/** The shortest interval of which so many make a range. */
export function shortestOf(seconds: number, buckets: number): Interval {
  const value = Math.ceil(seconds / secondsOf({ unit: 'year', value: 1 }) / buckets);
  return (
    steps.find((interval) => seconds / secondsOf(interval) <= buckets) ?? { unit: 'year', value }
  );
}

/** The interval of a text; undefined for `auto`. */
export function intervalOf(text: IntervalText): Interval | undefined {
  const [, value = '', short = ''] = /^(\d+)(mo|[smhdw])$/.exec(text) ?? [];
  const unit = unitsByText[short];
  return unit === undefined ? undefined : { unit, value: Number(value) };
}
