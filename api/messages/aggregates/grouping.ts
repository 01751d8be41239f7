import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { messageTables } from '../../../schemas/messages/tables.ts';
import { addName } from '../query/conditions.ts';
import { jsonPaths, numberAt } from '../query/payload.ts';
import { jsonTime, senmlTime, type TimeFormat } from '../query/times.ts';
import type { Where } from '../query/where.ts';
import type { Aggregation } from './aggregation.ts';
import { bucketStart } from './intervals.ts';

/** A statement of buckets. Its columns: `start`, the labels, which may be null, and a value for each field. */
export type Buckets = {
  sql: string;
  labels: readonly string[];
  /** `label` is the placeholder of the field's name in a payload. */
  values: readonly { column: string; label: string | undefined }[];
  /** True if gaps are filled: then a value may be null. */
  filled?: true;
};

/** Buckets of messages as they are, without filled gaps. Binds what it needs to `where`. */
export function groupedBuckets(
  format: MessageFormat,
  where: Where,
  aggregation: Aggregation,
): Buckets {
  return format === 'senml' ? senmlBuckets(where, aggregation) : jsonBuckets(where, aggregation);
}

/** The labels that all messages of a bucket have in common: null where they differ. */
const common = (labels: readonly string[]) =>
  labels.map((label) => `singleValueOrNull(${label}) AS ${label}`).join(', ');

const senmlLabels = ['publisher', 'protocol', 'subtopic', 'name', 'unit'];
const jsonLabels = ['publisher', 'protocol', 'subtopic'];

/** Only numbers are aggregated; any record is counted. */
function senmlBuckets(where: Where, aggregation: Aggregation): Buckets {
  const { type } = aggregation;
  const order = '(time, publisher, name)';
  if (type !== 'count') where.add(`kind = 'value'`);
  addName(where, aggregation.fields);
  return {
    labels: senmlLabels,
    values: [{ column: 'value0', label: undefined }],
    sql: `
      SELECT ${startOf('time', where, aggregation)} AS start, ${common(senmlLabels)},
             CAST(${aggregateOf(type, 'value', order)}, 'Nullable(Float64)') AS value0
      FROM ${messageTables.senml.name} WHERE ${where.text} GROUP BY start`,
  };
}

/** A bucket without any of the fields is left out. */
function jsonBuckets(where: Where, aggregation: Aggregation): Buckets {
  const { type, fields } = aggregation;
  const order = '(created, publisher)';
  const values = fields.map((field, at) => {
    const aggregate = aggregateOf(type, numberAt(jsonPaths(where, field)), order);
    const value = type === 'count' ? `nullIf(${aggregate}, 0)` : aggregate;
    const column = `value${at}`;
    return {
      column,
      label: where.bind('String', field),
      selected: `CAST(${value}, 'Nullable(Float64)') AS ${column}`,
    };
  });
  return {
    labels: jsonLabels,
    values: values.map(({ column, label }) => ({ column, label })),
    sql: `
      SELECT * FROM (
        SELECT ${startOf('created', where, aggregation)} AS start,
               ${common(jsonLabels)},
               ${values.map(({ selected }) => selected).join(', ')}
        FROM ${messageTables.json.name} WHERE ${where.text} GROUP BY start)
      WHERE ${values.map(({ column }) => `isNotNull(${column})`).join(' OR ')}`,
  };
}

/** SQL for the start of a time's bucket. */
export function startOf(
  time: string,
  where: Where,
  { interval, count, zone }: Aggregation,
): string {
  const bound = zone === undefined ? undefined : where.bind('String', zone);
  return bucketStart(time, interval, count, bound);
}

/** `order` decides which record is the first and which is the last. */
export function aggregateOf(type: Aggregation['type'], value: string, order: string): string {
  if (type === 'first') return `argMin(${value}, ${order})`;
  if (type === 'last') return `argMax(${value}, ${order})`;
  return `${type}(${value})`;
}

/** A bucket's JSON text, as SQL. In filled buckets a value that is missing is null, elsewhere it is left out. */
export function bucketText(format: MessageFormat, buckets: Buckets, times: TimeFormat): string {
  if (format === 'json') {
    return `
    concat('{', ${buckets.labels.map(jsonMember).join(', ')},
           '"created":', toJSONString(${jsonTime('start', times)}),
           ',"payload":', ${bucketPayload(buckets)}, '}')`;
  }
  const { time, type } = senmlTime('start', times);
  const end = buckets.filled === true ? `if(isNull(value0), ',"value":null}', '}')` : `'}'`;
  return `
    concat(
      replaceRegexpOne(toJSONString(CAST(
        tuple(publisher, protocol, nullIf(subtopic, ''), name, nullIf(unit, ''), ${time}, value0),
        'Tuple(publisher Nullable(UUID), protocol Nullable(String), subtopic Nullable(String),
               name Nullable(String), unit Nullable(String), time ${type},
               value Nullable(Float64))')), '}$', ''),
      ${end})`;
}

/** A member of a JSON text and a comma, or nothing. */
function jsonMember(label: string): string {
  const text = `ifNull(toString(${label}), '')`;
  return `if(${text} = '', '', concat('"${label}":', toJSONString(${text}), ','))`;
}

/** The payload of a JSON bucket, as SQL for JSON text. */
function bucketPayload({ values, filled }: Buckets): string {
  const members = values.map(({ label, column }) => `${label}, ${column}`).join(', ');
  return filled === true
    ? `toJSONString(map(${members}))`
    : `toJSONString(mapFilter((name, value) -> isNotNull(value), map(${members})))`;
}

/** Buckets with the columns of a table of messages. */
export function bucketsAsMessages(format: MessageFormat, buckets: Buckets): string {
  return format === 'senml'
    ? `SELECT *, start AS time, 'value' AS kind, value0 AS value, '' AS text,
              CAST(NULL, 'Nullable(Float64)') AS sum, CAST(NULL, 'Nullable(Float64)') AS update_time
       FROM (${buckets.sql})`
    : `SELECT *, start AS created, ${bucketPayload(buckets)} AS payload FROM (${buckets.sql})`;
}
