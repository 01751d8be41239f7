import type { Points } from './read.ts';

/** Points of one line that live mode holds at most. */
const livePointsMax = 20_000;

/** The points with those that came, without those before `from`: what is held does not grow. */
export function extended(
  all: readonly Points[],
  came: readonly (readonly [at: number, time: number, value: number])[],
  from: number,
): Points[] {
  return all.map(({ unit, points }, at) => {
    const news = came.flatMap(([line, time, value]) =>
      line === at ? [[time, value] as const] : [],
    );
    const kept = points.filter(([time]) => time >= from);
    const sorted = [...kept, ...news].toSorted(([a], [b]) => a - b);
    return { unit, points: sorted.slice(-livePointsMax) };
  });
}
