import { hasStates, isState, type Points } from './read-points.ts';
import type { Value } from '../../../../schemas/json/leaf.ts';

/** Points of one line that live mode holds at most. */
const livePointsMax = 20_000;

/**
 * The points with those that came, without those before `from`: what is held does not grow. Where the oldest had to go,
 * it says so for as long as the range has any of them.
 */
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
    return held(one, sorted, from);
  });
}

function held({ wholeFrom, of, ...one }: Points, sorted: Points['points'], from: number): Points {
  const points = sorted.slice(-livePointsMax);
  const [first] = points;
  const isCut = first !== undefined && points.length < sorted.length;
  const whole = Math.max(wholeFrom ?? from, isCut ? first[0] : from);
  if (whole <= from) return { ...one, points };
  const isNothingDrawn = of !== undefined && points.length === 0;
  return { ...one, points, wholeFrom: whole, ...(isNothingDrawn ? { of } : {}) };
}

/** True if a value is of the kind that is drawn of its series; any is, before the first came. */
const fits = (one: Points, value: Value) =>
  one.points.length === 0 || isState(value) === hasStates(one);
