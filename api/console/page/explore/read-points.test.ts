import { describe, expect, it } from 'vitest';
import { extended } from './extended.ts';
import { leafAt } from '../../../../schemas/json/leaf.ts';
import { leafPaths } from './leaves.ts';
import { align, type Points } from './read-points.ts';

describe('values in payloads', () => {
  const payload = {
    motor: { rpm: 5, 'oil.temp': 80, on: true },
    'a.b': 'x',
    list: [1],
    none: null,
  };

  it('are found by their dotted paths: numbers, booleans and texts', () => {
    expect(leafPaths(payload)).toEqual(['motor.rpm', 'motor.oil.temp', 'motor.on', 'a.b']);
    expect(leafPaths(payload).map((path) => leafAt(payload, path))).toEqual([5, 80, true, 'x']);
  });

  it('are null where there is none', () => {
    for (const path of ['motor', 'motor.off', 'list.0', 'none', 'toString', '']) {
      expect(leafAt(payload, path)).toBeNull();
    }
  });
});

it('series share one axis of time; a gap is null, and no point of its own is undefined', () => {
  const { times, values } = align([
    {
      unit: '',
      points: [
        [1, 10],
        [3, null],
      ],
    },
    {
      unit: '',
      points: [
        [2, 20],
        [3, 30],
      ],
    },
  ]);
  expect(times).toEqual([1, 2, 3]);
  expect(values).toEqual([
    [10, undefined, null],
    [undefined, 20, 30],
  ]);
});

it('live points come after the others by time, and what is before the range goes', () => {
  const [first] = extended(
    [
      {
        unit: 'V',
        points: [
          [1, 1],
          [5, 5],
        ],
      },
    ],
    [
      [0, 7, 7],
      [0, 6, 6],
    ],
    2,
  );
  expect(first).toEqual({
    unit: 'V',
    points: [
      [5, 5],
      [6, 6],
      [7, 7],
    ],
  });
});

it('live values join a series of their kind only', () => {
  const lines = { unit: '', points: [[1, 1]] as const };
  const states = { unit: '', points: [[1, 'on']] as const };
  const empty = { unit: '', points: [] };
  const came = [0, 1, 2].flatMap((at) => [[at, 2, 5] as const, [at, 3, 'off'] as const]);
  const [numbers, texts, any] = extended([lines, states, empty], came, 0);
  const toldIn = (one: Points | undefined) => one?.points.filter(([, value]) => value !== null);
  expect(numbers?.points).toEqual([
    [1, 1],
    [2, 5],
  ]);
  expect(toldIn(texts)).toEqual([
    [1, 'on'],
    [3, 'off'],
  ]);
  expect(toldIn(any)).toHaveLength(2);
});

describe('a live line that holds no more points', () => {
  const held = Array.from({ length: 20_000 }, (_, at) => [at, at] as const);
  const came = [[0, 20_000, 1] as const, [0, 20_001, 2] as const];

  it('keeps the newest, and says from when on it has each message', () => {
    const [one] = extended([{ unit: '', points: held }], came, 0);
    expect([one?.points.length, one?.points[0]?.[0], one?.wholeFrom]).toEqual([20_000, 2, 2]);
  });

  it('is whole again once what it lacks is before the range', () => {
    const cut = extended([{ unit: '', points: held }], came, 0);
    expect(extended(cut, [], 1)[0]).toHaveProperty('wholeFrom', 2);
    expect(extended(cut, [], 2)[0]).not.toHaveProperty('wholeFrom');
  });
});

it('a line that was thinned out is whole once the range has only what came live', () => {
  const thinned = { unit: '', points: [[1, 1]] as const, of: 9, wholeFrom: 10 };
  const [one] = extended([thinned], [[0, 12, 5]], 0);
  expect(one).toEqual({
    unit: '',
    points: [
      [1, 1],
      [12, 5],
    ],
    wholeFrom: 10,
  });
  expect(extended([thinned], [[0, 12, 5]], 11)).toEqual([{ unit: '', points: [[12, 5]] }]);
});
