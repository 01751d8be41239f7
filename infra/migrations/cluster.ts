import type { ClickHouseClient } from '../runtime/stores/clickhouse.ts';
import {
  type Cluster,
  everywhere,
  onCluster,
  storedTable,
  tableOverShards,
} from '../runtime/stores/cluster.ts';

/*
 * The steps as a cluster takes them. Each step is written for one server. On a cluster its tables of messages are
 * the shards' (`senml_shard`), replicated within their shard. All others are replicated to every server. Then each
 * table of messages gets one over it, of the engine Distributed, which has its usual name.
 */

const messageTables = ['senml', 'json'] as const;

/** A statement of a step, as one server runs it for all. */
export function asOnCluster(statement: string, cluster: Cluster): string {
  const query = statement.replaceAll(/^--.*$/gm, '').trim();
  const isOfMessages = /^\w+ TABLE (?:IF (?:NOT )?EXISTS )?(?:senml|json)\b/.test(query);
  const named = query.replaceAll(/\b(?:senml|json)\b/g, (name) => storedTable(cluster, name));
  const [, head = '', rest = ''] =
    /^(\w+ TABLE (?:IF (?:NOT )?EXISTS )?\w+)(.*)$/s.exec(named) ?? [];
  return `${head}${onCluster(cluster)}${replicated(rest, isOfMessages)}`;
}

function replicated(rest: string, isOfMessages: boolean): string {
  return rest
    .replace(/^ AS kept$/, ` AS kept ENGINE = MergeTree ORDER BY (days, publisher)`)
    .replace(/ENGINE = (\w*MergeTree)(?:\(([^)]*)\))?/, (_, engine: string, given?: string) => {
      if (isOfMessages) return `ENGINE = Replicated${engine}`;
      return `ENGINE = Replicated${engine}(${[everywhere, ...(given ? [given] : [])].join(', ')})`;
    })
    .replace('non_replicated_deduplication_window', 'replicated_deduplication_window');
}

/** The table that notes the steps. */
export function stepsTable(cluster: Cluster | undefined): string {
  const engine = cluster === undefined ? 'MergeTree' : `ReplicatedMergeTree(${everywhere})`;
  return `CREATE TABLE IF NOT EXISTS migrations${onCluster(cluster)}
          (name String, applied_at DateTime DEFAULT now()) ENGINE = ${engine} ORDER BY name`;
}

/** Brings the Distributed tables up to the shards' columns. They hold nothing, so they are made anew. */
export async function distribute(clickhouse: ClickHouseClient, cluster: Cluster): Promise<void> {
  for (const table of messageTables) {
    await clickhouse.command({
      query: tableOverShards(cluster, table, 'CREATE OR REPLACE TABLE'),
    });
  }
}

/**
 * Gives servers that joined the cluster the tables that this one has. A table keeps its UUID, which its path in
 * Keeper has: so a new replica joins its shard, and a new shard begins empty.
 */
export async function spread(clickhouse: ClickHouseClient, cluster: Cluster): Promise<void> {
  // The shards' tables may have rules of retention, which read `kept`.
  const result = await clickhouse.query({
    query: `SELECT create_table_query AS query FROM system.tables
            WHERE database = currentDatabase() AND engine LIKE 'Replicated%'
            ORDER BY endsWith(name, '_shard'), name`,
    clickhouse_settings: { show_table_uuid_in_table_create_query_if_not_nil: 1 },
    format: 'JSONEachRow',
  });
  for (const { query } of await result.json<{ query: string }>()) {
    await clickhouse.command({ query: asSpread(query, cluster) });
  }
}

/** As ClickHouse writes it: `CREATE TABLE database.name UUID '…' (…) …`. */
export function asSpread(created: string, cluster: Cluster): string {
  return created.replace(
    /^CREATE TABLE (\S+ UUID '[^']+')/,
    (_, table: string) => `CREATE TABLE IF NOT EXISTS ${table}${onCluster(cluster)}`,
  );
}

const singleTables = ['senml', 'json', 'publishers', 'kept', 'kept_next', 'migrations'] as const;

/** The name that a table of the single server keeps its rows under. */
const single = (table: string) => `${table}_single`;

/** Whether the tables are still those of a single server. */
export async function isSingle(clickhouse: ClickHouseClient): Promise<boolean> {
  return (await enginesOf(clickhouse)).get('senml') === 'MergeTree';
}

/**
 * Puts the tables of a single server aside, so that the cluster's get their names. Cut short, it goes on where it
 * was: as long as there is no table over the shards.
 */
export async function putAside(clickhouse: ClickHouseClient): Promise<void> {
  const engines = await enginesOf(clickhouse);
  const hasBegun = engines.has(single('senml')) && !engines.has('senml');
  if (!hasBegun && engines.get('senml') !== 'MergeTree') return;
  for (const table of singleTables) {
    if (!engines.has(table) || engines.has(single(table))) continue;
    await clickhouse.command({ query: `RENAME TABLE ${table} TO ${single(table)}` });
  }
}

/**
 * Brings the messages of the single server into its shard, with their files: nothing is copied, and nothing moves to
 * another shard. As long as there is no table over the shards nobody else writes, so that it can be done again.
 * `kept` and `publishers` are not brought: Postgres has what they say, and they are filled from there. What was put
 * aside stays until somebody drops it.
 */
export async function bringMessages(clickhouse: ClickHouseClient, cluster: Cluster): Promise<void> {
  const engines = await enginesOf(clickhouse);
  if (!engines.has(single('senml')) || engines.has('senml')) return;
  for (const table of messageTables) {
    const result = await clickhouse.query({
      query: 'SELECT DISTINCT _partition_id AS id FROM {table:Identifier}',
      query_params: { table: single(table) },
      format: 'JSONEachRow',
    });
    for (const { id } of await result.json<{ id: string }>()) {
      await clickhouse.command({
        query: `ALTER TABLE ${storedTable(cluster, table)}
                REPLACE PARTITION ID {id:String} FROM ${single(table)}`,
        query_params: { id },
      });
    }
  }
}

async function enginesOf(clickhouse: ClickHouseClient): Promise<Map<string, string>> {
  const result = await clickhouse.query({
    query: 'SELECT name, engine FROM system.tables WHERE database = currentDatabase()',
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ name: string; engine: string }>();
  return new Map(rows.map(({ name, engine }) => [name, engine]));
}
