import { describe, expect, it } from 'vitest';
import { placeAfter, placeAt, readPosition, writePosition } from './position.ts';

const row = (batch: number, partition: string, time = '1') => ({
  batch,
  partition,
  time,
  tie: '7',
});
const mark = 'abcdefghijk';

describe('the place in a log after a row', () => {
  it('counts rows of the same place', () => {
    const once = placeAfter(placeAt(5), row(5, '2025'));
    expect(once).toEqual({ batch: 5, done: [], last: { ...row(5, '2025'), given: 1 } });
    expect(placeAfter(once, row(5, '2025')).last?.given).toBe(2);
    expect(placeAfter(once, row(5, '2025', '2')).last?.given).toBe(1);
  });

  it('keeps the partitions that are done, until the next batch', () => {
    const second = placeAfter(placeAfter(placeAt(5), row(5, '2025')), row(5, '2026'));
    expect(second.done).toEqual(['2025']);
    expect(placeAfter(second, row(6, '2026')).done).toEqual([]);
  });
});

describe('a position', () => {
  it('reads back as it was written', () => {
    const place = placeAfter(placeAfter(placeAt(5), row(5, '2025')), row(5, '2026', '-3'));
    const position = new Map([
      [mark, place],
      ['kjihgfedcba', placeAt(9)],
    ]);
    expect(readPosition(writePosition(position))).toEqual(position);
  });

  it.each([
    '',
    '2',
    `1~${mark}`,
    `1~${mark}.x`,
    `1~${mark}.5.2025.x.7.1`,
    `1~${mark}.5.2025.1.7.0`,
    '1~short.5',
  ])('%j is refused', (text) => {
    expect(() => readPosition(text)).toThrow('Last-Event-ID is not one of ours');
  });
});
