import { describe, expect, it } from 'vitest';
import { lastOf, statisticsOf, valueAt } from './values.ts';

const times = [0, 10, 20, 30, 40];
const line = { label: 'a', unit: '', values: [1, undefined, 5, null, -3] };

describe('the values of a line', () => {
  it('have statistics of those in the range alone', () => {
    expect(statisticsOf(line, times, { from: 0, to: 100 })).toEqual({
      count: 3,
      min: -3,
      mean: 1,
      max: 5,
    });
    expect(statisticsOf(line, times, { from: 5, to: 30 })).toEqual({
      count: 1,
      min: 5,
      mean: 5,
      max: 5,
    });
  });

  it('have a count alone if they are states', () => {
    const states = { ...line, values: ['on', true, undefined] };
    expect(statisticsOf(states, times, { from: 0, to: 100 })).toEqual({ count: 2 });
  });

  it('are told where the pointer is, or as they were before it', () => {
    expect(valueAt(line, { time: 10, at: 1 })).toBe(1);
    expect(valueAt({ ...line, holes: [[20, 40]] }, { time: 35, at: 3 })).toBeUndefined();
    expect(lastOf(line)).toBe(-3);
  });
});
