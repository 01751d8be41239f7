import { describe, expect, it } from 'vitest';
import { extended } from './extended.ts';
import { leafAt } from '../../../../schemas/json/leaf.ts';
import { leafPaths } from './leaves.ts';
import { align } from './read-points.ts';

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
  expect(numbers?.points).toEqual([
    [1, 1],
    [2, 5],
  ]);
  expect(texts?.points).toEqual([
    [1, 'on'],
    [3, 'off'],
  ]);
  expect(any?.points).toHaveLength(2);
});
