import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longSteps } from '../chart/holes.ts';
import { bandsOf } from './states.ts';

describe('the bands of states', () => {
  it('hold a state until the next one, and are one while it stays the same', () => {
    const states = [
      [0, false],
      [10, false],
      [20, true],
      [30, false],
    ] as const;
    expect(bandsOf(states, [], 10)).toEqual([
      { from: 0, to: 20, value: false },
      { from: 20, to: 30, value: true },
      { from: 30, to: 40, value: false },
    ]);
  });

  it('end in a hole, after a usual step, and begin again after it', () => {
    const states = [
      [0, 'on'],
      [10, 'on'],
      [100, 'on'],
    ] as const;
    expect(bandsOf(states, [[10, 100]], 10)).toEqual([
      { from: 0, to: 20, value: 'on' },
      { from: 100, to: 110, value: 'on' },
    ]);
  });

  it('tell each state at its time, ascend, and leave the holes open', () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 50 }), fc.constantFrom('on', 'off', true)),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (told, lasts) => {
        let now = 0;
        const states = told.map(([step, value]) => [(now += step), value] as const);
        const times = states.map(([time]) => time);
        const holes = longSteps(times, 3);
        const bands = bandsOf(states, holes, lasts);
        for (const [time, value] of states) {
          const within = bands.filter(({ from, to }) => from <= time && time < to);
          expect(within.map((band) => band.value)).toEqual([value]);
        }
        for (const [i, { from, to, value }] of bands.entries()) {
          const next = bands[i + 1];
          expect(to).toBeGreaterThan(from);
          expect(next?.from ?? to).toBeGreaterThanOrEqual(to);
          expect(next?.from === to && next.value === value).toBe(false);
        }
        for (const [from, to] of holes) {
          const middle = Math.min(from + lasts, to);
          expect(bands.some((band) => band.from <= middle && middle < band.to && middle < to)).toBe(
            false,
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});
