import { DomainError } from '../../../schemas/http/errors.ts';
import type { ExportAsked, ReadAsked } from '../../../schemas/messages/query.ts';
import { bucketStart, isWithin64Bits } from './buckets.ts';
import { fillGaps } from './gaps.ts';
import { jsonPaths, type Where } from '../query/conditions.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { numberAt } from '../query/payload.ts';
import type { Store } from '../store/store.ts';
import { jsonTime, senmlTime, type TimeFormat } from '../query/times.ts';

/** What is made of the messages of each bucket. */
export type Aggregation = {
  type: NonNullable<ReadAsked['agg_type']>;
  interval: NonNullable<ReadAsked['agg_interval']>;
  count: number;
  /** Of a payload; SenML aggregates `value`. */
  fields: readonly string[];
  fill: NonNullable<ReadAsked['agg_fill']>;
  zone: string | undefined;
};

/** A query of buckets: `start`, whose they are, and a value for each field. */
export type Buckets = {
  query: string;
  labels: readonly string[];
  /** `label` is the placeholder of the field's name in a payload. */
  values: readonly { column: string; label: string | undefined }[];
  filled?: true;
};

/** The members that are aggregated or drawn, each once. */
export function fieldsOf(asked: ReadAsked | ExportAsked): string[] {
  const one = asked.agg_field ?? [];
  const more = 'agg_fields' in asked ? (asked.agg_fields ?? []) : [];
  return [...new Set([one, more].flat())].filter((field) => field !== '');
}

/** @throws DomainError `malformed` for an aggregation that is not whole. */
export function aggregationOf(
  format: MessageFormat,
  asked: ReadAsked | ExportAsked,
): Aggregation | undefined {
  const { agg_type: type, agg_interval: interval, agg_value: count, tz } = asked;
  if (type === undefined && interval === undefined) return undefined;
  if (type === undefined) throw new DomainError('malformed', 'agg_type is missing');
  if (interval === undefined) throw new DomainError('malformed', 'agg_interval is missing');
  if ('cursor' in asked && asked.cursor !== undefined)
    throw new DomainError('malformed', 'cursor: buckets have none');
  const fields = fieldsOf(asked);
  if (format === 'json' && fields.length === 0) {
    throw new DomainError('malformed', 'agg_field is missing');
  }
  if (!isWithin64Bits(interval, count ?? 1)) {
    throw new DomainError('malformed', 'agg_value: such an interval is too long');
  }
  const fill = asked.agg_fill ?? 'none';
  return { type, interval, count: count ?? 1, fields, fill, zone: zoneOf(tz) };
}

/**
 * The zone as ClickHouse spells it, which knows names and not offsets.
 *
 * @throws DomainError `malformed` for what is none.
 */
function zoneOf(tz: string | undefined): string | undefined {
  if (tz === undefined) return undefined;
  try {
    if (/^[A-Za-z]/.test(tz)) {
      return Intl.DateTimeFormat('en', { timeZone: tz }).resolvedOptions().timeZone;
    }
  } catch {
    // Falls through to the same answer.
  }
  throw new DomainError('malformed', 'tz is no time zone');
}

