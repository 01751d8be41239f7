import { longSteps, stepsMaxOf } from './holes.ts';

export type SparkPoint = readonly [time: number, value: number];

/** The points between holes: each part is a stroke of the line, by the rule of charts. */
export function strokesOf(
  points: readonly SparkPoint[],
  isOfIntervals: boolean,
): readonly (readonly SparkPoint[])[] {
  const times = points.map(([time]) => time);
  const ends = new Set(longSteps(times, stepsMaxOf(isOfIntervals)).map(([, to]) => to));
  const starts = points.flatMap(([time], at) =>
    at === 0 || (ends.has(time) && times[at - 1] !== time) ? [at] : [],
  );
  return starts.map((at, i) => points.slice(at, starts[i + 1]));
}
