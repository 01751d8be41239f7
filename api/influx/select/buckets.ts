import { DomainError } from '../../../schemas/http/errors.ts';
import { Where } from '../../messages/query/where.ts';
import type { Store } from '../../messages/store/store.ts';
import { limits } from '../../limits.ts';
import type { Fill, Order } from '../language/ast.ts';
import type { TimeRange } from '../model/points.ts';
import { filled, transformed, type CallPoint } from './fill.ts';
import type { Value } from './functions.ts';
import { cellValue, readRows } from './lines.ts';
import { type Call, type Interval, isSelector } from './plan.ts';
import type { SlotRow } from './rows.ts';
import { inSlices } from './slices.ts';
import {
  arePointsEnough,
  type Asked,
  callSql,
  cellSql,
  isRepeatedSql,
  pointsFrom,
  rowsFrom,
  selectedSql,
  selectedTimeSql,
  startSql,
} from './sql.ts';
import { startsBetween } from './windows.ts';

/** How the rows of an answer with aggregates are grouped and ordered. */
type Grouping = {
  interval: Interval | undefined;
  zone: string | undefined;
  fill: Fill;
  order: Order;
  /** Of the tags that the answer is grouped by. */
  seriesOrder: Order;
  /** The end of ranges that have none. */
  now: bigint;
};

/** The values of an interval: of each slot that has one. */
type Bucket = { tags: readonly string[]; time: bigint; values: (Value | undefined)[] };

/** Rows of the answer in the order of their series and times. */
export async function* readBuckets(
  store: Store,
  asked: Asked,
  grouping: Grouping,
): AsyncGenerator<readonly SlotRow[]> {
  let series: Bucket[] = [];
  for (const bucket of await bucketsOf(store, asked, grouping)) {
    if (series[0] !== undefined && !isOfSeries(series[0], bucket)) {
      yield* inSlices(rowsOfSeries(series, asked, grouping));
      series = [];
    }
    series.push(bucket);
  }
  yield* inSlices(rowsOfSeries(series, asked, grouping));
}

const isOfSeries = (one: Bucket, other: Bucket) =>
  one.tags.every((tag, at) => tag === other.tags[at]);

/** The buckets of an answer, which are no more than it can hold. */
async function bucketsOf(store: Store, asked: Asked, grouping: Grouping): Promise<Bucket[]> {
  const arePoints = arePointsEnough(asked.plan);
  return (
    (arePoints ? await readBucketsOf(store, asked, grouping, true) : undefined) ??
    (await readBucketsOf(store, asked, grouping, false)) ??
    []
  );
}

const noTags: readonly string[] = [];

/** Undefined: points are read, and one of them was stored again. */
async function readBucketsOf(
  store: Store,
  asked: Asked,
  grouping: Grouping,
  arePoints: boolean,
): Promise<Bucket[] | undefined> {
  const { plan, groupedBy } = asked;
  const where = new Where();
  const query = bucketsSql(where, asked, grouping, arePoints);
  const buckets: Bucket[] = [];
  const [tagsAt, valuesAt] = [2, 2 + groupedBy.length];
  for await (const rows of readRows(store, query, where.bound)) {
    for (const row of rows) {
      if (row[1] === 1) return undefined;
      let hasCall = false;
      const values = plan.slots.map((slot, at) => {
        const cell = row[valuesAt + at];
        if (slot.kind !== 'call') return cellValue(cell);
        const value = callValue(slot.call, cell);
        hasCall ||= value !== undefined;
        return value;
      });
      if (!hasCall) continue;
      const tags = valuesAt === tagsAt ? noTags : row.slice(tagsAt, valuesAt).map(String);
      buckets.push({ tags, time: BigInt(String(row[0])), values });
    }
  }
  return buckets;
}

function callValue({ aggregate }: Call, cell: unknown): Value | undefined {
  const name = aggregate?.name;
  if (name === 'count') return cell === 0 ? undefined : Number(cell);
  if (name === 'first' || name === 'last') return cellValue(cell) ?? undefined;
  if (name !== 'stddev') return typeof cell === 'number' ? cell : undefined;
  const [count, deviation]: unknown[] = Array.isArray(cell) ? cell : [];
  if (count === 0) return undefined;
  // Of one point there is none: that is written as null, but it is no gap.
  return typeof deviation === 'number' ? deviation : Number.NaN;
}

