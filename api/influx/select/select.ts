import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import type { Store } from '../../messages/store/store.ts';
import type { Database } from '../../stores/database.ts';
import type { Batches, Row, SeriesHead } from '../answers/result.ts';
import type { Expression, Select } from '../language/ast.ts';
import type { Scope } from '../model/scope.ts';
import { findSource } from '../model/source.ts';
import { tagsOf } from '../model/tags.ts';
import { readThings } from '../model/things.ts';
import { findFieldKeys, findMeasurements, findTagKeys } from '../show/keys.ts';
import type { Look } from '../show/look.ts';
import { matching } from '../show/matching.ts';
import { readBuckets } from './buckets.ts';
import { requiredOf, tagTestsOf } from './condition.ts';
import { expandedFields, groupTags, type Names, needsNames } from './names.ts';
import { type Interval, type Plan, planOf } from './plan.ts';
import { takeRange, timeOf } from './range.ts';
import { readRaw } from './raw.ts';
import type { SlotRow } from './rows.ts';
import type { Asked } from './sql.ts';

type SelectContext = {
  db: Database;
  store: Store;
  scope: Scope;
  /** Nanoseconds since 1970. */
  now: bigint;
};

/** A statement as it is before anything is looked up. */
type Framed = {
  statement: Select;
  now: bigint;
  range: Asked['range'];
  condition: Expression | undefined;
  interval: Interval | undefined;
};

/**
 * Reads the range of time and the intervals of a SELECT.
 *
 * @throws DomainError `malformed` in InfluxDB's words
 */
function framedBy(statement: Select, now: bigint): Framed {
  const { condition, zone } = statement;
  const { range, rest } = takeRange(condition, { now, zone });
  const interval = intervalOf(statement, now);
  // As in InfluxDB: the intervals of a range without an end go on until now.
  const to = range.to ?? (interval === undefined ? undefined : now);
  return { statement, now, range: { ...range, to }, condition: rest, interval };
}

/**
 * Refuses a SELECT of too many intervals before anything is read. Other faults are told when it is carried out.
 *
 * @throws DomainError `malformed`
 */
export function checkIntervals(statement: Select, now: bigint): void {
  let framed: Framed;
  try {
    framed = framedBy(statement, now);
  } catch {
    return;
  }
  mustHaveFewIntervals(framed);
}

function intervalOf({ dimensions, zone }: Select, now: bigint): Interval | undefined {
  const [call, ...others] = dimensions.filter((one) => one.kind === 'call' || isTime(one));
  if (call === undefined) return undefined;
  if (call.kind !== 'call') {
    throw refused('time() is a function and expects at least one argument');
  }
  if (call.name !== 'time') throw refused('only time() calls allowed in dimensions');
  if (others.length > 0) throw refused('multiple time dimensions not allowed');
  const [length, offset, ...more] = call.arguments;
  if (length === undefined || more.length > 0) {
    throw refused('time dimension expected 1 or 2 arguments');
  }
  if (length.kind !== 'duration') throw refused('time dimension must have duration argument');
  if (length.nanoseconds <= 0n) return undefined;
  return {
    length: length.nanoseconds,
    offset: offset === undefined ? 0n : timeOf(offset, { now, zone }) % length.nanoseconds,
  };
}

const isTime = (one: Expression) => one.kind === 'reference' && one.name.toLowerCase() === 'time';

const refused = (problem: string) => new DomainError('malformed', problem);

function mustHaveFewIntervals({ range: { from, to }, interval }: Framed): void {
  if (from === undefined || to === undefined || interval === undefined || from > to) return;
  const count = (to - from) / interval.length;
  if (count > BigInt(limits.influxIntervalsMax)) {
    throw refused(
      `more than ${limits.influxIntervalsMax} intervals: (${count}/${limits.influxIntervalsMax})`,
    );
  }
}

/** The rows of a SELECT. @throws DomainError `malformed` in InfluxDB's words */
export async function* select(
  context: SelectContext,
  statement: Select,
): AsyncGenerator<readonly Row[]> {
  const framed = framedBy(statement, context.now);
  mustHaveFewIntervals(framed);
  const { from, to } = framed.range;
  if (from !== undefined && to !== undefined && from > to) return;
  let count = 0;
  // The last row of an answer tells whether it is cut.
  let held: readonly Row[] = [];
  for (const measurement of await measurementsOf(context, framed)) {
    for await (const rows of rowsOf(context, framed, measurement)) {
      if (rows.length === 0) continue;
      count += rows.length;
      const over = count - limits.influxRowsMax;
      if (over > 0) {
        yield cutAfter([...held, ...rows.slice(0, rows.length - over)]);
        return;
      }
      yield held;
      held = rows;
    }
  }
  yield held;
}

const cutAfter = (rows: readonly Row[]): Row[] =>
  rows.map((row, at) => (at === rows.length - 1 ? { ...row, isCut: true } : row));

const lookIn = (
  context: SelectContext,
  { range }: Framed,
  measurements: Look['measurements'],
): Look => ({
  ...context,
  range,
  measurements,
  test: undefined,
});

async function measurementsOf(context: SelectContext, framed: Framed): Promise<string[]> {
  const { sources } = framed.statement;
  const names = sources.flatMap(({ measurement }) =>
    measurement.kind === 'name' ? [measurement.name] : [],
  );
  const patterns = sources.flatMap(({ measurement }) =>
    measurement.kind === 'regex' ? [measurement] : [],
  );
  const found =
    patterns.length === 0 ? [] : await findMeasurements(lookIn(context, framed, patterns));
  const all = [...new Set([...names, ...found])].toSorted();
  if (all.length > limits.influxMeasurementsMax) {
    throw refused(`more than ${limits.influxMeasurementsMax} measurements`);
  }
  return framed.statement.order === 'desc' ? all.toReversed() : all;
}

