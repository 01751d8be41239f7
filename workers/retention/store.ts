import type { ClickHouseClient } from '../../infra/runtime/stores/clickhouse.ts';
import { onCluster, onServers, onShards, storedTable } from '../../infra/runtime/stores/cluster.ts';
import {
  type MessageTable,
  messageTables,
  nextRetentionTable,
  retentionTable,
} from '../../schemas/messages/tables.ts';
import type { Rule } from './rules.ts';

const tables = Object.values(messageTables);

/** The digest of all things and their days in `kept` (see `findWanted`). */
export async function findDigest(clickhouse: ClickHouseClient): Promise<string> {
  const result = await clickhouse.query({
    query: `
      SELECT lower(hex(MD5(arrayStringConcat(
               arraySort(groupArray(concat(toString(days), ' ', toString(publisher)))), ','))))
      FROM ${retentionTable}`,
    format: 'TabSeparatedRaw',
  });
  return (await result.text()).trim();
}

/** Replaces all of `kept` at once. */
export async function replaceKept(
  clickhouse: ClickHouseClient,
  kept: readonly { publisher: string; days: number }[],
): Promise<void> {
  const everywhere = onCluster(clickhouse.cluster);
  await clickhouse.command({ query: `TRUNCATE TABLE ${nextRetentionTable}${everywhere}` });
  await clickhouse.insert({ table: nextRetentionTable, values: kept, format: 'JSONEachRow' });
  if (everywhere !== '') {
    await clickhouse.command({ query: `SYSTEM SYNC REPLICA${everywhere} ${nextRetentionTable}` });
  }
  await clickhouse.command({
    query: `EXCHANGE TABLES ${retentionTable} AND ${nextRetentionTable}${everywhere}`,
  });
}

/** Gives both tables these rules; no TTL if there are none. Returns whether anything changed. */
export async function setRules(
  clickhouse: ClickHouseClient,
  rules: readonly Rule[],
): Promise<boolean> {
  let changed = false;
  const known = await findRules(clickhouse);
  const wanted = rules.map(lasting).toSorted().join();
  for (const { name, time } of tables) {
    if (known.get(name) === wanted) continue;
    const table = onShards(clickhouse.cluster, name);
    const list = rules.map((rule) => `${expiry(time, rule)} DELETE WHERE ${isUnder(rule)}`);
    await clickhouse.command({
      query:
        list.length === 0
          ? `ALTER TABLE ${table} REMOVE TTL`
          : `ALTER TABLE ${table} MODIFY TTL ${list.join(', ')}`,
      // The sweep applies the rules, and only to the partitions that need it.
      clickhouse_settings: { materialize_ttl_after_modify: 0 },
    });
    changed = true;
  }
  return changed;
}

/** The conditions of each table's rules, as ClickHouse spells them. None where servers do not agree. */
async function findRules(clickhouse: ClickHouseClient): Promise<Map<string, string>> {
  const result = await clickhouse.query({
    query: `
      SELECT name, arrayStringConcat(arraySort(extractAll(
               create_table_query, '\\(days >= [0-9]+\\) AND \\(days <= [0-9]+\\)')), ',') AS rules
      FROM ${onServers(clickhouse.cluster, 'system.tables')}
      WHERE database = currentDatabase() AND name IN {tables:Array(String)}`,
    query_params: { tables: storedNames(clickhouse) },
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ name: string; rules: string }>();
  const known = new Map<string, string>();
  for (const { name } of tables) {
    const stored = storedTable(clickhouse.cluster, name);
    const [rules, ...others] = new Set(
      rows.filter((row) => row.name === stored).map((row) => row.rules),
    );
    if (rules !== undefined && others.length === 0) known.set(name, rules);
  }
  return known;
}

/**
 * Tells ClickHouse to delete expired messages, in the background, in the partitions that have any. False while the
 * deletion before still runs.
 */
export async function sweep(
  clickhouse: ClickHouseClient,
  rules: readonly Rule[],
): Promise<boolean> {
  if (await isSweeping(clickhouse)) return false;
  for (const one of tables) {
    for (const partition of await findExpired(clickhouse, one, rules)) {
      await clickhouse.command({
        query: `ALTER TABLE ${onShards(clickhouse.cluster, one.name)} MATERIALIZE TTL IN PARTITION ID {partition:String}`,
        query_params: { partition },
      });
    }
  }
  return true;
}

async function isSweeping(clickhouse: ClickHouseClient): Promise<boolean> {
  const result = await clickhouse.query({
    query: `
      SELECT count() FROM ${onServers(clickhouse.cluster, 'system.mutations')}
      WHERE database = currentDatabase() AND table IN {tables:Array(String)}
        AND NOT is_done AND NOT is_killed AND command LIKE '%MATERIALIZE TTL%'`,
    query_params: { tables: storedNames(clickhouse) },
    format: 'TabSeparatedRaw',
  });
  return (await result.text()).trim() !== '0';
}

/** The tables that have rules. */
function storedNames({ cluster }: ClickHouseClient): string[] {
  return tables.map(({ name }) => storedTable(cluster, name));
}

/** The partitions that have expired messages. Uses the day, by which the tables are sorted first. */
async function findExpired(
  clickhouse: ClickHouseClient,
  { name, time, day }: MessageTable,
  rules: readonly Rule[],
): Promise<string[]> {
  const expired = rules.map(
    (rule) =>
      `(${day} <= intDiv(toUnixTimestamp(now()), 86400) - ${rule.to}
        AND ${expiry(time, rule)} <= now() AND ${isUnder(rule)})`,
  );
  const result = await clickhouse.query({
    query: `SELECT DISTINCT _partition_id AS id FROM ${name} WHERE ${expired.join(' OR ')}`,
    format: 'JSONEachRow',
  });
  return (await result.json<{ id: string }>()).map((row) => row.id);
}

/** When a message expires, by its own time. ClickHouse's DateTime ends in 2106: later ones expire then. */
function expiry(time: string, { to }: Rule): string {
  return `toDateTime(least(greatest(intDiv(${time}, 1000000000), 0) + ${to * 86_400}, 4294967295))`;
}

function isUnder(rule: Rule): string {
  return `publisher IN (SELECT publisher FROM ${retentionTable} WHERE ${lasting(rule)})`;
}

/** Spelled as ClickHouse does. */
function lasting({ from, to }: Rule): string {
  return `(days >= ${from}) AND (days <= ${to})`;
}