function bucketsSql(where: Where, asked: Asked, grouping: Grouping, arePoints: boolean): string {
  const { plan, groupedBy, tags } = asked;
  const { interval, order, seriesOrder } = grouping;
  const wider = { ...asked, range: widerRange(asked, grouping) };
  const { names, from } = arePoints ? pointsFrom(where, wider) : rowsFrom(where, wider);
  const groups = groupedBy.map((tag, at) => ({ name: `g${at}`, is: tags.value(where, tag) }));
  const named = [
    ...Object.entries(names).map(([name, is]) => ({ name, is })),
    { name: 'start', is: timeSql(where, asked, grouping) },
    ...groups,
  ];
  const read = [
    'toString(start)',
    arePoints ? isRepeatedSql : '0',
    ...groups.map(({ name }) => name),
    ...plan.slots.map((_slot, at) => slotSql(where, asked, grouping, at)),
  ];
  const grouped = [...groups.map(({ name }) => name), ...(interval === undefined ? [] : ['start'])];
  const ordered = grouped.map((key) => `${key} ${key === 'start' ? order : seriesOrder}`);
  return `
    WITH ${named.map(({ name, is }) => `${is} AS ${name}`).join(', ')}
    SELECT ${read.join(', ')} FROM ${from}
    ${grouped.length === 0 ? '' : `GROUP BY ${grouped.join(', ')} ORDER BY ${ordered.join(', ')}`}
    LIMIT ${limits.influxRowsMax + 1}`;
}

/** The time of a row: the begin of its interval, of the range, or that of the point that is chosen. */
function timeSql(where: Where, { plan, range }: Asked, { interval, zone }: Grouping): string {
  if (interval !== undefined) return startSql(where, 'time', interval, zone);
  const selector = onlySelector(plan.slots);
  if (selector?.aggregate !== undefined)
    return selectedTimeSql(where, selector, selector.aggregate);
  return where.bind('Int64', String(range.from ?? 0n));
}

/** The selector of a statement that has no other call. */
function onlySelector(slots: Asked['plan']['slots']): Call | undefined {
  const [first, ...others] = callsOf(slots);
  return first !== undefined && others.length === 0 && isSelector(first) ? first : undefined;
}

const callsOf = (slots: Asked['plan']['slots']): Call[] =>
  slots.flatMap((slot) => (slot.kind === 'call' ? [slot.call] : []));

function slotSql(where: Where, asked: Asked, grouping: Grouping, at: number): string {
  const { plan, range, tags } = asked;
  const slot = plan.slots[at];
  if (slot?.kind === 'call' && slot.call.aggregate !== undefined) {
    const { call } = slot;
    const own = rangeOfCall(range, call, grouping);
    const widest = widerRange(asked, grouping);
    const isNarrow = own.from !== widest.from || own.to !== widest.to;
    return callSql(where, call, slot.call.aggregate, isNarrow ? own : {});
  }
  const selector = onlySelector(plan.slots);
  if (selector?.aggregate === undefined || slot === undefined || slot.kind === 'call') return `''`;
  const what = slot.kind === 'tag' ? tags.value(where, slot.tag) : cellSql(slot.field);
  return selectedSql(where, selector, selector.aggregate, what);
}

/** The intervals before the first one that a function looks at: as in InfluxDB one, whatever its window. */
function extraIntervals({ transform }: Call): bigint {
  return transform === undefined || transform.name === 'cumulative_sum' ? 0n : 1n;
}

function rangeOfCall(range: TimeRange, call: Call, { interval, order }: Grouping): TimeRange {
  const extra = extraIntervals(call) * (interval?.length ?? 0n);
  if (order === 'desc')
    return { ...range, to: range.to === undefined ? undefined : range.to + extra };
  return { ...range, from: range.from === undefined ? undefined : range.from - extra };
}

