import type { Where } from '../../messages/query/where.ts';
import { kindCodes, pointsOf, recordPointsOf, type TimeRange } from '../model/points.ts';
import type { Scope } from '../model/scope.ts';
import type { Source } from '../model/source.ts';
import type { Tags } from '../model/tags.ts';
import { limits } from '../../limits.ts';
import { hasFields, requiredOf, type Test } from './condition.ts';
import type { Aggregate, Call, Interval, Plan } from './plan.ts';

/** The rows of a measurement that a statement is about. */
export type Asked = {
  scope: Scope;
  source: Source;
  tags: Tags;
  plan: Plan;
  range: TimeRange;
  /** Keys of the tags that the answer is grouped by. */
  groupedBy: readonly string[];
};

/**
 * SQL of rows: all that stands at one time in one series. Columns: `time`, `publisher`, `subtopic`, `unit`, and for each
 * field its kind `k0`, `k1`, … (0: it has no value), its number `v0` and its text `t0`. As in InfluxDB the value that was
 * stored last counts.
 */
export function rowsSql(where: Where, asked: Asked): string {
  const { plan } = asked;
  const last = plan.fields.map(
    (_field, at) => `argMaxIf((kind, value, text), place, field = ${at}) AS f${at}`,
  );
  const cells = plan.fields.map(
    (_field, at) => `f${at}.1 AS k${at}, f${at}.2 AS v${at}, f${at}.3 AS t${at}`,
  );
  const test = rowTest(where, asked);
  return `
    SELECT time, publisher, subtopic, unit, ${cells.join(', ')} FROM (
      SELECT time, publisher, subtopic, unit, ${last.join(', ')}
      FROM (${pointsSql(where, asked)})
      GROUP BY publisher, subtopic, unit, time)
    ${test === undefined ? '' : `WHERE ${test}`}`;
}

/** Whether aggregates of points are those of rows, where no point was stored again. */
export const arePointsEnough = ({ fields, slots, test }: Plan): boolean =>
  fields.length === 1 ||
  ((test === undefined || !hasFields(test)) && slots.every(({ kind }) => kind !== 'field'));

/** Rows as one SELECT reads them: expressions by their names, and SQL of where their columns are from. */
type RowsFrom = { names: Readonly<Record<string, string>>; from: string };

/** The rows of `rowsSql`. */
export const rowsFrom = (where: Where, asked: Asked): RowsFrom => ({
  names: {},
  from: `(${rowsSql(where, asked)})`,
});

/**
 * Points with the columns of rows: each has the value of one field. For a seventh of the time that rows take. `point` of
 * them tells points apart; it is null after the first `influxCheckedPointsMax`. Where they are records of the store
 * alone, no SELECT is within another: ClickHouse takes longer to analyse that than to read a thousand points.
 */
export function pointsFrom(where: Where, asked: Asked): RowsFrom {
  const { fields } = asked.plan;
  const records =
    asked.source.json === undefined
      ? recordPointsOf(where, asked.scope, asked.source, pointsAsked(where, asked))
      : undefined;
  const { field, kind } = records?.columns ?? { field: 'field', kind: 'kind' };
  const cells = fields.map((_field, at) => [
    [`k${at}`, fields.length === 1 ? kind : `if(field = ${at}, ${kind}, 0)`],
    [`v${at}`, 'value'],
    [`t${at}`, 'text'],
  ]);
  const test = rowTest(where, asked);
  const tested = test === undefined ? 'true' : test;
  const names = {
    ...(fields.length === 1 || records === undefined ? {} : { field }),
    ...Object.fromEntries(cells.flat()),
    point: pointSql(fields.length),
  };
  return {
    names,
    from:
      records === undefined
        ? `(${pointsSql(where, asked)}) WHERE ${tested}`
        : `${records.from} AND ${tested}`,
  };
}

function pointSql(fieldCount: number): string {
  const parts = ['publisher', 'subtopic', 'unit', ...(fieldCount === 1 ? [] : ['field']), 'time'];
  return `if(rowNumberInAllBlocks() < ${limits.influxCheckedPointsMax}, cityHash64(${parts.join(', ')}), NULL)`;
}

