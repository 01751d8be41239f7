import { besideMax, besideMin, usualStepsMax } from '../../../../schemas/messages/silences.ts';

/** A time without a value, from the value before it to the one after it, in seconds. */
export type Hole = readonly [from: number, to: number];

type Values = readonly unknown[];

/** Intervals are not late: one that is empty is a gap, unless the series has values in every other one at most. */
const usualIntervalsMax = 1.5;

/** How many usual steps have no hole between them: of values as they came, or of intervals. */
export const stepsMaxOf = (isOfIntervals: boolean): number =>
  isOfIntervals ? usualIntervalsMax : usualStepsMax;

/** A value that stands in a chart: no gap, and none of another line's times. */
const isTold = (value: unknown) => value !== null && value !== undefined;

/** The median of the steps between times, which ascend: half of them are no longer. Undefined for a single time. */
export function usualStep(times: readonly number[]): number | undefined {
  const steps = Float64Array.from(times.slice(1), (time, i) => time - (times[i] ?? time))
    .filter((step) => step > 0)
    .toSorted();
  return steps[(steps.length - 1) >> 1];
}

/**
 * The holes where more than so many usual steps lie between two times, which ascend. A device may report more often for
 * a while: usual is the longest of what is so over all, before the step, and after it.
 */
export function longSteps(times: readonly number[], stepsMax: number): Hole[] {
  const moments = times.filter((time, i) => i === 0 || time > (times[i - 1] ?? time));
  const overall = usualStep(moments) ?? 0;
  return moments.slice(1).flatMap((to, i): Hole[] => {
    const from = moments[i] ?? to;
    if (to - from <= overall * stepsMax) return [];
    const before = moments.slice(Math.max(0, i - besideMax), i + 1);
    const after = moments.slice(i + 1, i + 2 + besideMax);
    const usual = [before, after].map((some) =>
      some.length > besideMin ? (usualStep(some) ?? 0) : 0,
    );
    return to - from > Math.max(...usual) * stepsMax ? [[from, to]] : [];
  });
}

/** An interval at the end may not be over yet: one step after the last time tells nothing. */
const stepsAtEndMin = 2;

/** The hole from the last time to `until`, by the same rule; none where there are too few times to tell. */
export function holeAtEnd(
  times: readonly number[],
  until: number,
  stepsMax: number,
  overall = usualStep(times),
): Hole[] {
  const last = times.at(-1);
  if (last === undefined || overall === undefined) return [];
  const usual = Math.max(overall, usualStep(times.slice(-besideMax - 1)) ?? 0);
  return until - last > usual * Math.max(stepsMax, stepsAtEndMin) ? [[last, until]] : [];
}

/** The holes where null stands between two values. */
export function holesAtNulls(times: readonly number[], values: Values): Hole[] {
  const holes: Hole[] = [];
  let from: number | undefined;
  let isOpen = false;
  for (const [at, time] of times.entries()) {
    if (isTold(values[at])) {
      if (isOpen && from !== undefined) holes.push([from, time]);
      from = time;
      isOpen = false;
    } else if (values[at] === null) isOpen = true;
  }
  return holes;
}

/** The places of values that no line reaches: each is between two holes, or a hole and an end. */
export function lonePoints(
  times: readonly number[],
  values: Values,
  holes: readonly Hole[],
): number[] {
  const ends = new Set(holes.map(([, to]) => to));
  const starts = new Set(holes.map(([from]) => from));
  const told = times.flatMap((_, at) => (isTold(values[at]) ? [at] : []));
  const [first, last] = [told[0], told.at(-1)];
  return told.filter((at) => {
    const time = times[at] ?? 0;
    return (at === first || ends.has(time)) && (at === last || starts.has(time));
  });
}
