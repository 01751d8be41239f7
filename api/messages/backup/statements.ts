import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import {
  onCluster,
  onShards,
  storedTable,
  tableOverShards,
} from '../../../infra/runtime/stores/cluster.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { withStoreErrors } from '../store/errors.ts';

/** Limits of a long statement; it groups and sorts more than that on the disk. */
export const workSettings = {
  max_execution_time: 0,
  max_memory_usage: String(1024 * 1024 * 1024),
  max_bytes_before_external_group_by: String(256 * 1024 * 1024),
  max_bytes_before_external_sort: String(256 * 1024 * 1024),
} as const;

/**
 * No deduplication: equal rows are different messages. Blocks are as large as they can be, within 64 MiB: a block of
 * long payloads is in memory several times while it is read, split and sorted.
 */
const insertSettings = {
  ...workSettings,
  insert_deduplicate: 0,
  async_insert: 0,
  max_insert_threads: '1',
  max_insert_block_size: '1048576',
  min_insert_block_size_rows: '1048576',
  min_insert_block_size_bytes: String(64 * 1024 * 1024),
  max_partitions_per_insert_block: '0',
  // A statement that alters a table has ended on every replica.
  alter_sync: '2',
} as const;

type Values = Record<string, unknown>;

/** Runs a statement without a result. */
export async function execute(
  clickhouse: ClickHouseClient,
  query: string,
  values: Values = {},
): Promise<void> {
  await withStoreErrors(() =>
    clickhouse.command({ query, query_params: values, clickhouse_settings: insertSettings }),
  );
}

/** Runs an INSERT of `data`. @throws ClickHouse's own error */
export async function insert(
  clickhouse: ClickHouseClient,
  query: string,
  values: Values,
  data: Readable,
): Promise<void> {
  const { stream } = await clickhouse.exec({
    query,
    query_params: values,
    values: data,
    clickhouse_settings: {
      ...insertSettings,
      precise_float_parsing: 1,
      input_format_skip_unknown_fields: 0,
    },
  });
  await text(stream);
}

/** The rows of a query. */
export async function select<Row>(
  clickhouse: ClickHouseClient,
  query: string,
  values: Values = {},
): Promise<Row[]> {
  return withStoreErrors(async () => {
    const result = await clickhouse.query({
      query,
      query_params: values,
      use_multipart_params_auto: true,
      clickhouse_settings: { ...workSettings, output_format_json_quote_64bit_integers: 0 },
      format: 'JSONEachRow',
    });
    return result.json<Row>();
  });
}

export async function countRows(clickhouse: ClickHouseClient, table: string): Promise<number> {
  const [row] = await select<{ rows: number }>(
    clickhouse,
    'SELECT count() AS rows FROM {table:Identifier}',
    { table },
  );
  return Number(row?.rows);
}

/** The stored columns of a format's table: names and types. */
export async function storedColumns(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
): Promise<Record<string, string>> {
  const rows = await select<{ name: string; type: string }>(
    clickhouse,
    `SELECT name, type FROM system.columns
     WHERE database = currentDatabase() AND table = {table:String}
       AND default_kind NOT IN ('ALIAS', 'EPHEMERAL', 'MATERIALIZED')
     ORDER BY position`,
    { table: messageTables[format].name },
  );
  return Object.fromEntries(rows.map(({ name, type }) => [name, type]));
}

/** Makes an empty table of messages like another one, on a cluster with a part on each shard. */
export async function createLike(
  clickhouse: ClickHouseClient,
  table: string,
  like: string,
): Promise<void> {
  const { cluster } = clickhouse;
  await execute(
    clickhouse,
    `CREATE TABLE ${onShards(cluster, table)} AS ${storedTable(cluster, like)}`,
  );
  if (cluster !== undefined) {
    await execute(clickhouse, tableOverShards(cluster, table, 'CREATE TABLE'));
  }
}

/** Waits until each replica has all that the others have of a table; on one server it has. */
export async function syncReplicas(clickhouse: ClickHouseClient, table: string): Promise<void> {
  const { cluster } = clickhouse;
  if (cluster === undefined) return;
  await execute(clickhouse, `SYSTEM SYNC REPLICA${onCluster(cluster)} ${table}`);
}

/** Tells the background work of a table's parts to stop, on each server that has some. */
export async function stopMerges(
  clickhouse: ClickHouseClient,
  which: 'MERGES' | 'TTL MERGES',
  table: string,
): Promise<void> {
  const { cluster } = clickhouse;
  await execute(
    clickhouse,
    `SYSTEM STOP ${which}${onCluster(cluster)} ${storedTable(cluster, table)}`,
  );
}

/** The tables whose names begin with a prefix: each before its parts on the shards. */
export async function tablesOf(clickhouse: ClickHouseClient, prefix: string): Promise<string[]> {
  const rows = await select<{ name: string }>(
    clickhouse,
    `SELECT name FROM system.tables
     WHERE database = currentDatabase() AND startsWith(name, {prefix:String}) ORDER BY name`,
    { prefix },
  );
  return rows.map(({ name }) => name);
}

/** Drops the tables whose names begin with a prefix; waits for statements that use them. */
export async function dropTables(clickhouse: ClickHouseClient, prefix: string): Promise<void> {
  for (const table of await tablesOf(clickhouse, prefix)) {
    await execute(clickhouse, `DROP TABLE IF EXISTS ${table}${onCluster(clickhouse.cluster)} SYNC`);
  }
}
