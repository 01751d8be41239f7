import { call } from '../client/call.ts';
import type { Failure } from '../client/failure.ts';
import { aggregateFor, chartQuestion, newestQuestion, type Question } from './question.ts';
import type { Asked, Series } from './view.ts';
import { leafAt, type Value } from '../../../../schemas/json/leaf.ts';
import { readStatePages, statePage } from '../../../../schemas/messages/state-pages.ts';
import { valueIn } from './leaves.ts';

/** A value at a time, in seconds; null stands in an interval without messages. */
type Point = readonly [time: number, value: Value | null];

/** The points of a series that are drawn, by time: either numbers, or states, which are texts and booleans. */
export type Points = {
  unit: string;
  points: readonly Point[];
  /** Where not each message is a point: the time, in seconds, from which on each is. */
  wholeFrom?: number;
  /** The number of messages in the range then. In live mode it is soon another one, and left out. */
  of?: number;
  /** Why nothing of it can be read: its thing was deleted, or is not for this reader. */
  failure?: Failure;
};

export const isState = (value: Value | null): value is string | boolean =>
  typeof value === 'string' || typeof value === 'boolean';

/** A series is what its first value is. */
export const hasStates = ({ points }: Points): boolean =>
  isState(points.find(([, value]) => value !== null)?.[1] ?? null);

type Ends = { from: number; to: number };

/** Reads what a chart of this width shows of a series. */
export async function readPoints(
  series: Series,
  view: Asked,
  ends: Ends,
  pixels: number,
  signal: AbortSignal,
): Promise<Points> {
  const [numbers, newest] = await Promise.all([
    ask(series, chartQuestion(series, view, ends, pixels), signal),
    ask(series, newestQuestion(series, ends, 1), signal),
  ]);
  const values = numbers.points.filter(([, value]) => value !== null);
  const [last] = newest.points;
  const isOfOne = series.isOfGroup !== true;
  if (isOfOne && values.length === 0 && last !== undefined && isState(last[1])) {
    return readStates(series, ends, signal);
  }
  const isPart = aggregateFor(series, view) === 'none' && values.length < newest.total;
  const part = { of: newest.total, wholeFrom: ends.to / 1_000 };
  return { unit: numbers.unit, points: numbers.points, ...(isPart ? part : {}) };
}

async function readStates(series: Series, ends: Ends, signal: AbortSignal): Promise<Points> {
  const question = newestQuestion(series, ends, statePage);
  const pages = await readStatePages((cursor) =>
    ask(series, cursor === undefined ? question : { ...question, cursor }, signal),
  );
  const [{ total }] = pages;
  const points = pages.flatMap((page) => page.points);
  const states = points.filter(([, value]) => isState(value)).toReversed();
  const part = { of: total, wholeFrom: states[0]?.[0] ?? ends.to / 1_000 };
  return { unit: '', points: states, ...(states.length < total ? part : {}) };
}

/** The number of messages in a range, of whatever kind. */
export async function countMessages(
  series: Series,
  ends: Ends,
  signal: AbortSignal,
): Promise<number> {
  return (await ask(series, newestQuestion(series, ends, 1), signal)).total;
}

type Answer = { total: number; next?: string; unit: string; points: Point[] };

async function ask(series: Series, query: Question, signal: AbortSignal): Promise<Answer> {
  if (series.format === 'senml') {
    const { total, next, messages } = await call('readMessages_senml', { query }, signal);
    return {
      total,
      ...(next === undefined ? {} : { next }),
      unit: messages.findLast(({ unit }) => unit !== undefined)?.unit ?? '',
      points: messages.map((message) => [message.time, valueIn(message)]),
    };
  }
  const { total, next, messages } = await call('readMessages_json', { query }, signal);
  return {
    total,
    ...(next === undefined ? {} : { next }),
    unit: '',
    points: messages.map(({ created, payload }) => [created / 1e9, leafAt(payload, series.name)]),
  };
}

/** Several series over one axis of time: where one has no point, `undefined` lets its line go on. */
export function align(all: readonly Points[]): {
  times: number[];
  values: (Value | null | undefined)[][];
} {
  const times = [...new Set(all.flatMap(({ points }) => points.map(([time]) => time)))].toSorted(
    (a, b) => a - b,
  );
  const values = all.map(({ points }) => {
    const byTime = new Map(points);
    return times.map((time) => byTime.get(time));
  });
  return { times, values };
}
