import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import { DomainError } from '../../schemas/errors.ts';
import type { ReaderAsked } from './asked.ts';
import { bucketStart, isWithin64Bits } from './buckets.ts';
import { named } from './clickhouse-errors.ts';
import { jsonPaths, type MessageFormat, tables, type Where } from './conditions.ts';
import { querySettings, textSettings } from './settings.ts';

/** What is made of the messages of each bucket. */
export type Aggregation = {
  type: NonNullable<ReaderAsked['agg_type']>;
  interval: NonNullable<ReaderAsked['agg_interval']>;
  count: number;
  /** Of a payload; SenML aggregates `value`. */
  fields: readonly string[];
  zone: string | undefined;
};

/** @throws DomainError `malformed` for an aggregation that is not whole. */
export function aggregationOf(format: MessageFormat, asked: ReaderAsked): Aggregation | undefined {
  const { agg_type: type, agg_interval: interval, agg_value: count, agg_field: field, tz } = asked;
  if (type === undefined && interval === undefined) return undefined;
  if (type === undefined) throw new DomainError('malformed', 'agg_type is missing');
  if (interval === undefined) throw new DomainError('malformed', 'agg_interval is missing');
  if (asked.cursor !== undefined) throw new DomainError('malformed', 'cursor: buckets have none');
  const fields = [...new Set([field ?? []].flat())].filter((one) => one !== '');
  if (format === 'json' && fields.length === 0) {
    throw new DomainError('malformed', 'agg_field is missing');
  }
  if (!isWithin64Bits(interval, count ?? 1)) {
    throw new DomainError('malformed', 'agg_value: such an interval is too long');
  }
  return { type, interval, count: count ?? 1, fields, zone: zoneOf(tz) };
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
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  where: Where,
  aggregation: Aggregation,
  page: Pick<ReaderAsked, 'limit' | 'offset' | 'dir'>,
): Promise<{ total: string; texts: string[] }> {
  const buckets = (format === 'senml' ? senmlBuckets : jsonBuckets)(where, aggregation);
  const direction = page.dir === 'asc' ? 'ASC' : 'DESC';
  const [total, rows] = await Promise.all([
    ask(`SELECT count() FROM (${buckets})`),
    ask(`SELECT text FROM (${buckets}) ORDER BY start ${direction}
         LIMIT {limit:UInt64} OFFSET {offset:UInt64}`),
  ]);
  return { total: total[0] ?? '0', texts: rows };

  async function ask(query: string): Promise<string[]> {
    try {
      const result = await clickhouse.query({
        query,
        query_params: { ...where.params, limit: page.limit, offset: page.offset },
        use_multipart_params_auto: true,
        clickhouse_settings: { ...querySettings, ...textSettings },
        format: 'TabSeparatedRaw',
      });
      const text = await result.text();
      return text.split('\n').filter((line) => line !== '');
    } catch (error) {
      throw named(error);
    }
  }
}

/** The newest record of a bucket says whose it is. */
const newest = (column: string) => `argMax(${column}, (time, publisher, name))`;

/** Numbers only; any record counts. */
function senmlBuckets(where: Where, aggregation: Aggregation): string {
  const { type } = aggregation;
  if (type !== 'count') where.add(`kind = 'value'`);
  const start = startOf('time', where, aggregation);
  return `
    SELECT ${start} AS start,
           toJSONString(CAST(
             tuple(${newest('publisher')}, ${newest('protocol')},
                   nullIf(toString(${newest('subtopic')}), ''), ${newest('name')},
                   nullIf(toString(${newest('unit')}), ''),
                   reinterpret(start, 'Decimal64(9)'), ${aggregate(type, 'value', '(time, publisher, name)')}),
             'Tuple(publisher UUID, protocol String, subtopic Nullable(String), name String,
                    unit Nullable(String), time Decimal64(9), value Float64)')) AS text
    FROM ${tables.senml.name}
    WHERE ${where.text}
    GROUP BY start`;
}

function jsonBuckets(where: Where, aggregation: Aggregation): string {
  const { type, fields } = aggregation;
  const start = startOf('created', where, aggregation);
  const values = fields.map((field) => {
    const found = jsonPaths(where, field).map(
      (path) => `JSONExtract(payload, ${path}, 'Nullable(Float64)')`,
    );
    const number = `coalesce(${found.join(', ')})`;
    const made = aggregate(type, number, '(created, publisher)');
    return {
      label: where.bind('String', field),
      // Like the others, a bucket without the field has nothing to count.
      value: type === 'count' ? `nullIf(${made}, 0)` : made,
    };
  });
  const members = values.map(({ label, value }) => `${label}, CAST(${value}, 'Nullable(Float64)')`);
  return `
    SELECT start, text FROM (
      SELECT ${start} AS start,
             mapFilter((name, value) -> isNotNull(value), map(${members.join(', ')})) AS found,
             concat('{"publisher":"', toString(argMax(publisher, (created, publisher))),
                    '","protocol":', toJSONString(toString(argMax(protocol, (created, publisher)))),
                    ',"created":', toString(start), ',"payload":', toJSONString(found), '}') AS text
      FROM ${tables.json.name}
      WHERE ${where.text}
      GROUP BY start)
    WHERE notEmpty(found)`;
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
