import { expect, it } from 'vitest';
import { type SparkPoint, strokesOf } from './strokes.ts';

const at = (...times: number[]) => times.map((time): SparkPoint => [time, time]);

it('a small line is broken where nothing was told for more than three usual steps, and a point alone is a part', () => {
  const parts = (times: number[], isOfIntervals = false) =>
    strokesOf(at(...times), isOfIntervals).map((points) => points.map(([time]) => time));
  expect(parts([0, 1, 2, 10, 11, 12, 30, 50, 51])).toEqual([
    [0, 1, 2],
    [10, 11, 12],
    [30],
    [50, 51],
  ]);
  expect(parts([0, 1, 2, 5, 5, 6])).toEqual([[0, 1, 2, 5, 5, 6]]);
  expect(parts([0, 1, 2, 4, 5], true)).toEqual([
    [0, 1, 2],
    [4, 5],
  ]);
  expect(parts([7])).toEqual([[7]]);
  expect(parts([])).toEqual([]);
});
