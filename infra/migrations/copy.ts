/**
 * Copies everything from other databases, such as those that `npm start` brings, into those of DATABASE_URL and
 * CLICKHOUSE_URL, which are migrated and empty. No process may write to either meanwhile.
 */
import { Client } from 'pg';
import { Type } from 'typebox';
import {
  ConfigError,
  connectionSettings,
  logSettings,
  readSettings,
} from '../runtime/process/config.ts';
import { run } from '../runtime/process/lifecycle.ts';
import { createLog, type Logger } from '../runtime/process/logger.ts';
import { type ClickHouseClient, openClickHouse } from '../runtime/stores/clickhouse.ts';
import { clusterSettings, storeUrl } from '../runtime/stores/cluster.ts';

/** By their names in the environment. */
export const copySettings = Type.Object({
  DATABASE_URL: connectionSettings.DATABASE_URL,
  CLICKHOUSE_URL: connectionSettings.CLICKHOUSE_URL,
  FROM_DATABASE_URL: connectionSettings.DATABASE_URL,
  FROM_CLICKHOUSE_URL: connectionSettings.CLICKHOUSE_URL,
  ...clusterSettings,
  ...logSettings,
});

const rowsAtOnce = 2_000;
/** A table of messages may take hours. */
const clickhouseMsMax = 24 * 3_600_000;
/**
 * Each has its own: the steps of its migration, what they say of audited columns, a journal of its own transactions,
 * which edges have read, and how often its rules were changed.
 */
const ownOnes = new Set(['migrations', 'audit_columns', 'key_changes', 'rules_version']);

/** All tables, each after those that its foreign keys name. */
async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; needs: string[] }>(
    `SELECT class.relname AS name,
            array_remove(array_agg(DISTINCT other.relname::text), NULL) AS needs
     FROM pg_class AS class
     LEFT JOIN pg_constraint AS foreign_key
       ON foreign_key.conrelid = class.oid AND contype = 'f' AND confrelid <> conrelid
     LEFT JOIN pg_class AS other ON other.oid = foreign_key.confrelid
     WHERE class.relkind = 'r' AND class.relnamespace = 'public'::regnamespace
     GROUP BY class.relname ORDER BY class.relname`,
  );
  const left = rows.filter(({ name }) => !ownOnes.has(name));
  const ordered: string[] = [];
  while (left.length > 0) {
    const at = left.findIndex(({ needs }) => needs.every((need) => ordered.includes(need)));
    const [next] = left.splice(Math.max(at, 0), 1);
    if (next !== undefined) ordered.push(next.name);
  }
  return ordered;
}

async function columnsOf(client: Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(column_name) AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER' ORDER BY 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Row by row as JSON text, in the order in which they are stored: a group of a tree comes after the one above it. */
async function copyTable(from: Client, to: Client, table: string): Promise<number> {
  const columns = (await columnsOf(from, table)).join(', ');
  await to.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await from.query(
    `DECLARE all_rows CURSOR FOR SELECT row_to_json(of_table)::text AS row FROM ${table} AS of_table
     ORDER BY ${table === 'tree_groups' ? 'cardinality(path)' : 'ctid'}`,
  );
  let count = 0;
  for (;;) {
    const { rows } = await from.query<{ row: string }>(`FETCH ${rowsAtOnce} FROM all_rows`);
    if (rows.length === 0) break;
    count += rows.length;
    await to.query(
      `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
      [`[${rows.map(({ row }) => row).join()}]`],
    );
  }
  await from.query('CLOSE all_rows');
  await to.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  return count;
}

/** Numbers go on where they were. */
async function copySequences(from: Client, to: Client): Promise<void> {
  const { rows } = await from.query<{ name: string; last: string }>(
    `SELECT quote_ident(sequencename) AS name, last_value AS last FROM pg_sequences
     WHERE schemaname = 'public' AND last_value IS NOT NULL`,
  );
  for (const { name, last } of rows) await to.query('SELECT setval($1, $2)', [name, last]);
}

/** All of PostgreSQL: all or nothing. */
async function copyPostgres(fromUrl: string, toUrl: string, logger: Logger): Promise<void> {
  const from = new Client({ connectionString: fromUrl });
  const to = new Client({ connectionString: toUrl });
  await Promise.all([from.connect(), to.connect()]);
  try {
    const steps = 'SELECT array_agg(name::text ORDER BY name) AS names FROM migrations';
    const [ours, theirs] = await Promise.all([to.query(steps), from.query(steps)]);
    if (String(ours.rows[0]?.names) !== String(theirs.rows[0]?.names)) {
      throw new ConfigError('DATABASE_URL: the two are not migrated to the same version');
    }
    await from.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await to.query('BEGIN');
    const counts: Record<string, number> = {};
    for (const table of await tablesOf(from)) {
      const { rowCount } = await to.query(`SELECT FROM ${table} LIMIT 1`);
      if (rowCount !== 0) throw new ConfigError(`DATABASE_URL: the table ${table} is not empty`);
      counts[table] = await copyTable(from, to, table);
    }
    await copySequences(from, to);
    await to.query('COMMIT');
    logger.info({ rows: counts }, 'PostgreSQL is copied');
  } finally {
    await Promise.all([from.end(), to.end()]);
  }
}

/** Messages, with the log and the batch that each came from. Who may read what, the API brings from PostgreSQL. */
async function copyClickHouse(fromUrl: string, toUrl: string, logger: Logger): Promise<void> {
  const from = openClickHouse(fromUrl, 'copy', clickhouseMsMax);
  const to = openClickHouse(toUrl, 'copy', clickhouseMsMax);
  try {
    for (const table of ['senml', 'json']) {
      if ((await countOf(to, table)) !== 0) {
        throw new ConfigError(`CLICKHOUSE_URL: the table ${table} is not empty`);
      }
      const columns = (await storedColumns(from, table)).join(', ');
      const { stream } = await from.exec({
        query: `SELECT ${columns} FROM ${table} FORMAT Native`,
      });
      await to.exec({
        query: `INSERT INTO ${table} (${columns}) FORMAT Native`,
        values: stream,
        clickhouse_settings: { max_partitions_per_insert_block: '0' },
      });
      const [rows, copied] = await Promise.all([countOf(from, table), countOf(to, table)]);
      if (rows !== copied) throw new Error(`${table}: ${copied} of ${rows} rows were copied`);
      logger.info({ table, rows }, 'a table of ClickHouse is copied');
    }
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

async function storedColumns(clickhouse: ClickHouseClient, table: string): Promise<string[]> {
  const result = await clickhouse.query({
    query: `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}
              AND default_kind NOT IN ('ALIAS', 'EPHEMERAL', 'MATERIALIZED') ORDER BY position`,
    query_params: { table },
    format: 'JSONEachRow',
  });
  return (await result.json<{ name: string }>()).map(({ name }) => name);
}

async function countOf(clickhouse: ClickHouseClient, table: string): Promise<number> {
  const result = await clickhouse.query({
    query: `SELECT count() FROM ${table}`,
    format: 'TabSeparated',
  });
  return Number(await result.text());
}

if (import.meta.main) {
  await run(createLog('copy', 'info'), async () => {
    const settings = readSettings(copySettings, process.env);
    const logger = createLog('copy', settings.LOG_LEVEL);
    await copyPostgres(settings.FROM_DATABASE_URL, settings.DATABASE_URL, logger);
    await copyClickHouse(settings.FROM_CLICKHOUSE_URL, storeUrl(settings), logger);
  });
}
