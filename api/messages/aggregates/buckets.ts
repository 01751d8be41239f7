import type { ReadQuery } from '../../../schemas/messages/query.ts';

export type Interval = NonNullable<ReadQuery['agg_interval']>;

const second = 1_000_000_000n;
const day = 86_400n * second;

const fixed: Readonly<Partial<Record<Interval, bigint>>> = {
  microsecond: 1_000n,
  millisecond: 1_000_000n,
  second,
  minute: 60n * second,
  hour: 3_600n * second,
  day,
  week: 7n * day,
};

/** The shortest that a unit can be; days of a time zone may lack an hour or more. */
export function unitNanoseconds(interval: Interval): bigint {
  if (interval === 'month') return 28n * day;
  if (interval === 'year') return 365n * day;
  return fixed[interval] ?? day;
}

/** Whether buckets of so many units can be counted in nanoseconds. */
export function isWithin64Bits(interval: Interval, count: number): boolean {
  const unit = fixed[interval] ?? 366n * day;
  return unit * BigInt(count) < 2n ** 63n;
}

/** Weeks start on Monday; 1970 began on a Thursday. */
const mondayBefore1970 = -3n * day;

/**
 * The start of a time's bucket, in nanoseconds: an expression over the column `time` and the placeholder
 * of a time zone, made of our own text and whole numbers. Buckets of several units are counted from 1970
 * (weeks from its first Monday before), by the clock on the wall where a zone is given.
 */
export function bucketStart(
  time: string,
  interval: Interval,
  count: number,
  zone: string | undefined,
): string {
  if (zone === undefined) return startOnWall(time, utc(time), interval, count);
  const wall = `(${time} + ${offsetNanos(time, zone)})`;
  const start = startOnWall(wall, `fromUnixTimestamp64Nano(${time}, ${zone})`, interval, count);
  // The offset where the bucket starts may be another than where the record stands.
  const guess = `(${start} - ${offsetNanos(time, zone)})`;
  return `(${start} - ${offsetNanos(guess, zone)})`;
}

function startOnWall(wall: string, date: string, interval: Interval, count: number): string {
  const unit = fixed[interval];
  if (unit !== undefined) {
    const size = unit * BigInt(count);
    const anchor = interval === 'week' ? mondayBefore1970 : 0n;
    return `(${wall} - positiveModulo(${wall} - toInt64(${anchor}), toInt64(${size})))`;
  }
  const months = interval === 'year' ? count * 12 : count;
  const index = `(toInt32(toYear(${date})) * 12 + toMonth(${date}) - 1 - 1970 * 12)`;
  const first = `(${index} - positiveModulo(${index}, ${months}) + 1970 * 12)`;
  return `(toInt64(toInt32(makeDate32(intDiv(${first}, 12), ${first} % 12 + 1, 1))) * ${day})`;
}

function utc(time: string): string {
  return `fromUnixTimestamp64Nano(${time}, 'UTC')`;
}

function offsetNanos(time: string, zone: string): string {
  return `(toInt64(timezoneOffset(fromUnixTimestamp64Nano(${time}, ${zone}))) * 1000000000)`;
}
