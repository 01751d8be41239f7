import type { ReaderQuery } from '../../../schemas/messages/query.ts';

export type Interval = NonNullable<ReaderQuery['agg_interval']>;

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

/** The shortest length of an interval. Days of a time zone may be shorter by an hour or more. */
export function unitNanoseconds(interval: Interval): bigint {
  if (interval === 'month') return 28n * day;
  if (interval === 'year') return 365n * day;
  return fixed[interval] ?? day;
}

/** Whether the length of a bucket, in nanoseconds, has 64 bits. */
export function isWithin64Bits(interval: Interval, count: number): boolean {
  const unit = fixed[interval] ?? 366n * day;
  return unit * BigInt(count) < 2n ** 63n;
}

/** Weeks start on Monday; 1970 began on a Thursday. */
const mondayBefore1970 = -3n * day;

/**
 * SQL for the start of a time's bucket, in nanoseconds. `time` is an expression, `zone` the placeholder of a time
 * zone. Buckets of several intervals are counted from 1970 (weeks from the Monday before it), in the zone's local
 * time.
 */
export function bucketStart(
  time: string,
  interval: Interval,
  count: number,
  zone: string | undefined,
): string {
  if (zone === undefined) return localStart(time, utc(time), interval, count);
  const local = `(${time} + ${offsetNanos(time, zone)})`;
  const start = localStart(local, `fromUnixTimestamp64Nano(${time}, ${zone})`, interval, count);
  // The zone's offset at the bucket's start may differ from that at the record's time.
  const guess = `(${start} - ${offsetNanos(time, zone)})`;
  return `(${start} - ${offsetNanos(guess, zone)})`;
}

function localStart(local: string, date: string, interval: Interval, count: number): string {
  const unit = fixed[interval];
  if (unit !== undefined) {
    const size = unit * BigInt(count);
    const anchor = interval === 'week' ? mondayBefore1970 : 0n;
    return `(${local} - positiveModulo(${local} - toInt64(${anchor}), toInt64(${size})))`;
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
