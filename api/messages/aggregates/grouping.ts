import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { messageTables } from '../../../schemas/messages/tables.ts';
import { jsonPaths, numberAt } from '../query/payload.ts';
import { jsonTime, senmlTime, type TimeFormat } from '../query/times.ts';
import type { Where } from '../query/where.ts';
import type { Aggregation } from './aggregation.ts';
import { bucketStart } from './intervals.ts';

/** A statement of buckets. Its columns: `start`, the labels, and a value for each field. */
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

/** Only numbers are aggregated; any record is counted. A bucket's labels are those of its newest record. */
function senmlBuckets(where: Where, aggregation: Aggregation): Buckets {
  const { type } = aggregation;
  const order = '(time, publisher, name)';
  const newest = (column: string) => `argMax(${column}, ${order})`;
  if (type !== 'count') where.add(`kind = 'value'`);
  return {
    labels: ['publisher', 'protocol', 'subtopic', 'name', 'unit'],
    values: [{ column: 'value0', label: undefined }],
    sql: `
      SELECT ${startOf('time', where, aggregation)} AS start,
             ${newest('publisher')} AS publisher, ${newest('protocol')} AS protocol,
             ${newest('subtopic')} AS subtopic, ${newest('toString(name)')} AS name,
             ${newest('unit')} AS unit,
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
    labels: ['publisher', 'protocol'],
    values: values.map(({ column, label }) => ({ column, label })),
    sql: `
      SELECT * FROM (
        SELECT ${startOf('created', where, aggregation)} AS start,
               argMax(publisher, ${order}) AS publisher,
               argMax(protocol, ${order}) AS protocol,
               ${values.map(({ selected }) => selected).join(', ')}
        FROM ${messageTables.json.name} WHERE ${where.text} GROUP BY start)
      WHERE ${values.map(({ column }) => `isNotNull(${column})`).join(' OR ')}`,
  };
}

function startOf(time: string, where: Where, { interval, count, zone }: Aggregation): string {
  const bound = zone === undefined ? undefined : where.bind('String', zone);
  return bucketStart(time, interval, count, bound);
}

/** `order` decides which record is the first and which is the last. */
function aggregateOf(type: Aggregation['type'], value: string, order: string): string {
  if (type === 'first') return `argMin(${value}, ${order})`;
  if (type === 'last') return `argMax(${value}, ${order})`;
  return `${type}(${value})`;
}

/** A bucket's JSON text, as SQL. In filled buckets a value that is missing is null, elsewhere it is left out. */
export function bucketText(format: MessageFormat, buckets: Buckets, times: TimeFormat): string {
  if (format === 'json') {
    return `
    concat('{"publisher":"', toString(publisher), '","protocol":', toJSONString(protocol),
           ',"created":', toJSONString(${jsonTime('start', times)}),
           ',"payload":', ${bucketPayload(buckets)}, '}')`;
  }
  const { time, type } = senmlTime('start', times);
  const end = buckets.filled === true ? `if(isNull(value0), ',"value":null}', '}')` : `'}'`;
  return `
    concat(
      replaceRegexpOne(toJSONString(CAST(
        tuple(publisher, protocol, nullIf(subtopic, ''), name, nullIf(unit, ''), ${time}, value0),
        'Tuple(publisher UUID, protocol String, subtopic Nullable(String), name String,
               unit Nullable(String), time ${type}, value Nullable(Float64))')), '}$', ''),
      ${end})`;
}

/** The payload of a JSON bucket, as SQL for JSON text. */
export function bucketPayload({ values, filled }: Buckets): string {
  const members = values.map(({ label, column }) => `${label}, ${column}`).join(', ');
  return filled === true
    ? `toJSONString(map(${members}))`
    : `toJSONString(mapFilter((name, value) -> isNotNull(value), map(${members})))`;
}
