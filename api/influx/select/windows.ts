import type { TimeRange } from '../model/points.ts';
import type { Interval } from './plan.ts';
import { offsetAt } from '../model/zone.ts';

/** The begin of a time's interval, as `startSql` finds it. */
export function startOf(
  time: bigint,
  { length, offset }: Interval,
  zone: string | undefined,
): bigint {
  const shifted = time - offset;
  const local = zone === undefined ? 0n : offsetAt(zone, shifted);
  const start = time - modulo(shifted + local, length);
  if (zone === undefined) return start;
  const step = local - offsetAt(zone, start);
  return magnitude(step) < length ? start + step : start;
}

const modulo = (value: bigint, size: bigint) => ((value % size) + size) % size;
const magnitude = (value: bigint) => (value < 0n ? -value : value);

/**
 * The begins of all intervals from that of one time to that of another, in ascending order, no more than `most` from the
 * end that comes first in the answer.
 */
export function startsBetween(
  range: Required<{ [Name in keyof TimeRange]: bigint }>,
  interval: Interval,
  zone: string | undefined,
  { most, isDescending }: { most: number; isDescending: boolean },
): bigint[] {
  const [first, last] = [startOf(range.from, interval, zone), startOf(range.to, interval, zone)];
  const starts: bigint[] = [];
  const step = isDescending ? -interval.length : interval.length;
  const end = isDescending ? first : last;
  let start = isDescending ? last : first;
  while ((isDescending ? start >= end : start <= end) && starts.length < most) {
    starts.push(start);
    start = next(start, step, interval, zone);
  }
  return isDescending ? starts.toReversed() : starts;
}

/** The begin of a neighbour: where clocks change, an interval of a zone may be longer or shorter. */
function next(start: bigint, step: bigint, interval: Interval, zone: string | undefined): bigint {
  const moved = start + step;
  if (zone === undefined) return moved;
  const shift = offsetAt(zone, start) - offsetAt(zone, moved);
  return magnitude(shift) < interval.length ? moved + shift : moved;
}
