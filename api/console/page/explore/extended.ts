import { hasStates, isState, type Points } from './read-points.ts';
import type { Value } from '../../../../schemas/json/leaf.ts';

/** Points of one line that live mode holds at most. */
const livePointsMax = 20_000;

/** The points with those that came, without those before `from`: what is held does not grow. */
export function extended(
  all: readonly Points[],
  came: readonly (readonly [at: number, time: number, value: Value])[],
  from: number,
): Points[] {
  return all.map((one, at) => {
    const news = came.flatMap(([line, time, value]) =>
      line === at && fits(one, value) ? [[time, value] as const] : [],
    );
    const kept = one.points.filter(([time]) => time >= from);
    const sorted = [...kept, ...news].toSorted(([a], [b]) => a - b);
    return { ...one, points: sorted.slice(-livePointsMax) };
  });
}

/** True if a value is of the kind that is drawn of its series; any is, before the first came. */
const fits = (one: Points, value: Value) =>
  one.points.length === 0 || isState(value) === hasStates(one);
