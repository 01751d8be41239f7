import { expect, it } from 'vitest';
import { Where } from '../query/where.ts';
import { bucketStarts, filledValue } from './gaps.ts';

const hour = 3_600_000_000_000n;
const hours = { interval: 'hour', count: 1, zone: undefined } as const;

it('steps of half an interval reach every bucket of a range', () => {
  const where = new Where();
  const sql = bucketStarts(where, hours, { first: 0n, last: 10n * hour });
  expect(where.bound).toEqual({ p0: '0', p1: String(10n * hour), p2: String(hour / 2n) });
  expect(sql).toContain('least({p0:Int64} + toInt64(number) * {p2:Int64}, {p1:Int64})');
});

it('at most 100,000 buckets are filled', () => {
  const until = (buckets: bigint) => () =>
    bucketStarts(new Where(), hours, { first: 0n, last: buckets * hour });
  expect(until(100_000n)).not.toThrow();
  expect(until(100_001n)).toThrow('agg_fill: more than 100000 buckets');
});

it('a gap holds what `fill` says', () => {
  expect(filledValue('value0', 'null')).toBe('value0');
  expect(filledValue('value0', 'zero')).toBe('coalesce(value0, 0)');
  expect(filledValue('value0', 'previous')).toMatch(/^anyLast\(value0\) OVER .*CURRENT ROW\)$/);
  expect(filledValue('value0', 'linear')).toMatch(
    /^coalesce\(value0, anyLast\(value0\) .*\(any\(value0\)/,
  );
});
