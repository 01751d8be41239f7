import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointsOfSpans, type Span } from '../../../../schemas/messages/state-pages.ts';
import { type Hole, longSteps } from '../chart/holes.ts';
import { extended } from './extended.ts';
import type { Points } from './read-points.ts';
import { linesOf } from './shown.ts';
import { bandsOf as bandsOfPoints } from './states.ts';

type State = readonly [time: number, value: string | boolean];

/** The changes of states with these holes, as the API tells them. */
function spansOf(states: readonly State[], holes: readonly Hole[]): Span[] {
  const starts = new Map(holes);
  const spans: Span[] = [];
  for (const [i, [time, value]] of states.entries()) {
    const [before, last] = [states[i - 1], spans.at(-1)];
    const isSilent = before !== undefined && starts.has(before[0]);
    if (last !== undefined) last.until = isSilent ? (before?.[0] ?? time) : time;
    if (isSilent || before?.[1] !== value) spans.push({ time, until: time, value });
  }
  return spans;
}

const bandsOf = (states: readonly State[], holes: readonly Hole[], lasts: number) =>
  bandsOfPoints(pointsOfSpans(spansOf(states, holes), lasts), 0);

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

  it('go on through a silence that is shorter than a usual step of the first page', () => {
    const states = [
      [1, 'on'],
      [2, 'on'],
      [6, 'on'],
    ] as const;
    expect(bandsOf(states, [[2, 6]], 5)).toEqual([{ from: 1, to: 11, value: 'on' }]);
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

  it('end at what is not drawn, and go on to the end where gaps are connected', () => {
    const spans = [
      { time: 0, until: 10, value: 'on' },
      { time: 10, until: 20, value: null },
      { time: 20, until: 30, value: 'on' },
    ];
    const points = pointsOfSpans(spans, 5);
    expect(bandsOfPoints(points, 100)).toEqual([
      { from: 0, to: 10, value: 'on' },
      { from: 20, to: 35, value: 'on' },
    ]);
    const told = points.filter(([, value]) => value !== null);
    expect(bandsOfPoints(told, 100)).toEqual([{ from: 0, to: 100, value: 'on' }]);
  });
});

describe('states that go on live', () => {
  const read = (): Points => ({
    unit: '',
    points: pointsOfSpans([{ time: 0, until: 600, value: 'on' }], 60),
    isOfChanges: true,
    heard: { times: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((i) => i * 60), usualStep: 60 },
  });
  const drawn = (all: Points[]) =>
    linesOf(all, ['door'], { aggregate: 'none', gaps: 'null' }, 10_000).lines[0];
  const bandsAfter = (...came: State[]) =>
    drawn(
      extended(
        [read()],
        came.map(([time, value]) => [0, time, value] as const),
        0,
      ),
    )?.bands;

  it('hold as long as messages come, whatever they say', () => {
    expect(bandsAfter([660, 'on'], [720, 'on'])).toEqual([{ from: 0, to: 780, value: 'on' }]);
    expect(bandsAfter([660, 'off'], [780, 'off'])).toEqual([
      { from: 0, to: 660, value: 'on' },
      { from: 660, to: 840, value: 'off' },
    ]);
  });

  it('have a hole where none came for more than three usual steps', () => {
    expect(bandsAfter([790, 'on'])).toEqual([
      { from: 0, to: 660, value: 'on' },
      { from: 790, to: 850, value: 'on' },
    ]);
    expect(drawn([read()])?.holes).toEqual([[600, 10_000]]);
    expect(drawn(extended([read()], [[0, 790, 'on']], 0))?.holes).toEqual([
      [600, 790],
      [790, 10_000],
    ]);
  });

  it('go on from before the begin of the range, and begin where nothing was', () => {
    const [later = read()] = extended([read()], [[0, 660, 'on']], 300);
    expect(drawn([later])?.bands).toEqual([{ from: 0, to: 720, value: 'on' }]);
    const [over = read()] = extended([later], [], 5_000);
    expect(over.points).toEqual([]);
    const none: Points = { unit: '', points: [] };
    const came = [0, 10, 20, 60].map((time) => [0, time, true] as const);
    expect(drawn(extended([none], came, 0))?.bands).toEqual([
      { from: 0, to: 30, value: true },
      { from: 60, to: 70, value: true },
    ]);
  });
});
