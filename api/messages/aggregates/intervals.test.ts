import { describe, expect, it } from 'vitest';
import { bucketStart, isWithin64Bits, unitNanoseconds } from './intervals.ts';

describe('the start of a bucket', () => {
  it('of a fixed length is counted from 1970', () => {
    expect(bucketStart('time', 'second', 30, undefined)).toBe(
      '(time - positiveModulo(time - toInt64(0), toInt64(30000000000)))',
    );
  });

  it('of weeks is a Monday', () => {
    const monday = -3n * 86_400n * 1_000_000_000n;
    expect(new Date(Number(monday / 1_000_000n)).getUTCDay()).toBe(1);
    expect(bucketStart('time', 'week', 1, undefined)).toContain(`time - toInt64(${monday})`);
  });

  it('of years is one of twelve times as many months', () => {
    expect(bucketStart('time', 'year', 2, undefined)).toBe(
      bucketStart('time', 'month', 24, undefined),
    );
  });

  it('in a zone is in its local time, by the offset at the start', () => {
    const sql = bucketStart('time', 'day', 1, '{p0:String}');
    expect(sql.match(/timezoneOffset/g)?.length).toBeGreaterThan(1);
    expect(sql).not.toContain("'UTC'");
  });
});

it.each([
  ['year', 291, true],
  ['year', 1_000_000, false],
  ['month', 291, true],
  ['day', 106_751, true],
  ['day', 106_752, false],
  ['microsecond', 1_000_000, true],
] as const)('a bucket of %s, %i of them, has a length of 64 bits: %s', (interval, count, fits) => {
  expect(isWithin64Bits(interval, count)).toBe(fits);
});

it('months and years count as their shortest', () => {
  const day = unitNanoseconds('day');
  expect(unitNanoseconds('month')).toBe(28n * day);
  expect(unitNanoseconds('year')).toBe(365n * day);
});
