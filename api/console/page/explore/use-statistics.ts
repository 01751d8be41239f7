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
    const read = readFor(all[at], goesOn);
    return read === undefined ? [] : [{ one, read }];
  });
  const turn = goesOn ? Math.floor(ends.to / readAgainMs) : 0;
  const isDue = isKnown && thinned.length > 0;
  const key = isDue
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
    const isRead = readFor(points, goesOn) !== undefined;
    if (isRead) return value?.seen === seen ? (value.found.get(textOf(one)) ?? {}) : {};
    if (points.isOfChanges === true && points.of !== undefined) return { count: points.of };
    return statisticsOf(line, times, { from: ends.from / 1_000, to: ends.to / 1_000 });
  });
}

type ReadStatistics = (series: Series, ends: Ends, signal: AbortSignal) => Promise<Statistics>;

/**
 * How the statistics of a series are read whose points don't tell them; undefined: they do. Of states the changes are drawn, and
 * there are no statistics but the number of their messages, which is another one soon in live mode.
 */
function readFor(points: Points | undefined, goesOn: boolean): ReadStatistics | undefined {
  if (points === undefined || points.points.length === 0) return undefined;
  const { of, wholeFrom } = points;
  if (!hasStates(points)) return wholeFrom === undefined ? undefined : readStatistics;
  return goesOn && (of ?? wholeFrom) !== undefined ? readCount : undefined;
}

const readCount: ReadStatistics = async (series, ends, signal) => ({
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
