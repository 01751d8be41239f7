import type { ClickHouseClient } from '../../../../infra/runtime/stores/clickhouse.ts';
import type { Statements } from '../../../stores/database.ts';
import { storeErrorOf } from '../../store/errors.ts';
import { findLivingThings } from '../sql.ts';
import { execute, select } from '../statements.ts';

/** Publishers that Postgres is asked for at once. */
const publishersMax = 10_000;

/**
 * Takes the messages of things that are not there, or not any more, out of a table, and gives how many those
 * were. Ids of things don't come back, so one that is alive is the one that sent its messages. In a transaction,
 * the living stay so until its end.
 */
export async function leaveOutGone(
  db: Statements,
  clickhouse: ClickHouseClient,
  table: string,
): Promise<number> {
  const gone = `${table}_gone`;
  let anyGone = false;
  for await (const publishers of publishersOf(clickhouse, table)) {
    const living = new Set(await findLivingThings(db, publishers));
    const dead = publishers.filter((publisher) => !living.has(publisher));
    if (dead.length === 0) continue;
    if (!anyGone) await execute(clickhouse, createGone, { gone });
    anyGone = true;
    await insertPublishers(clickhouse, gone, dead);
  }
  if (!anyGone) return 0;
  const [row] = await select<{ rows: number }>(
    clickhouse,
    `SELECT count() AS rows FROM {table:Identifier}
     WHERE publisher IN (SELECT publisher FROM {gone:Identifier})`,
    { table, gone },
  );
  await execute(
    clickhouse,
    `ALTER TABLE {table:Identifier}
     DELETE WHERE publisher IN (SELECT publisher FROM {gone:Identifier})
     SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1`,
    { table, gone },
  );
  return Number(row?.rows);
}

const createGone = `
  CREATE TABLE IF NOT EXISTS {gone:Identifier} (publisher UUID) ENGINE = MergeTree ORDER BY publisher`;

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
  try {
    await clickhouse.insert({
      table,
      values: publishers.map((publisher) => ({ publisher })),
      format: 'JSONEachRow',
    });
  } catch (error) {
    throw storeErrorOf(error);
  }
}