/** SQL of whether a point among these was stored again. For half of the time that `uniqExact` takes. */
export const isRepeatedSql = 'count(point) != arrayUniq(groupArray(point))';

/** SQL of a field's cell, as `cellValue` reads it. */
export const cellSql = (field: number): string => `(k${field}, v${field}, t${field})`;

/** Whether the condition is one on tags alone, which points are chosen by. */
export const isOfTags = ({ test }: Plan): boolean => test === undefined || !hasFields(test);

/** SQL of the points of the fields, whose tags fulfil what the condition requires of tags. */
export const pointsSql = (where: Where, asked: Points): string =>
  pointsOf(where, asked.scope, asked.source, pointsAsked(where, asked));

type Points = Pick<Asked, 'scope' | 'source' | 'plan' | 'range' | 'tags'>;

function pointsAsked(where: Where, { plan, range, tags }: Points) {
  const required = plan.test === undefined ? [] : requiredOf(plan.test);
  const within = required
    .filter((test) => !hasFields(test))
    .map((test) => testSql(where, tags, test));
  return {
    fields: plan.fields,
    range,
    within: within.length === 0 ? 'true' : within.join(' AND '),
  };
}

/** The conditions that need fields. */
function rowTest(where: Where, { plan, tags }: Asked): string | undefined {
  const required = plan.test === undefined ? [] : requiredOf(plan.test);
  const rest = required.filter(hasFields).map((test) => testSql(where, tags, test));
  return rest.length === 0 ? undefined : rest.join(' AND ');
}

/** SQL of a condition; of fields over the columns of `rowsSql`. */
export function testSql(where: Where, tags: Tags, test: Test): string {
  switch (test.kind) {
    case 'constant':
      return test.holds ? 'true' : 'false';
    case 'tag':
      return `(${tags.test(where, test.test)})`;
    case 'field':
      return `(${fieldTest(where, test)})`;
    case 'all':
    case 'any': {
      const parts = test.tests.map((one) => testSql(where, tags, one));
      return `(${parts.join(test.kind === 'all' ? ' AND ' : ' OR ')})`;
    }
    default:
      return test satisfies never;
  }
}

/** A field that has no value, or one of another kind, passes no test. */
function fieldTest(
  where: Where,
  { field, operator, value }: Extract<Test, { kind: 'field' }>,
): string {
  const [kindOf, number, text] = [`k${field}`, `v${field}`, `t${field}`];
  if (operator === '=~' || operator === '!~') {
    const is = `match(${text}, ${where.bind('String', String(value))})`;
    return `${kindOf} = ${kindCodes.string} AND ${operator === '!~' ? `NOT ${is}` : is}`;
  }
  if (typeof value === 'string') {
    return `${kindOf} = ${kindCodes.string} AND ${text} ${operator} ${where.bind('String', value)}`;
  }
  const kind = typeof value === 'number' ? kindCodes.value : kindCodes.bool;
  return `${kindOf} = ${kind} AND ${number} ${operator} ${where.bind('Float64', Number(value))}`;
}

/** SQL of the begin of a time's interval, as InfluxDB finds it: in the local time of a zone, if there is one. */
export function startSql(
  where: Where,
  time: string,
  { length, offset }: Interval,
  zone: string | undefined,
): string {
  const size = where.bind('Int64', String(length));
  const shifted = `(${time} - ${where.bind('Int64', String(offset))})`;
  if (zone === undefined) return `${time} - positiveModulo(${shifted}, ${size})`;
  const name = where.bind('String', zone);
  const offsetOf = (at: string) =>
    `(toInt64(timezoneOffset(fromUnixTimestamp64Nano(${at}, ${name}))) * 1000000000)`;
  const local = offsetOf(shifted);
  const start = `(${time} - positiveModulo(${shifted} + ${local}, ${size}))`;
  const step = `(${local} - ${offsetOf(start)})`;
  return `${start} + if(abs(${step}) < ${size}, ${step}, 0)`;
}

