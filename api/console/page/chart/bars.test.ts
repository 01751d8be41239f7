import { expect, it } from 'vitest';
import { barsBeside } from './bars.ts';

it('bars of several lines stand side by side in their interval', () => {
  const times = [100, 105, 110, 120];
  // Another line has a value at 105.
  const values = [1, undefined, 2, 3];
  const [left, right] = [0, 1].map((place) =>
    barsBeside(times, values, { place, count: 2, most: 60 }),
  );
  expect(left).toEqual({ starts: [96, 101, 106, 116], seconds: 4 });
  expect(right).toEqual({ starts: [100, 105, 110, 120], seconds: 4 });
});

it('a lone value has a bar of the greatest width', () => {
  const one = barsBeside([100], [1], { place: 1, count: 3, most: 6 });
  expect(one).toEqual({ starts: [97], seconds: 6 });
});
