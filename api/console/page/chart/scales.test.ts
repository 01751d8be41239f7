import { expect, it } from 'vitest';
import { apart } from './scales.ts';
import { sidePixels } from './shape.ts';

it('values of a logarithmic axis that would lie on each other are left out, the rounder ones last', () => {
  const decade = [6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
  expect([...apart(decade, 0)].toSorted((a, b) => a - b)).toEqual(decade);
  const kept = [...apart(decade, 0.15)].toSorted((a, b) => a - b);
  expect(kept).toEqual([7, 10, 20, 30, 50, 100]);
  for (const [i, value] of kept.slice(1).entries()) {
    expect(Math.log10(value / (kept[i] ?? value))).toBeGreaterThanOrEqual(0.15);
  }
  expect([...apart([0.01, 0.1, 1], 1.5)]).toEqual([0.01, 1]);
});

it('a time at an end has room where no axis of values stands', () => {
  expect(sidePixels(0, true)).toEqual({ start: 24, end: 24 });
  expect(sidePixels(1, false)).toEqual({ start: 0, end: 38 });
  expect(sidePixels(2, false)).toEqual({ start: 0, end: 0 });
});
