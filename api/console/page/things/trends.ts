import { useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import type { SparkPoint } from '../chart/strokes.ts';

/** How numbers went, by the names of their series. */
export type Trends = ReadonlyMap<string, readonly SparkPoint[]>;

const none: Trends = new Map();
const dayMs = 86_400_000;
/** As wide as it is drawn, nothing more can be told apart. */
const points = 60;
/** So many are drawn: each is a query. */
const seriesMax = 24;

/** The last day of series of a thing, by one request. */
export function useTrends(thing: string, names: readonly string[]): Trends {
  const [now] = useState(Date.now());
  const read = names.slice(0, seriesMax);
  const key = read.length === 0 ? undefined : JSON.stringify([thing, read]);
  const { value = none } = useRead(key, async (signal) => {
    const from = `${now - dayMs}000000`;
    const body = read.map((name) => ({
      publisher: thing,
      name,
      from,
      points,
      dir: 'asc' as const,
    }));
    const answer = await call('searchMessages_senml', { body }, signal);
    const pages = Array.isArray(answer) ? answer : [answer];
    return new Map(
      read.map((name, at): [string, SparkPoint[]] => {
        const found = pages[at];
        const messages = found?.messages ?? [];
        return [
          name,
          messages.flatMap(({ time, value: number }): SparkPoint[] =>
            typeof number === 'number' ? [[time, number]] : [],
          ),
        ];
      }),
    );
  });
  return value;
}
