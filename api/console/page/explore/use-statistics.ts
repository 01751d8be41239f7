import { useRef } from 'preact/hooks';
import { leafAt } from '../../../../schemas/json/leaf.ts';
import type { Line } from '../chart/chart.tsx';
import { type Statistics, statisticsOf } from '../chart/values.ts';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { statisticsQuestions } from './question.ts';
import { countMessages, hasStates, type Points } from './read-points.ts';
import { type Asked, type Series, textOf } from './view.ts';

/** In live mode the range goes on, and what was not drawn of it is read again this often. */
const readAgainMs = 5_000;

type Ends = { from: number; to: number };

/**
 * Statistics of what is seen of each series: of its points where all are drawn, and read from the store where they were
 * thinned out. Until they are known there are none.
 */
export function useStatistics(
  { series, range, isLive, aggregate, interval }: Asked,
  { all, ends, isLoading }: { all: readonly Points[]; ends: Ends; isLoading: boolean },
  { times, lines }: { times: readonly number[]; lines: readonly Line[] },
): Statistics[] {
  const goesOn = isLive && range.kind === 'last';
  const seen = JSON.stringify([goesOn ? range : ends, aggregate, interval]);
  const drawn = useRef<string | undefined>(undefined);
  if (!isLoading) drawn.current = seen;
  // Points of another range are still drawn while those of this one are read.
  const isKnown = drawn.current === seen;
  const thinned = series.flatMap((one, at) => {
    const points = all[at];
    if (points === undefined || !isThinned(points)) return [];
    return [{ one, read: hasStates(points) ? readCount : readStatistics }];
  });
  const turn = goesOn ? Math.floor(ends.to / readAgainMs) : 0;
  const isAsked = isKnown && thinned.length > 0;
  const key = isAsked
    ? JSON.stringify([seen, turn, thinned.map(({ one }) => textOf(one))])
    : undefined;
  const { value } = useRead(key, async (signal) => {
    const asked = thinned.map(
      async ({ one, read }): Promise<[string, Statistics]> => [
        textOf(one),
        await read(one, ends, signal),
      ],
    );
    return { seen, found: new Map(await Promise.all(asked)) };
  });
  return series.map((one, at) => {
    const [points, line] = [all[at], lines[at]];
    if (!isKnown || points === undefined || line === undefined) return {};
    if (isThinned(points)) return value?.seen === seen ? (value.found.get(textOf(one)) ?? {}) : {};
    if (points.of !== undefined && hasStates(points)) return { count: points.of };
    return statisticsOf(line, times, { from: ends.from / 1_000, to: ends.to / 1_000 });
  });
}

/** Of states only the newest are drawn, and they have no statistics but their number: that may be known already. */
const isThinned = (points: Points): boolean =>
  points.wholeFrom !== undefined &&
  points.points.length > 0 &&
  !(points.of !== undefined && hasStates(points));

const readCount = async (series: Series, ends: Ends, signal: AbortSignal): Promise<Statistics> => ({
  count: await countMessages(series, ends, signal),
});

async function readStatistics(
  series: Series,
  ends: Ends,
  signal: AbortSignal,
): Promise<Statistics> {
  const [min, mean, max, count] = await askAll(series, ends, signal);
  if (min === undefined || mean === undefined || max === undefined || count === undefined) {
    return {};
  }
  return { min, mean, max, count };
}

/** The answer to each question; undefined where there is none. */
async function askAll(
  series: Series,
  ends: Ends,
  signal: AbortSignal,
): Promise<(number | undefined)[]> {
  const body = statisticsQuestions(series, ends);
  if (series.format === 'senml') {
    const found = await call('searchMessages_senml', { body }, signal);
    if (!Array.isArray(found)) return [];
    return found.map(({ messages: [one] }) => one?.value ?? undefined);
  }
  const found = await call('searchMessages_json', { body }, signal);
  if (!Array.isArray(found)) return [];
  return found.map(({ messages: [one] }) => {
    const value = leafAt(one?.payload, series.name);
    return typeof value === 'number' ? value : undefined;
  });
}
