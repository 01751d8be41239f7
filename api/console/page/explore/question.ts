import type { Requests } from '../client/call.ts';
import {
  type Interval,
  type IntervalText,
  intervalOf,
  secondsOf,
  shortestOf,
} from './intervals.ts';
import { statePage } from '../../../../schemas/messages/state-pages.ts';
import type { Asked, Series } from './view.ts';

/** The parameters by which the reader is asked for a series, of both formats. */
export type Question = NonNullable<Requests['readMessages_senml']['query']>;

/** One of the questions that the reader is asked at once. */
type Search = Extract<
  NonNullable<Requests['searchMessages_senml']['body']>,
  readonly unknown[]
>[number];

const bucketsMax = 1_000;
const pixelsPerBucket = 3;
const pointsMin = 100;
const pointsMax = 4_000;

/** The interval by which a chart of this width shows a range. */
export function intervalFor(seconds: number, pixels: number): Interval {
  const buckets = Math.min(bucketsMax - 2, Math.max(1, Math.floor(pixels / pixelsPerBucket)));
  return shortestOf(seconds, buckets);
}

/** The interval that was chosen; a longer one if the range had more than an answer has room for. */
export function shownInterval(
  chosen: IntervalText,
  ends: { from: number; to: number },
  pixels: number,
): Interval {
  const seconds = (ends.to - ends.from) / 1_000;
  const byHand = intervalOf(chosen);
  if (byHand === undefined) return intervalFor(seconds, pixels);
  const isTooShort = seconds / secondsOf(byHand) > bucketsMax - 2;
  return isTooShort ? shortestOf(seconds, bucketsMax - 2) : byHand;
}

/** Which messages a series has in a range, in milliseconds. */
function filterOf(
  { format, thing, name, isOfGroup }: Series,
  ends: { from: number; to: number },
): Search {
  return {
    ...(isOfGroup === true ? { group_id: thing } : { publisher: thing }),
    ...(format === 'senml' ? { name } : { filter: name, agg_field: name }),
    from: `${Math.round(ends.from)}000000`,
    to: `${Math.round(ends.to)}000000`,
  };
}

/** Messages of many things are one line only by an aggregate: unless another is chosen, it is their average. */
export const aggregateFor = ({ isOfGroup }: Series, { aggregate }: Asked): Asked['aggregate'] =>
  isOfGroup === true && aggregate === 'none' ? 'avg' : aggregate;

function aggregateOf(
  aggregate: Exclude<Asked['aggregate'], 'none'>,
  { gaps, timeZone, interval = 'auto' }: Asked,
  ends: { from: number; to: number },
  pixels: number,
): Question {
  const { unit, value } = shownInterval(interval, ends, pixels);
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
  view: Asked,
  ends: { from: number; to: number },
  pixels: number,
): Question {
  const aggregate = aggregateFor(series, view);
  const points = Math.min(pointsMax, Math.max(pointsMin, Math.round(pixels)));
  return {
    ...filterOf(series, ends),
    ...(aggregate === 'none'
      ? { points }
      : { ...aggregateOf(aggregate, view, ends, pixels), limit: bucketsMax }),
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

/** Asks for the changes of a series, the newest first. */
export const changesQuestion = (series: Series, ends: { from: number; to: number }): Question => ({
  ...filterOf(series, ends),
  changes: true,
  dir: 'desc',
  limit: statePage,
});

const statistics = ['min', 'avg', 'max', 'count'] as const;

/** From 1970 on, and beyond all times that the API takes: one interval that holds any range. */
const wholeInterval = { agg_interval: 'year', agg_value: 200 } as const;

/** Asks for the least, mean and greatest number of a range, and how many there are: in this order. */
export const statisticsQuestions = (series: Series, ends: { from: number; to: number }): Search[] =>
  statistics.map((type) => ({
    ...filterOf(series, ends),
    ...wholeInterval,
    agg_type: type,
    limit: 1,
    // The store counts SenML records of all kinds: this leaves the numbers.
    ...(series.format === 'senml' ? { v: -Number.MAX_VALUE, comparator: 'ge' } : {}),
  }));

/** The same messages, or the same intervals, as a file. */
export function exportQuestion(
  series: Series,
  view: Asked,
  ends: { from: number; to: number },
  pixels: number,
): Question {
  const { agg_field: field, ...filter } = filterOf(series, ends);
  const aggregate = aggregateFor(series, view);
  if (aggregate === 'none') return { ...filter, dir: 'asc' };
  return {
    ...filter,
    ...(field === undefined ? {} : { agg_field: field }),
    ...aggregateOf(aggregate, view, ends, pixels),
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
  const given = Object.entries(question).map(([name, value]) => {
    const flag = `  --${flags[name] ?? name.replaceAll('_', '-')}`;
    return value === true ? flag : `${flag} ${quoted(String(value))}`;
  });
  return [`millrace messages read ${format}`, ...given].join(' \\\n');
}
