import { ClickHouseError } from '@clickhouse/client';
import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import { DomainError } from '../../schemas/errors.ts';
import type { Database } from '../database.ts';
import { awayRetrySeconds } from '../limits.ts';
import type { Selection } from './selection.ts';

export type MessageFormat = 'senml' | 'json';

export type Page = { limit: number; offset: number; dir: 'asc' | 'desc' };

/** The things whose messages a user may read. Leans on `group_memberships_member`, `things_name`. */
export async function findReach(db: Database, userId: string): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    `SELECT things.id
     FROM group_memberships
     JOIN things ON things.group_id = group_memberships.group_id
     WHERE group_memberships.member_id = $1`,
    [userId],
  );
  return rows.map((row) => row.id);
}

/*
 * ClickHouse writes each message's JSON text itself, a comma before it: put together they are the
 * inside of an array, and no value passes through a number of ours on its way.
 */
const messageText: Readonly<Record<MessageFormat, string>> = {
  // A member that is null is left out: output_format_json_skip_null_value_in_named_tuples.
  senml: `
    concat(',', toJSONString(CAST(
      tuple(publisher, protocol, nullIf(toString(subtopic), ''), name, nullIf(toString(unit), ''),
            reinterpret(time, 'Decimal64(9)'),
            if(kind = 'value', value, NULL), if(kind = 'string', text, NULL),
            if(kind = 'bool', value != 0, NULL), if(kind = 'data', text, NULL),
            sum, update_time),
      'Tuple(publisher UUID, protocol String, subtopic Nullable(String), name String,
             unit Nullable(String), time Decimal64(9), value Nullable(Float64),
             string_value Nullable(String), bool_value Nullable(Bool), data_value Nullable(String),
             sum Nullable(Float64), update_time Nullable(Float64))')))`,
  json: `
    concat(',{"publisher":"', toString(publisher), '","protocol":', toJSONString(toString(protocol)),
           if(subtopic = '', '', concat(',"subtopic":', toJSONString(toString(subtopic)))),
           ',"created":', toString(created), ',"payload":', payload, '}')`,
};

const tables: Readonly<Record<MessageFormat, string>> = { senml: 'senml', json: 'json' };
const timeColumns: Readonly<Record<MessageFormat, string>> = { senml: 'time', json: 'created' };

/** A total order, so that no page overlaps another; it begins as the tables are sorted. */
const orders: Readonly<Record<MessageFormat, readonly string[]>> = {
  senml: 'time publisher name subtopic protocol unit kind value text sum update_time'.split(' '),
  json: 'created publisher subtopic protocol payload'.split(' '),
};

/** How many messages there are. Leans on the sort key where publishers are named. */
export async function countMessages(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  selection: Selection,
): Promise<string> {
  const { where, params } = conditions(format, selection);
  try {
    const result = await clickhouse.query({
      query: `SELECT count() FROM {table:Identifier} ${where}`,
      query_params: { table: tables[format], ...params },
      use_multipart_params_auto: true,
      format: 'TabSeparatedRaw',
    });
    return (await result.text()).trim();
  } catch (error) {
    throw named(error);
  }
}

/** Messages as JSON text, each with a comma before it; to be closed, read or not. */
export type MessageTexts = { texts: AsyncIterable<string>; close: () => void };

/** One page of messages. Leans on the sort key. */
export async function readMessages(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  selection: Selection,
  page: Page,
): Promise<MessageTexts> {
  const { where, params } = conditions(format, selection);
  const direction = page.dir === 'asc' ? 'ASC' : 'DESC';
  const order = orders[format].map((column) => `${column} ${direction}`).join(', ');
  try {
    const result = await clickhouse.query({
      query: `
        SELECT ${messageText[format]}
        FROM {table:Identifier} ${where}
        ORDER BY ${order}
        LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
      query_params: {
        table: tables[format],
        ...params,
        limit: page.limit,
        offset: page.offset,
      },
      use_multipart_params_auto: true,
      clickhouse_settings: {
        output_format_json_skip_null_value_in_named_tuples: 1,
        output_format_json_quote_decimals: 0,
        output_format_json_quote_64bit_integers: 0,
        output_format_json_escape_forward_slashes: 0,
      },
      format: 'TabSeparatedRaw',
    });
    return { texts: linesOf(result.stream()), close: () => result.close() };
  } catch (error) {
    throw named(error);
  }
}

/** A payload may hold line ends; to JSON they are white space. */
async function* linesOf(stream: AsyncIterable<{ text: string }[]>): AsyncGenerator<string> {
  for await (const rows of stream) yield rows.map((row) => `${row.text}\n`).join('');
}

function conditions(format: MessageFormat, { publishers, from, to }: Selection) {
  const time = timeColumns[format];
  const all: string[] = [];
  if (publishers !== 'all') {
    all.push(
      publishers.length === 1
        ? 'publisher = {publisher:UUID}'
        : 'publisher IN {publishers:Array(UUID)}',
    );
  }
  if (from !== undefined) all.push(`${time} >= {from:Int64}`);
  if (to !== undefined) all.push(`${time} <= {to:Int64}`);
  return {
    where: all.length > 0 ? `WHERE ${all.join(' AND ')}` : '',
    params: {
      ...(publishers === 'all' || publishers.length === 1 ? {} : { publishers }),
      ...(publishers !== 'all' && publishers.length === 1 ? { publisher: publishers[0] } : {}),
      ...(from === undefined ? {} : { from: String(from) }),
      ...(to === undefined ? {} : { to: String(to) }),
    },
  };
}

/** ClickHouse's own codes for: too busy, out of time or memory, a replica away, shutting down. */
const awayCodes = new Set(['159', '202', '209', '210', '241', '242', '279', '394', '425', '999']);

/** Gives ClickHouse's errors the domain's names. What is no answer of its means that it is away. */
function named(error: unknown): unknown {
  if (error instanceof ClickHouseError && !awayCodes.has(error.code)) return error;
  return new DomainError('unavailable', undefined, awayRetrySeconds);
}