/** Which values an aggregate takes: those of one field that are of its kind, and in its range. */
function taken(
  where: Where,
  call: Pick<Call, 'field'>,
  isNumber: boolean,
  range: TimeRange,
): string {
  const kind = `k${call.field}`;
  const { from, to } = range;
  return [
    isNumber ? `${kind} = ${kindCodes.value}` : `${kind} != 0`,
    ...(from === undefined ? [] : [`time >= ${where.bind('Int64', String(from))}`]),
    ...(to === undefined ? [] : [`time <= ${where.bind('Int64', String(to))}`]),
  ].join(' AND ');
}

/** The column of a call's value, by the fields of a row. `range` is told where that of the rows is wider. */
export function callSql(
  where: Where,
  call: Pick<Call, 'field'>,
  aggregate: Aggregate,
  range: TimeRange,
): string {
  const value = `v${call.field}`;
  const isNumber = taken(where, call, true, range);
  switch (aggregate.name) {
    case 'count': {
      const isThere = taken(where, call, false, range);
      return aggregate.distinct
        ? `uniqExactIf(${cellSql(call.field)}, ${isThere})`
        : `countIf(${isThere})`;
    }
    case 'mean':
      return `avgOrNullIf(${value}, ${isNumber})`;
    case 'sum':
      return `sumOrNullIf(${value}, ${isNumber})`;
    case 'min':
      return `minOrNullIf(${value}, ${isNumber})`;
    case 'max':
      return `maxOrNullIf(${value}, ${isNumber})`;
    case 'spread':
      return `maxOrNullIf(${value}, ${isNumber}) - minOrNullIf(${value}, ${isNumber})`;
    case 'median':
      return `quantileExactInclusiveOrNullIf(0.5)(${value}, ${isNumber})`;
    case 'stddev':
      return `(countIf(${isNumber}), stddevSampStableIf(${value}, ${isNumber}))`;
    case 'percentile':
      return `${percentilePoint(where, call, aggregate, range)}.1`;
    case 'first':
    case 'last':
      return selectedSql(where, call, aggregate, cellSql(call.field), range);
    default:
      return aggregate.name satisfies never;
  }
}

/** SQL of something at the point that a selector chooses; of points at one time it is the one with the greater value. */
export function selectedSql(
  where: Where,
  call: Pick<Call, 'field'>,
  { name }: Aggregate,
  what: string,
  range: TimeRange = {},
): string {
  const value = `v${call.field}`;
  const [isNumber, isThere] = [true, false].map((number) => taken(where, call, number, range));
  if (name === 'min') return `argMinIf(${what}, (${value}, time), ${isNumber})`;
  if (name === 'max') return `argMaxIf(${what}, (${value}, -time), ${isNumber})`;
  return name === 'first'
    ? `argMinIf(${what}, (time, -${value}), ${isThere})`
    : `argMaxIf(${what}, (time, ${value}), ${isThere})`;
}

/** SQL of the time of the point that the only selector of a statement chooses. */
export function selectedTimeSql(where: Where, call: Pick<Call, 'field'>, of: Aggregate): string {
  return of.name === 'percentile'
    ? `${percentilePoint(where, call, of, {})}.2`
    : selectedSql(where, call, of, 'time');
}

/** A tuple of the value, or null where so small a part of the points is none, and its time. */
function percentilePoint(
  where: Where,
  call: Pick<Call, 'field'>,
  { percent }: Aggregate,
  range: TimeRange,
): string {
  const points = `arraySort(groupArrayIf((v${call.field}, time), ${taken(where, call, true, range)}))`;
  const part = where.bind('Float64', percent / 100);
  const at = `toInt64(floor(length(points) * ${part} + 0.5))`;
  return `arrayMap(points -> if(${at} BETWEEN 1 AND length(points),
    (toNullable(points[${at}].1), points[${at}].2), (NULL, toInt64(0))), [${points}])[1]`;
}