/** The range of all calls. */
function widerRange({ plan, range }: Asked, grouping: Grouping): TimeRange {
  const ranges = callsOf(plan.slots).map((call) => rangeOfCall(range, call, grouping));
  return ranges.reduce(
    (widest, { from, to }) => ({
      from:
        from === undefined || widest.from === undefined || from > widest.from ? widest.from : from,
      to: to === undefined || widest.to === undefined || to < widest.to ? widest.to : to,
    }),
    range,
  );
}

function rowsOfSeries(series: readonly Bucket[], asked: Asked, grouping: Grouping): SlotRow[] {
  const [first] = series;
  if (first === undefined) return [];
  const { slots } = asked.plan;
  const pointsOf = slots.map((slot, at) =>
    slot.kind === 'call' ? callPoints(series, slot.call, at, asked, grouping) : [],
  );
  const [only = []] = pointsOf;
  if (slots.length === 1) {
    return only.map(({ time, value }) => ({ tags: first.tags, time, slots: [value] }));
  }
  const { fill } = grouping;
  const absent = slots.map((slot) =>
    slot.kind === 'call' && slot.call.transform === undefined && fill.kind === 'number'
      ? isCount(slot.call)
        ? Math.trunc(fill.value)
        : fill.value
      : null,
  );
  const byTime = new Map<bigint, Value[]>();
  for (const [at, points] of pointsOf.entries()) {
    for (const { time, value } of points) {
      const values = byTime.get(time) ?? [...absent];
      values[at] = value;
      byTime.set(time, values);
    }
  }
  putOthers(series, slots, byTime);
  const isDescending = grouping.order === 'desc';
  // Those of one call are in order already.
  const times = [...byTime.keys()];
  if (callsOf(slots).length > 1) times.sort((a, b) => (a < b === isDescending ? 1 : -1));
  return times.map((time) => ({ tags: first.tags, time, slots: byTime.get(time) ?? [] }));
}

const isCount = ({ aggregate }: Call) => aggregate?.name === 'count';

/** Fields and tags beside a selector. */
function putOthers(
  series: readonly Bucket[],
  slots: Asked['plan']['slots'],
  byTime: ReadonlyMap<bigint, Value[]>,
): void {
  for (const [at, slot] of slots.entries()) {
    if (slot.kind === 'call') continue;
    for (const { time, values } of series) {
      const row = byTime.get(time);
      if (row !== undefined) row[at] = values[at] ?? null;
    }
  }
}

/** The values of one call in a series, in the order of the answer: with gaps filled, and after its function. */
function callPoints(
  series: readonly Bucket[],
  call: Call,
  at: number,
  { range, plan }: Asked,
  grouping: Grouping,
): CallPoint[] {
  const { interval, fill } = grouping;
  const points: CallPoint[] = [];
  for (const { time, values } of series) {
    const value = values[at];
    if (value !== undefined) points.push({ time, value });
  }
  const all =
    interval === undefined || fill.kind === 'none'
      ? points
      : withoutGaps(points, call, interval, { range, plan }, grouping);
  return call.transform === undefined || interval === undefined
    ? all
    : transformed(all, call.transform);
}

function withoutGaps(
  points: readonly CallPoint[],
  call: Call,
  interval: Interval,
  { range, plan }: Pick<Asked, 'range' | 'plan'>,
  grouping: Grouping,
): CallPoint[] {
  const { fill, zone, order, now } = grouping;
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isDescending = order === 'desc';
  const own = rangeOfCall(range, call, grouping);
  const earliest = isDescending ? last.time : first.time;
  const bounds = { from: own.from ?? earliest, to: own.to ?? now };
  const calls = callsOf(plan.slots).length;
  const most = Math.floor(limits.influxRowsMax / calls) + Number(extraIntervals(call)) + 1;
  const starts = startsBetween(bounds, interval, zone, { most, isDescending });
  // Of one call the answer has the first ones, and says that it is cut.
  if (calls > 1 && starts.length === most) {
    const problem = `more than ${limits.influxRowsMax} intervals of ${calls} functions`;
    throw new DomainError('malformed', problem);
  }
  const inOrder = isDescending ? starts.toReversed() : starts;
  return filled(points, inOrder, { fill, isCount: isCount(call), isDescending });
}
