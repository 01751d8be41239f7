import type { Line, Pointed } from './props.ts';

type Value = Line['values'][number];

const isTold = (value: Value) => value !== null && value !== undefined;

/** Whether the pointer is where a line is broken. */
export const isInHole = ({ holes = [] }: Line, { time }: Pick<Pointed, 'time'>) =>
  holes.some(([from, to]) => from < time && time < to);

/** The last value of a line. */
export const lastOf = ({ values }: Line): Value => values.findLast(isTold);

/** The value under the pointer: none in a hole, a state by its band, a number at the nearest place or before it. */
export function valueAt(line: Line, at: Pointed): Value {
  if (line.bands !== undefined) {
    return line.bands.find(({ from, to }) => from <= at.time && at.time < to)?.value;
  }
  return isInHole(line, at) ? undefined : line.values.slice(0, at.at + 1).findLast(isTold);
}

/** How many values there are; the others only of numbers. None is there while it is not known. */
export type Statistics = { count?: number; min?: number; mean?: number; max?: number };

/** Of the values of a line that are in a range, in seconds. */
export function statisticsOf(
  { values }: Line,
  times: readonly number[],
  { from, to }: { from: number; to: number },
): Statistics {
  let [count, numbers, sum] = [0, 0, 0];
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [at, value] of values.entries()) {
    const time = times[at] ?? from;
    if (!isTold(value) || time < from || time > to) continue;
    count += 1;
    if (typeof value !== 'number') continue;
    numbers += 1;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return numbers === 0 ? { count } : { count, min, mean: sum / numbers, max };
}
