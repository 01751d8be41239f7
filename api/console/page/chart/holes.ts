/** A time without a value, from the value before it to the one after it, in seconds. */
export type Hole = readonly [from: number, to: number];

type Values = readonly unknown[];

/** A value that stands in a chart: no gap, and none of another line's times. */
const isTold = (value: unknown) => value !== null && value !== undefined;

/** The median of the steps between times, which ascend: half of them are no longer. Undefined for a single time. */
export function usualStep(times: readonly number[]): number | undefined {
  const steps = Float64Array.from(times.slice(1), (time, i) => time - (times[i] ?? time))
    .filter((step) => step > 0)
    .toSorted();
  return steps[(steps.length - 1) >> 1];
}

/** The holes where more than so many usual steps lie between two times, which ascend. */
export function longSteps(times: readonly number[], usualStepsMax: number): Hole[] {
  const longest = (usualStep(times) ?? 0) * usualStepsMax;
  return times.slice(1).flatMap((to, i): Hole[] => {
    const from = times[i] ?? to;
    return to - from > longest ? [[from, to]] : [];
  });
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
