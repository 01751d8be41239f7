/** What the reader should answer, worked out in memory, without SQL. */

/** A record as it was published: times in nanoseconds. */
export type Published = {
  publisher: string;
  subtopic: string;
  name: string;
  time: bigint;
  value?: number;
  string_value?: string;
  bool_value?: boolean;
  data_value?: string;
};

export type Question = {
  publisher?: string | undefined;
  subtopic?: string | undefined;
  name?: string | undefined;
  v?: number | undefined;
  comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
  vs?: string | undefined;
  vb?: boolean | undefined;
  vd?: string | undefined;
  from?: bigint | undefined;
  to?: bigint | undefined;
};

const holds: Record<NonNullable<Question['comparator']>, (a: number, b: number) => boolean> = {
  eq: (a, b) => a === b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

export function select(records: readonly Published[], asked: Question): Published[] {
  return records.filter((record) => {
    const { v, comparator = 'eq' } = asked;
    return (
      (asked.publisher === undefined || record.publisher === asked.publisher) &&
      (asked.subtopic === undefined || record.subtopic === asked.subtopic) &&
      (asked.name === undefined || record.name === asked.name) &&
      (v === undefined || (record.value !== undefined && holds[comparator](record.value, v))) &&
      (asked.vs === undefined || record.string_value === asked.vs) &&
      (asked.vb === undefined || record.bool_value === asked.vb) &&
      (asked.vd === undefined || record.data_value === asked.vd) &&
      (asked.from === undefined || record.time >= asked.from) &&
      (asked.to === undefined || record.time <= asked.to)
    );
  });
}

const unitNanos: Record<string, bigint> = {
  microsecond: 1_000n,
  millisecond: 1_000_000n,
  second: 1_000_000_000n,
  minute: 60_000_000_000n,
  hour: 3_600_000_000_000n,
  day: 86_400_000_000_000n,
  week: 604_800_000_000_000n,
};

/** The start of a time's bucket in UTC. */
function bucketOf(time: bigint, interval: string, count: number): bigint {
  const size = unitNanos[interval];
  if (size !== undefined) {
    const anchor = interval === 'week' ? -3n * 86_400_000_000_000n : 0n;
    return time - floorMod(time - anchor, size * BigInt(count));
  }
  const date = new Date(Number(time / 1_000_000n));
  const months = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  const step = interval === 'year' ? 12 * count : count;
  const first = months - (((months % step) + step) % step);
  return BigInt(Date.UTC(1970, first, 1)) * 1_000_000n;
}

function floorMod(value: bigint, size: bigint): bigint {
  return ((value % size) + size) % size;
}

/** The aggregate of each bucket that has a number; every record counts. */
export function aggregate(
  records: readonly Published[],
  type: string,
  interval: string,
  count: number,
): Map<bigint, number> {
  const buckets = new Map<bigint, Published[]>();
  for (const record of records) {
    if (type !== 'count' && record.value === undefined) continue;
    const start = bucketOf(record.time, interval, count);
    buckets.set(start, [...(buckets.get(start) ?? []), record]);
  }
  return new Map([...buckets].map(([start, inside]) => [start, aggregateOf(type, inside)]));
}

function aggregateOf(type: string, records: Published[]): number {
  const values = records.map((record) => record.value ?? 0);
  const inOrder = records.toSorted((a, b) => compare(a, b)).map((record) => record.value ?? 0);
  const sum = values.reduce((all, value) => all + value, 0);
  switch (type) {
    case 'min':
      return Math.min(...values);
    case 'max':
      return Math.max(...values);
    case 'sum':
      return sum;
    case 'avg':
      return sum / values.length;
    case 'count':
      return values.length;
    case 'first':
      return inOrder[0] ?? Number.NaN;
    default:
      return inOrder.at(-1) ?? Number.NaN;
  }
}

function compare(a: Published, b: Published): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  if (a.publisher !== b.publisher) return a.publisher < b.publisher ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
