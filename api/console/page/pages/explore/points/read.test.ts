import { describe, expect, it } from 'vitest';
import { align, numberAt, numberPaths } from './read.ts';
import { extended } from './extended.ts';

describe('numbers in payloads', () => {
  const payload = { motor: { rpm: 5, 'oil.temp': 80, on: true }, 'a.b': 1, list: [1], none: null };

  it('are found by their dotted paths', () => {
    expect(numberPaths(payload)).toEqual(['motor.rpm', 'motor.oil.temp', 'a.b']);
    expect(numberPaths(payload).map((path) => numberAt(payload, path))).toEqual([5, 80, 1]);
  });

  it('are null where there is none', () => {
    for (const path of ['motor', 'motor.on', 'list.0', 'none', 'toString', '']) {
      expect(numberAt(payload, path)).toBeNull();
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
