import { expect, it } from 'vitest';
import { type Measure, withUnit } from './units.ts';

it.each<[Measure, number | null, string]>([
  ['bytes', 0, '0 B'],
  ['bytes', 73_456_000_000, '73.5 GB'],
  ['ms', 0.42, '0.42 ms'],
  ['ms', 90_000, '1.5 min'],
  ['rate', 0, '0/s'],
  ['rate', 123_456, '123K/s'],
  ['count', 1_234, '1,230'],
  ['count', null, '–'],
])('writes %s %s as %s', (measure, value, text) => {
  expect(withUnit(measure, value)).toBe(text);
});
