import type { ClickHouseClient } from '../../../../infra/runtime/stores/clickhouse.ts';
import { everywhere, onCluster, onShards } from '../../../../infra/runtime/stores/cluster.ts';
import type { Statements } from '../../../stores/database.ts';
import { withStoreErrors } from '../../store/errors.ts';
import { findExistingThings } from '../sql.ts';
import { execute, select, syncReplicas } from '../statements.ts';

/** How many publishers are looked up in Postgres at once. */
const publishersMax = 10_000;

/**
 * Deletes from a table the messages of things that don't exist any more, and returns how many those were. An id is
 * never used again, so a thing that exists is the one that sent its messages. In a transaction the things that exist
 * can't be deleted before its end.
 */
export async function leaveOutDeleted(
  db: Statements,
  clickhouse: ClickHouseClient,
  table: string,
): Promise<number> {
  const deletedTable = `${table}_gone`;
  let found = false;
  for await (const publishers of publishersOf(clickhouse, table)) {
    const existing = new Set(await findExistingThings(db, publishers));
    const deleted = publishers.filter((publisher) => !existing.has(publisher));
    if (deleted.length === 0) continue;
    if (!found) await createDeletedTable(clickhouse, deletedTable);
    found = true;
    await insertPublishers(clickhouse, deletedTable, deleted);
  }
  if (!found) return 0;
  await syncReplicas(clickhouse, deletedTable);
  const [row] = await select<{ rows: number }>(
    clickhouse,
    `SELECT count() AS rows FROM {table:Identifier}
     WHERE publisher IN (SELECT publisher FROM {deletedTable:Identifier})`,
    { table, deletedTable },
  );
  await execute(
    clickhouse,
    `ALTER TABLE ${onShards(clickhouse.cluster, table)}
     DELETE WHERE publisher IN (SELECT publisher FROM ${deletedTable})
     SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1`,
  );
  return Number(row?.rows);
}

/** It is whole on every server, as each deletes its own messages by it. */
async function createDeletedTable(clickhouse: ClickHouseClient, table: string): Promise<void> {
  const { cluster } = clickhouse;
  const engine = cluster === undefined ? 'MergeTree' : `ReplicatedMergeTree(${everywhere})`;
  await execute(
    clickhouse,
    `CREATE TABLE IF NOT EXISTS ${table}${onCluster(cluster)} (publisher UUID)
     ENGINE = ${engine} ORDER BY publisher`,
  );
}

async function* publishersOf(
  clickhouse: ClickHouseClient,
  table: string,
): AsyncGenerator<string[]> {
  let after: string | null = null;
  for (;;) {
    const rows: { publisher: string }[] = await select<{ publisher: string }>(
      clickhouse,
      `SELECT DISTINCT publisher FROM {table:Identifier}
       WHERE {after:Nullable(UUID)} IS NULL OR publisher > {after:Nullable(UUID)}
       ORDER BY publisher LIMIT {publishersMax:UInt32}`,
      { table, after, publishersMax },
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ publisher }) => publisher);
    after = last.publisher;
  }
}

async function insertPublishers(
  clickhouse: ClickHouseClient,
  table: string,
  publishers: string[],
): Promise<void> {
  await withStoreErrors(() =>
    clickhouse.insert({
      table,
      values: publishers.map((publisher) => ({ publisher })),
      format: 'JSONEachRow',
    }),
  );
}
