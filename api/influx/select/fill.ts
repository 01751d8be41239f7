import type { Fill } from '../language/ast.ts';
import { beginTransform, type Transform, type Value } from './functions.ts';

/** A value of a call at the begin of an interval. */
export type CallPoint = { time: bigint; value: Value };

/** `isCount`: what was not there was counted as none. */
type Filling = { fill: Fill; isCount: boolean; isDescending: boolean };

/**
 * The values of a call at all `starts`, in their order: those that are there, and what fills the others.
 */
export function filled(
  points: readonly CallPoint[],
  starts: readonly bigint[],
  { fill, isCount, isDescending }: Filling,
): CallPoint[] {
  const gaps = gapsOf(points, { fill, isCount, isDescending });
  let at = 0;
  return starts.map((time) => {
    while (isBefore(points[at], time, isDescending)) at += 1;
    const point = points[at];
    return point?.time === time ? point : { time, value: gaps(time) };
  });
}

/** The value in a gap. Gaps are asked for in the order of the answer. */
function gapsOf(
  points: readonly CallPoint[],
  { fill, isCount, isDescending }: Filling,
): (time: bigint) => Value {
  switch (fill.kind) {
    case 'number':
      return () => (isCount ? Math.trunc(fill.value) : fill.value);
    case 'previous':
    case 'linear':
      return between(points, fill.kind === 'linear', isCount, isDescending);
    case 'null':
    case 'none':
      return () => (isCount ? 0 : null);
    default:
      return fill satisfies never;
  }
}

/** Whether the answer has a point before a time. */
const isBefore = (point: CallPoint | undefined, time: bigint, isDescending: boolean): boolean =>
  point !== undefined && (isDescending ? point.time > time : point.time < time);

function between(
  points: readonly CallPoint[],
  isLinear: boolean,
  isCount: boolean,
  isDescending: boolean,
): (time: bigint) => Value {
  let at = -1;
  return (time) => {
    while (isBefore(points[at + 1], time, isDescending)) at += 1;
    const [before, after] = [points[at], points[at + 1]];
    if (before === undefined) return null;
    if (!isLinear) return before.value;
    if (typeof before.value !== 'number' || typeof after?.value !== 'number') return null;
    const part = Number(time - before.time) / Number(after.time - before.time);
    const value = before.value + (after.value - before.value) * part;
    return isCount ? Math.trunc(value) : value;
  };
}

/** The values of a function over points, in the order of the answer; gaps are not points. */
export function transformed(points: readonly CallPoint[], transform: Transform): CallPoint[] {
  const state = beginTransform(transform);
  return points.flatMap(({ time, value }) => {
    if (typeof value !== 'number') return [];
    const result = state({ time, value });
    return result === undefined ? [] : [{ time, value: result }];
  });
}