async function* rowsOf(
  context: SelectContext,
  framed: Framed,
  measurement: string,
): AsyncGenerator<readonly Row[]> {
  const { statement, condition, interval } = framed;
  const names = needsNames(statement, condition)
    ? await namesOf(context, lookIn(context, framed, [{ kind: 'name', name: measurement }]))
    : undefined;
  const dimensions = statement.dimensions.filter(({ kind }) => kind !== 'call');
  const groupedBy = await groupTags(dimensions, names);
  const fields = await expandedFields(statement.fields, names, groupedBy);
  if (fields.length === 0) return;
  if (fields.length > limits.influxColumnsMax) {
    throw refused(`more than ${limits.influxColumnsMax} columns`);
  }
  const plan = planOf(fields, condition, interval, names);
  if (plan.slots.every(({ kind }) => kind === 'tag')) return;
  const asked = await askedFor(context, framed, measurement, plan, groupedBy);
  const batches = answered(framed, asked, slotRows(context.store, framed, asked));
  const { order, seriesLimit, seriesOffset } = statement;
  yield* order === 'desc' && seriesLimit + seriesOffset > 0 ? lastSeriesFirst(batches) : batches;
}

async function namesOf({ store }: SelectContext, look: Look): Promise<Names> {
  const [fields, tags] = [await findFieldKeys(look), await findTagKeys(look)];
  return {
    fields: [...fields.values()].flat(),
    tags: [...tags.values()].flat(),
    matching: (names, pattern) => matching(store, names, pattern),
  };
}

async function askedFor(
  { db, scope }: SelectContext,
  { range }: Framed,
  measurement: string,
  plan: Plan,
  groupedBy: readonly string[],
): Promise<Asked> {
  const tests = plan.test === undefined ? [] : tagTestsOf(plan.test);
  const required = plan.test === undefined ? [] : requiredOf(plan.test);
  const shown = plan.slots.flatMap((slot) => (slot.kind === 'tag' ? [slot.tag] : []));
  const [things, source] = await Promise.all([
    readThings(db, scope, {
      tests,
      required: required.flatMap((test) => (test.kind === 'tag' ? [test.test] : [])),
      shown: [...shown, ...groupedBy],
    }),
    findSource(db, scope, measurement),
  ]);
  return { scope, source, tags: tagsOf(scope, things), plan, range, groupedBy };
}

function slotRows(
  store: Store,
  { statement, interval, now }: Framed,
  asked: Asked,
): Batches<SlotRow> {
  const { order, zone, fill, limit, offset, seriesLimit, seriesOffset } = statement;
  // As in InfluxDB, series are chosen in ascending order.
  const seriesOrder = seriesLimit + seriesOffset > 0 ? 'asc' : order;
  const isAggregated = asked.plan.slots.some(
    (slot) => slot.kind === 'call' && slot.call.aggregate !== undefined,
  );
  return isAggregated
    ? readBuckets(store, asked, { interval, zone, fill, order, seriesOrder, now })
    : readRaw(store, asked, {
        order,
        seriesOrder,
        rowsPerSeries: limit === 0 ? undefined : limit + offset,
      });
}

/** Holds all rows, of which an answer has a bounded number. */
async function* lastSeriesFirst(batches: Batches): AsyncGenerator<readonly Row[]> {
  const held: Row[] = [];
  for await (const rows of batches) {
    held.push(...rows.slice(0, limits.influxRowsMax + 1 - held.length));
  }
  const series = Map.groupBy(held, (row) => row.series);
  yield* [...series.values()].toReversed();
}

/** Makes rows of the answer, without those and the series that LIMIT, OFFSET, SLIMIT and SOFFSET leave out. */
async function* answered(
  { statement }: Framed,
  { plan, groupedBy, source }: Asked,
  batches: Batches<SlotRow>,
): AsyncGenerator<Row[]> {
  const { limit, offset, seriesLimit, seriesOffset, zone } = statement;
  const columns = [plan.timeColumn, ...plan.columns.map(({ name }) => name)];
  let open: { head: SeriesHead; tags: readonly string[] } | undefined;
  let [seriesCount, rowCount] = [0, 0];
  for await (const rows of batches) {
    const made: Row[] = [];
    let isOver = false;
    for (const { tags, time, slots } of rows) {
      if (open === undefined || open.tags.some((tag, at) => tag !== tags[at])) {
        seriesCount += 1;
        isOver = seriesLimit > 0 && seriesCount > seriesOffset + seriesLimit;
        if (isOver) break;
        rowCount = 0;
        const pairs = groupedBy.map((key, at) => [key, tags[at] ?? ''] as const);
        open = { tags, head: { name: source.measurement, tags: pairs, columns, zone } };
      }
      rowCount += 1;
      if (seriesCount <= seriesOffset || rowCount <= offset) continue;
      if (limit > 0 && rowCount > offset + limit) {
        // The only series there is.
        isOver = groupedBy.length === 0;
        if (isOver) break;
        continue;
      }
      const values = plan.columns.map(({ value }) => value(slots));
      made.push({ series: open.head, time, values: JSON.stringify(values) });
    }
    yield made;
    if (isOver) return;
  }
}
