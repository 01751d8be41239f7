import type { Requests } from '../client/call.ts';
import type { Series, View } from './view.ts';

/** The parameters by which the reader is asked for a series, of both formats. */
export type Question = NonNullable<Requests['readMessages_senml']['query']>;

type Unit = NonNullable<Question['agg_interval']>;

/** Intervals of aggregates, from short to long. */
const intervals: readonly { unit: Unit; value: number; seconds: number }[] = [
  ...[1, 5, 10, 30].map((value) => ({ unit: 'second' as const, value, seconds: value })),
  ...[1, 5, 10, 30].map((value) => ({ unit: 'minute' as const, value, seconds: value * 60 })),
  ...[1, 3, 6, 12].map((value) => ({ unit: 'hour' as const, value, seconds: value * 3_600 })),
  { unit: 'day', value: 1, seconds: 86_400 },
  { unit: 'week', value: 1, seconds: 604_800 },
  { unit: 'month', value: 1, seconds: 2_592_000 },
  { unit: 'year', value: 1, seconds: 31_536_000 },
];

const bucketsMax = 1_000;
const pixelsPerBucket = 3;
const pointsMin = 100;
const pointsMax = 4_000;

/** The interval by which a chart of this width shows a range. */
export function intervalFor(seconds: number, pixels: number) {
  const buckets = Math.min(bucketsMax - 2, Math.max(1, Math.floor(pixels / pixelsPerBucket)));
  return (
    intervals.find((interval) => seconds / interval.seconds <= buckets) ?? {
      unit: 'year' as const,
      value: Math.ceil(seconds / 31_536_000 / buckets),
      seconds: 31_536_000,
    }
  );
}

/** Which messages a series has in a range, in milliseconds. */
function filterOf({ format, thing, name }: Series, ends: { from: number; to: number }): Question {
  return {
    publisher: thing,
    ...(format === 'senml' ? { name } : { filter: name, agg_field: name }),
    from: `${Math.round(ends.from)}000000`,
    to: `${Math.round(ends.to)}000000`,
  };
}

function aggregateOf(
  { aggregate, gaps, timeZone }: View,
  ends: { from: number; to: number },
  pixels: number,
): Question {
  if (aggregate === 'none') return {};
  const { unit, value } = intervalFor((ends.to - ends.from) / 1_000, pixels);
  return {
    agg_type: aggregate,
    agg_interval: unit,
    agg_value: value,
    agg_fill: gaps === 'connect' ? 'none' : gaps,
    tz: timeZone,
  };
}

/** The question of the chart: as many points as it has pixels. */
export function chartQuestion(
  series: Series,
  view: View,
  ends: { from: number; to: number },
  pixels: number,
): Question {
  const points = Math.min(pointsMax, Math.max(pointsMin, Math.round(pixels)));
  return {
    ...filterOf(series, ends),
    ...(view.aggregate === 'none'
      ? { points }
      : { ...aggregateOf(view, ends, pixels), limit: bucketsMax }),
    dir: 'asc',
  };
}

/** Asks for the newest messages themselves: what they are, how many there are, and those that are no numbers. */
export function newestQuestion(
  series: Series,
  ends: { from: number; to: number },
  limit: number,
): Question {
  const { agg_field: _field, ...filter } = filterOf(series, ends);
  return { ...filter, dir: 'desc', limit };
}

/** The same messages, or the same intervals, as a file. */
export function exportQuestion(
  series: Series,
  view: View,
  ends: { from: number; to: number },
  pixels: number,
): Question {
  const { agg_field: field, ...filter } = filterOf(series, ends);
  if (view.aggregate === 'none') return { ...filter, dir: 'asc' };
  return {
    ...filter,
    ...(field === undefined ? {} : { agg_field: field }),
    ...aggregateOf(view, ends, pixels),
    dir: 'asc',
  };
}

const quoted = (text: string) =>
  /^[\w./:@=,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A question as a line of curl. */
export function curlLine(origin: string, path: string, question: Question): string {
  const lines = Object.entries(question).map(
    ([name, value]) => `  --data-urlencode ${quoted(`${name}=${String(value)}`)}`,
  );
  return [
    `curl -G ${quoted(`${origin}${path}`)}`,
    '  -H "Authorization: Bearer $TOKEN"',
    ...lines,
  ].join(' \\\n');
}

/** Flags that the client names otherwise: see `millrace messages read --help`. */
const flags: Readonly<Record<string, string>> = { name: 'senml-name' };

/** A question as a line of the client. */
export function clientLine(format: string, question: Question): string {
  const given = Object.entries(question).map(
    ([name, value]) => `  --${flags[name] ?? name.replaceAll('_', '-')} ${quoted(String(value))}`,
  );
  return [`millrace messages read ${format}`, ...given].join(' \\\n');
}
