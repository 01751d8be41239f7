import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holeAtEnd, holesAtNulls, lonePoints, longSteps, usualStep } from './holes.ts';

/** Steps of a device that reports every so often, give or take a tenth, with outages between them. */
const reports = fc
  .record({
    every: fc.double({ min: 0.001, max: 86_400, noNaN: true }),
    steps: fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), {
      minLength: 8,
      maxLength: 60,
    }),
    outages: fc.uniqueArray(fc.nat(59), { maxLength: 3 }),
    lasts: fc.double({ min: 4, max: 5_000, noNaN: true }),
  })
  .map(({ every, steps, outages, lasts }) => {
    const begin = 1_700_000_000;
    const times = [begin];
    const holes: [number, number][] = [];
    for (const [i, step] of steps.entries()) {
      const from = times.at(-1) ?? begin;
      const to = from + step * every * (outages.includes(i) ? lasts : 1);
      if (outages.includes(i)) holes.push([from, to]);
      times.push(to);
    }
    return { times, holes };
  });

describe('the holes of a series', () => {
  it('are its outages and nothing else, however often it reports', () => {
    fc.assert(
      fc.property(reports, ({ times, holes }) => {
        expect(longSteps(times, 3)).toEqual(holes);
      }),
      { numRuns: 300 },
    );
  });

  it('are none where a device reports more often from some time on, or less often', () => {
    const slow = Array.from({ length: 40 }, (_, i) => i * 600);
    const end = slow.at(-1) ?? 0;
    const quick = Array.from({ length: 200 }, (_, i) => end + 2 + i * 2);
    expect(longSteps([...slow, ...quick], 3)).toEqual([]);
    const later = slow.map((time) => time + end + 1_000);
    expect(longSteps([...slow, ...quick, ...later], 3)).toEqual([]);
    const cut = slow.filter((_, i) => i < 10 || i > 20);
    expect(longSteps([...cut, ...quick], 3)).toEqual([[9 * 600, 21 * 600]]);
  });

  it('are none where there are too few times to tell', () => {
    expect(usualStep([])).toBeUndefined();
    expect(usualStep([5])).toBeUndefined();
    expect(longSteps([], 3)).toEqual([]);
    expect(longSteps([5], 3)).toEqual([]);
    expect(longSteps([5, 500_000], 3)).toEqual([]);
  });

  it('begin at the last time where nothing came for long until now', () => {
    const times = [0, 10, 20, 30];
    expect(holeAtEnd(times, 60, 3)).toEqual([]);
    expect(holeAtEnd(times, 61, 3)).toEqual([[30, 61]]);
    expect(holeAtEnd([...times, 70], 900, 3)).toEqual([[70, 900]]);
    expect(holeAtEnd(times, 20, 3)).toEqual([]);
    // The last interval is still going on: only the one before it can be empty.
    expect(holeAtEnd(times, 50, 1.5)).toEqual([]);
    expect(holeAtEnd(times, 51, 1.5)).toEqual([[30, 51]]);
    expect(holeAtEnd([], 100, 3)).toEqual([]);
    expect(holeAtEnd([5], 500_000, 3)).toEqual([]);
    const slower = [...times, ...Array.from({ length: 10 }, (_, i) => 630 + i * 600)];
    expect(holeAtEnd(slower, 6_030 + 1_700, 3)).toEqual([]);
  });

  it('do not come of several records of one moment', () => {
    expect(longSteps([1, 1, 1, 1, 2, 3, 3, 4], 3)).toEqual([]);
    expect(longSteps([1, 1, 1, 1, 2, 3, 3, 4, 9], 3)).toEqual([[4, 9]]);
  });

  it('stand where a null is between two values, and not at the ends or at times of others', () => {
    const times = [1, 2, 3, 4, 5, 6, 7];
    expect(holesAtNulls(times, [null, 1, undefined, 2, null, null, 3])).toEqual([[4, 7]]);
    expect(holesAtNulls(times, [1, undefined, null, undefined, 2, null, null])).toEqual([[1, 5]]);
    expect(holesAtNulls(times, [null, null])).toEqual([]);
  });
});

describe('lone points', () => {
  it('are those that no line reaches', () => {
    const times = [1, 2, 3, 10, 20, 21];
    const values = [5, 5, undefined, 5, 5, 5];
    expect(lonePoints(times, values, longSteps([1, 2, 10, 20, 21], 3))).toEqual([3]);
    expect(lonePoints(times, values, [])).toEqual([]);
    expect(lonePoints([1], [5], [])).toEqual([0]);
    expect(lonePoints([], [], [])).toEqual([]);
    expect(lonePoints([1, 2, 3], [5, null, 5], [[1, 3]])).toEqual([0, 2]);
  });

  it('and those that lines connect are all points', () => {
    fc.assert(
      fc.property(reports, ({ times }) => {
        const holes = longSteps(times, 3);
        const values = times.map(() => 1);
        const isCut = (at: number) =>
          holes.some(([from, to]) => from === times[at - 1] && to === times[at]);
        const reached = times.filter(
          (_, at) => (at > 0 && !isCut(at)) || (at < times.length - 1 && !isCut(at + 1)),
        );
        const lone = lonePoints(times, values, holes).map((at) => times[at]);
        expect(new Set([...reached, ...lone])).toEqual(new Set(times));
        expect(reached.length + lone.length).toBe(times.length);
      }),
      { numRuns: 100 },
    );
  });
});
