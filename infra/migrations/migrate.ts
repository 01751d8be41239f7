import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { runner } from 'node-pg-migrate';
import {
  type ClickHouseClient,
  clickhouseDatabase,
  openClickHouse,
} from '../runtime/stores/clickhouse.ts';
import { type Cluster, clusterSettings, onCluster, storeUrl } from '../runtime/stores/cluster.ts';
import {
  ConfigError,
  connectionSettings,
  logSettings,
  readSettings,
  Secret,
} from '../runtime/process/config.ts';
import { run } from '../runtime/process/lifecycle.ts';
import { mustBeRecent } from '../runtime/stores/versions.ts';
import { throughPooler } from '../runtime/stores/postgres.ts';
import { createLog, type Logger } from '../runtime/process/logger.ts';
import {
  asOnCluster,
  bringMessages,
  distribute,
  isSingle,
  putAside,
  spread,
  stepsTable,
} from './cluster.ts';
import { resealKeys } from './reseal.ts';

/*
 * Each folder begins with the baseline, a file for each subject. Whatever changes after a release is a step of its own
 * after these, with the next number: a file that a release had is never changed.
 */
export const postgresDir = join(import.meta.dirname, 'postgres');
const clickhouseDir = join(import.meta.dirname, 'clickhouse');
/** A step may move all there is. */
const clickhouseTimeoutMs = 3_600_000;

/** By their names in the environment. */
export const migrateSettings = Type.Object({
  DATABASE_URL: connectionSettings.DATABASE_URL,
  CLICKHOUSE_URL: connectionSettings.CLICKHOUSE_URL,
  /** Only asked for its version, if it is given. */
  REDIS_URL: Type.Optional(connectionSettings.REDIS_URL),
  /** To seal keys anew: the one that they are sealed under, and the new one. */
  SECRET_KEY_BEFORE: Type.Optional(Type.String({ minLength: 16 })),
  SECRET_KEY: Type.Optional(Type.String({ minLength: 16 })),
  ...clusterSettings,
  ...logSettings,
});

/**
 * Brings Postgres' tables up to date, all steps in one transaction, under an advisory lock. Tests of upgrades give a
 * folder of their own, with a step more or less.
 */
export async function migratePostgres(
  url: string,
  logger: Logger,
  dir = postgresDir,
): Promise<void> {
  if (throughPooler(url)) {
    throw new ConfigError(
      'DATABASE_URL: migrations need PostgreSQL itself, not a pooler before it',
    );
  }
  const done = await runner({
    databaseUrl: url,
    dir,
    direction: 'up',
    migrationsTable: 'migrations',
    advisoryLockMode: 'wait',
    singleTransaction: true,
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: (text) => logger.warn(text),
      error: (text) => logger.error(text),
    },
  });
  logger.info({ applied: done.map((one) => one.name) }, 'Postgres is up to date');
}

/**
 * Brings ClickHouse's tables up to date, in the database of the URL's path, on one server or on the cluster that the
 * URL names. A step that was cut short runs again: each statement says `IF NOT EXISTS`.
 */
export async function migrateClickHouse(url: string, logger: Logger): Promise<void> {
  const database = new URL(url).pathname.slice(1) || clickhouseDatabase;
  const outside = openClickHouse(withDatabase(url, 'default'), 'migrate', clickhouseTimeoutMs);
  try {
    await outside.command({
      query: `CREATE DATABASE IF NOT EXISTS {database:Identifier}${onCluster(outside.cluster)}`,
      query_params: { database },
    });
  } finally {
    await outside.close();
  }

  const clickhouse = openClickHouse(url, 'migrate', clickhouseTimeoutMs);
  const { cluster } = clickhouse;
  try {
    const applied: string[] = [];
    if (cluster === undefined || (await isSingle(clickhouse))) {
      applied.push(...(await applySteps(clickhouse, undefined)));
    }
    if (cluster !== undefined) {
      await putAside(clickhouse);
      await spread(clickhouse, cluster);
      applied.push(...(await applySteps(clickhouse, cluster)));
      await bringMessages(clickhouse, cluster);
      await distribute(clickhouse, cluster);
    }
    logger.info({ applied }, 'ClickHouse is up to date');
  } finally {
    await clickhouse.close();
  }
}

/** Does the steps that are not noted yet. Returns their names. */
async function applySteps(
  clickhouse: ClickHouseClient,
  cluster: Cluster | undefined,
): Promise<string[]> {
  await clickhouse.command({ query: stepsTable(cluster) });
  const result = await clickhouse.query({
    query: 'SELECT name FROM migrations',
    format: 'JSONEachRow',
  });
  const known = new Set((await result.json<{ name: string }>()).map((row) => row.name));
  const missing = migrationNames(clickhouseDir).filter((name) => !known.has(name));
  for (const name of missing) {
    for (const query of stepOf(name, cluster)) await clickhouse.command({ query });
    await clickhouse.insert({ table: 'migrations', values: [{ name }], format: 'JSONEachRow' });
  }
  return missing;
}

/** The statements of a step. */
export function stepOf(name: string, cluster: Cluster | undefined): string[] {
  const statements = statementsOf(readFileSync(join(clickhouseDir, name), 'utf8'));
  return cluster === undefined
    ? statements
    : statements.map((statement) => asOnCluster(statement, cluster));
}

/** The steps of ClickHouse, in their order. */
export const clickhouseSteps = () => migrationNames(clickhouseDir);

function migrationNames(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .toSorted();
}

/** A statement ends with `;` at the end of a line. */
function statementsOf(text: string): string[] {
  return text
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/^--.*$/gm, '').trim() !== '');
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

if (import.meta.main) {
  await run(createLog('migrate', 'info'), async () => {
    const settings = readSettings(migrateSettings, process.env);
    const logger = createLog('migrate', settings.LOG_LEVEL);
    const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = settings;
    await mustBeRecent({ databaseUrl, redisUrl, clickhouseUrl: storeUrl(settings) });
    await migratePostgres(databaseUrl, logger);
    const { SECRET_KEY: now, SECRET_KEY_BEFORE: before } = settings;
    if (before !== undefined) {
      if (now === undefined) throw new ConfigError('SECRET_KEY: missing beside SECRET_KEY_BEFORE');
      await resealKeys(settings.DATABASE_URL, new Secret(before), new Secret(now), logger);
    }
    await migrateClickHouse(storeUrl(settings), logger);
  });
}
