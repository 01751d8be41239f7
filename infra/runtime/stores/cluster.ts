import { Type } from 'typebox';

/*
 * ClickHouse as a cluster. Messages are sharded by publisher: each server has its part in the tables that end in
 * `_shard`, and tables with the usual names, of the engine Distributed, read and write all of them. So queries and
 * inserts are the same as on one server. What changes a table's structure, or deletes from it, names the shards'
 * tables and says ON CLUSTER. All other tables are small, and whole on every server.
 */

/** By their names in the environment. */
export const clusterSettings = {
  /** As `remote_servers` of ClickHouse's configuration names it. */
  CLICKHOUSE_CLUSTER: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]*$' })),
  /** How many replicas of a shard must have an insert before it counts as done; `auto`: most of them. */
  CLICKHOUSE_INSERT_QUORUM: Type.Optional(Type.String({ pattern: '^(auto|[2-9])$' })),
};

export type Cluster = { name: string; insertQuorum: string | undefined };

type ClusterSettings = {
  CLICKHOUSE_URL: string;
  CLICKHOUSE_CLUSTER?: string;
  CLICKHOUSE_INSERT_QUORUM?: string;
};

/** Where the store is, as one text that is handed to whoever opens it: the fragment names the cluster. */
export function storeUrl(settings: ClusterSettings, url = settings.CLICKHOUSE_URL): string {
  const { CLICKHOUSE_CLUSTER: cluster, CLICKHOUSE_INSERT_QUORUM: quorum } = settings;
  if (cluster === undefined) return url;
  const whole = new URL(url);
  whole.hash = new URLSearchParams({
    cluster,
    ...(quorum === undefined ? {} : { quorum }),
  }).toString();
  return whole.href;
}

/** The two parts of such a text. */
export function readStoreUrl(text: string): { url: string; cluster: Cluster | undefined } {
  const url = new URL(text);
  const given = new URLSearchParams(url.hash.slice(1));
  url.hash = '';
  const name = given.get('cluster');
  if (name === null) return { url: text, cluster: undefined };
  return { url: url.href, cluster: { name, insertQuorum: given.get('quorum') ?? undefined } };
}

/** The settings of every statement on a cluster. */
export function settingsOn({ insertQuorum }: Cluster) {
  return {
    // An insert is done when the shards have it, and not when this server will send it to them.
    distributed_foreground_insert: 1,
    // Who asks what is stored asks the replica that stored it, as long as that one is there.
    load_balancing: 'in_order',
    prefer_localhost_replica: 0,
    // A subquery is answered once, for all shards: where a publisher's older messages are is not said by the sharding.
    distributed_product_mode: 'global',
    prefer_global_in_and_join: 1,
    // A statement ON CLUSTER ends when every server has run it, without a result of its own.
    distributed_ddl_task_timeout: '3600',
    distributed_ddl_output_mode: 'none',
    ...(insertQuorum === undefined ? {} : { insert_quorum: insertQuorum }),
  } as const;
}

/** The table that has a server's rows of a table of messages. */
export function storedTable(cluster: Cluster | undefined, table: string): string {
  return cluster === undefined ? table : `${table}_shard`;
}

/** Where a statement goes that changes a table of messages: on one server, or on all. */
export function onShards(cluster: Cluster | undefined, table: string): string {
  return storedTable(cluster, table) + onCluster(cluster);
}

/** The clause after the table of a statement that every server runs. */
export function onCluster(cluster: Cluster | undefined): string {
  return cluster === undefined ? '' : ` ON CLUSTER \`${cluster.name}\``;
}

/** The CREATE of a table over the shards' parts of a table of messages. It holds nothing itself. */
export function tableOverShards(cluster: Cluster, table: string, create: string): string {
  const stored = storedTable(cluster, table);
  return `${create} ${table}${onCluster(cluster)} AS ${stored}
    ENGINE = Distributed('${cluster.name}', currentDatabase(), '${stored}', cityHash64(publisher))`;
}

/**
 * The arguments of a replicated engine, of one copy of a table for all servers: its path does not name the shard, so the
 * replica's name has to.
 */
export const everywhere = `'/clickhouse/tables/{uuid}/all', '{shard}-{replica}'`;

/** Of a row: what becomes visible as a whole of a batch. Each shard has partitions of its own. */
export function partitionOf(cluster: Cluster | undefined): string {
  return cluster === undefined
    ? '_partition_id'
    : `concat(_partition_id, '-', toString(_shard_num))`;
}

/** A system table: of the one server, or the rows of all. */
export function onServers(cluster: Cluster | undefined, table: string): string {
  return cluster === undefined ? table : `clusterAllReplicas('${cluster.name}', ${table})`;
}
