import { call } from '../client/call.ts';
import type { Failure } from '../client/failure.ts';
import {
  aggregateFor,
  changesQuestion,
  chartQuestion,
  newestQuestion,
  type Question,
} from './question.ts';
import type { Asked, Series } from './view.ts';
import { leafAt, type Value } from '../../../../schemas/json/leaf.ts';
import { besideMax } from '../../../../schemas/messages/silences.ts';
import { pointsOfSpans, readStatePages } from '../../../../schemas/messages/state-pages.ts';
import { valueIn } from './leaves.ts';

/** A value at a time, in seconds; null stands in an interval without messages, and where a state is not known any more. */
export type Point = readonly [time: number, value: Value | null];

/** The points of a series that are drawn, by time: either numbers, or states, which are texts and booleans. */
export type Points = {
  unit: string;
  points: readonly Point[];
  /** Where not each message is a point: the time, in seconds, from which on each is. */
  wholeFrom?: number;
  /** The number of messages in the range then. In live mode it is soon another one, and left out. */
  of?: number;
  /** They are changes: a value holds until the next point. */
  isOfChanges?: true;
  /** Of changes, if only the newest are drawn. */
  cut?: Cut;
  heard?: Heard;
  /** Why nothing of it can be read: its thing was deleted, or is not for this reader. */
  failure?: Failure;
};

/** The number of changes that are drawn, and of all. */
type Cut = { drawn: number; of: number };

/** When the last messages of changes came, in seconds, and how long it usually is from one to the next. */
export type Heard = { times: readonly number[]; usualStep: number };

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
    // As many as the steps that tell how long one usually is.
    ask(series, newestQuestion(series, ends, besideMax + 1), signal),
  ]);
  const points = numbers.told.map(({ time, value }): Point => [time, value]);
  const values = points.filter(([, value]) => value !== null);
  const [last] = newest.told;
  const isOfOne = series.isOfGroup !== true;
  if (isOfOne && values.length === 0 && last !== undefined && isState(last.value)) {
    return readStates(series, ends, newest, signal);
  }
  const isPart = aggregateFor(series, view) === 'none' && values.length < newest.total;
  const part = { of: newest.total, wholeFrom: ends.to / 1_000 };
  return { unit: numbers.unit, points, ...(isPart ? part : {}) };
}

async function readStates(
  series: Series,
  ends: Ends,
  newest: Answer,
  signal: AbortSignal,
): Promise<Points> {
  const question = changesQuestion(series, ends);
  const pages = await readStatePages((cursor) =>
    ask(series, cursor === undefined ? question : { ...question, cursor }, signal),
  );
  const [{ total, usualStep }] = pages;
  const spans = pages
    .flatMap(({ told }) => told)
    .map(({ time, until = time, value }) => ({ time, until, value: isState(value) ? value : null }))
    .toReversed();
  return {
    unit: '',
    points: pointsOfSpans(spans, usualStep),
    of: newest.total,
    isOfChanges: true,
    heard: { times: newest.told.map(({ time }) => time).toReversed(), usualStep },
    ...(spans.length < total ? { cut: { drawn: spans.length, of: total } } : {}),
  };
}

/** The number of messages in a range, of whatever kind. */
export async function countMessages(
  series: Series,
  ends: Ends,
  signal: AbortSignal,
): Promise<number> {
  return (await ask(series, newestQuestion(series, ends, 1), signal)).total;
}

/** `until` is of changes, and so is the usual step. */
type Told = { time: number; until?: number | undefined; value: Value | null };
type Answer = {
  total: number;
  next: string | undefined;
  usualStep: number;
  unit: string;
  told: Told[];
};

async function ask(series: Series, query: Question, signal: AbortSignal): Promise<Answer> {
  if (series.format === 'senml') {
    const page = await call('readMessages_senml', { query }, signal);
    const { total, next, usual_step: usualStep = 0, messages } = page;
    const unit = messages.findLast((message) => message.unit !== undefined)?.unit ?? '';
    const told = messages.map((one) => ({ time: one.time, until: one.until, value: valueIn(one) }));
    return { total, next, usualStep, unit, told };
  }
  const page = await call('readMessages_json', { query }, signal);
  const { total, next, usual_step: usualStep = 0, messages } = page;
  const told = messages.map(({ created, until = created, payload }) => ({
    time: created / 1e9,
    until: until / 1e9,
    value: leafAt(payload, series.name),
  }));
  return { total, next, usualStep, unit: '', told };
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