/** Buckets as JSON text, and how many there are in all. Leans on the sort key. */
export async function readBuckets(
  store: Store,
  format: MessageFormat,
  where: Where,
  aggregation: Aggregation,
  page: Pick<ReadAsked, 'limit' | 'offset' | 'dir' | 'from' | 'to'>,
): Promise<{ total: string; texts: string[] }> {
  const whole = await bucketsOf(store, format, where, aggregation, page);
  const buckets = `SELECT start, ${bucketText(format, whole, 'unix')} AS text FROM (${whole.query})`;
  const direction = page.dir === 'asc' ? 'ASC' : 'DESC';
  const { limit, offset } = page;
  const [total, text] = await Promise.all([
    store.text(`SELECT count() FROM (${whole.query})`, where.bound),
    store.text(
      `SELECT text FROM (${buckets}) ORDER BY start ${direction}
       LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
      { ...where.bound, limit, offset },
    ),
  ]);
  return { total, texts: text === '' ? [] : text.split('\n') };
}

/** All buckets, filled as it is asked for. */
export async function bucketsOf(
  store: Store,
  format: MessageFormat,
  where: Where,
  aggregation: Aggregation,
  range: Pick<ReadAsked, 'from' | 'to'>,
): Promise<Buckets> {
  const grouped = (format === 'senml' ? senmlBuckets : jsonBuckets)(where, aggregation);
  return aggregation.fill === 'none'
    ? grouped
    : fillGaps(store, format, where, grouped, aggregation, range);
}

/** The newest record of a bucket says whose it is. */
const newest = (column: string) => `argMax(${column}, (time, publisher, name))`;

/** Numbers only; any record counts. */
function senmlBuckets(where: Where, aggregation: Aggregation): Buckets {
  const { type } = aggregation;
  if (type !== 'count') where.add(`kind = 'value'`);
  const made = aggregate(type, 'value', '(time, publisher, name)');
  return {
    labels: ['publisher', 'protocol', 'subtopic', 'name', 'unit'],
    values: [{ column: 'value0', label: undefined }],
    query: `
      SELECT ${startOf('time', where, aggregation)} AS start,
             ${newest('publisher')} AS publisher, ${newest('toString(protocol)')} AS protocol,
             ${newest('toString(subtopic)')} AS subtopic, ${newest('toString(name)')} AS name,
             ${newest('toString(unit)')} AS unit, CAST(${made}, 'Nullable(Float64)') AS value0
      FROM ${messageTables.senml.name} WHERE ${where.text} GROUP BY start`,
  };
}

function jsonBuckets(where: Where, aggregation: Aggregation): Buckets {
  const { type, fields } = aggregation;
  const values = fields.map((field, i) => {
    const found = numberAt(jsonPaths(where, field));
    const made = aggregate(type, found, '(created, publisher)');
    // Like the others, a bucket without the field has nothing to count.
    const value = type === 'count' ? `nullIf(${made}, 0)` : made;
    return {
      column: `value${i}`,
      label: where.bind('String', field),
      made: `CAST(${value}, 'Nullable(Float64)') AS value${i}`,
    };
  });
  return {
    labels: ['publisher', 'protocol'],
    values: values.map(({ column, label }) => ({ column, label })),
    query: `
      SELECT * FROM (
        SELECT ${startOf('created', where, aggregation)} AS start,
               argMax(publisher, (created, publisher)) AS publisher,
               argMax(toString(protocol), (created, publisher)) AS protocol,
               ${values.map(({ made }) => made).join(', ')}
        FROM ${messageTables.json.name} WHERE ${where.text} GROUP BY start)
      WHERE ${values.map(({ column }) => `isNotNull(${column})`).join(' OR ')}`,
  };
}

/** How a bucket reads back; in a filled one, a member without a value is null. */
export function bucketText(format: MessageFormat, buckets: Buckets, times: TimeFormat): string {
  if (format === 'json') {
    return `
    concat('{"publisher":"', toString(publisher), '","protocol":', toJSONString(protocol),
           ',"created":', toJSONString(${jsonTime('start', times)}),
           ',"payload":', ${bucketPayload(buckets)}, '}')`;
  }
  const { time, type } = senmlTime('start', times);
  return `
    concat(
      replaceRegexpOne(toJSONString(CAST(
        tuple(publisher, protocol, nullIf(subtopic, ''), name, nullIf(unit, ''), ${time}, value0),
        'Tuple(publisher UUID, protocol String, subtopic Nullable(String), name String,
               unit Nullable(String), time ${type}, value Nullable(Float64))')), '}$', ''),
      ${buckets.filled === true ? `if(isNull(value0), ',"value":null}', '}')` : `'}'`})`;
}

/** The payload of a bucket, as JSON text. */
export function bucketPayload({ values, filled }: Buckets): string {
  const made = `map(${values.map(({ label, column }) => `${label}, ${column}`).join(', ')})`;
  const kept = filled === true ? made : `mapFilter((name, value) -> isNotNull(value), ${made})`;
  return `toJSONString(${kept})`;
}

function startOf(time: string, where: Where, { interval, count, zone }: Aggregation): string {
  const bound = zone === undefined ? undefined : where.bind('String', zone);
  return bucketStart(time, interval, count, bound);
}

function aggregate(type: Aggregation['type'], value: string, moment: string): string {
  if (type === 'first') return `argMin(${value}, ${moment})`;
  if (type === 'last') return `argMax(${value}, ${moment})`;
  return `${type}(${value})`;
}
