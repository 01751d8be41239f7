import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { overPostgres } from '../load/postgres.ts';
import type { Pack } from '../points.ts';
import type { Contestant } from './contestant.ts';
import { programPath } from './installed.ts';
import { makeDataDir, startServer } from './server.ts';

const user = 'bench';
const columns = 'time, publisher, name, value';
const connectionsMax = 300;
/** PostgreSQL refuses to run as root. Nobody is as good as any. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];

const forms = {
  timescaledb: { by: 'insert', isSynced: true, words: 'prepared inserts of arrays' },
  'timescaledb-copy': { by: 'copy', isSynced: true, words: 'COPY' },
  'timescaledb-copy-async': { by: 'copy', isSynced: false, words: 'COPY, asynchronous commit' },
} as const;
type FormName = keyof typeof forms;

/**
 * One PostgreSQL with a hypertable for each form. Debian's TimescaleDB is the one with a free licence: it has no
 * compression.
 */
export async function startTimescaleDb(
  version: string,
  names: readonly FormName[],
): Promise<Contestant[]> {
  const { ask, pass, port, ...server } = await startPostgres();
  await ask('CREATE EXTENSION timescaledb');
  const contestants: Contestant[] = [];
  for (const name of names) {
    const { by, isSynced, words } = forms[name];
    const table = name.replaceAll('-', '_');
    await ask(...tableStatements(table));
    contestants.push({
      ...server,
      ...overPostgres({
        port,
        user,
        table,
        by,
        settings: isSynced ? '' : '-c synchronous_commit=off',
        fill: async (packs) => {
          const child = pass(`COPY ${table} (${columns}) FROM STDIN (FORMAT csv)`);
          await pipeline(Readable.from(lines(packs)), child.stdin);
          if (child.exitCode === null) await once(child, 'exit');
          if (child.exitCode !== 0) throw new Error(`psql ended with ${child.exitCode}`);
        },
      }),
      name,
      promise:
        `TimescaleDB ${version}, by ${words}: checked and indexed by thing and time, ` +
        (isSynced
          ? 'in its log and synced to disk; readable at once'
          : 'synced to disk within a second (lost if the system is killed before); readable at once'),
      allStored: async () => undefined,
      storedPoints: async () => Number(await ask(`SELECT count(*) FROM ${table}`)),
      async bytesPerPoint() {
        await ask(`VACUUM ANALYZE ${table}`);
        const answer = `hypertable_size('${table}')::float8 / (SELECT count(*) FROM ${table})`;
        return Number(await ask(`SELECT ${answer}`));
      },
      async exportCsv() {
        const child = pass(`COPY (SELECT ${columns} FROM ${table}) TO STDOUT (FORMAT csv)`);
        return child.stdout;
      },
    });
  }
  return contestants;
}

async function startPostgres() {
  const dataDir = makeDataDir('timescaledb');
  if (isRoot) chownSync(dataDir, nobody, nobody);
  const tables = join(dataDir, 'tables');
  const run = promisify(execFile);
  const init = ['-D', tables, '-U', user, '--auth=trust', '--encoding=UTF8', '--locale=C'];
  await run('setpriv', [...identity, programPath('initdb'), ...init]);
  const psql = (url: string, statements: readonly string[]) => [
    `postgres://${user}@${new URL(url).host}/postgres`,
    '-XAtq',
    '--set=ON_ERROR_STOP=1',
    ...statements.map((statement) => `--command=${statement}`),
  ];
  const server = await startServer({
    program: 'postgres',
    dataDir,
    args: (port) => ['-D', tables, ...settings(port).map((setting) => `--${setting}`)],
    async isReady(url) {
      await run(programPath('psql'), psql(url, ['SELECT 1']));
      return true;
    },
    identity,
    // Its fast shutdown, which waits for no client.
    stopSignal: 'SIGINT',
  });
  return {
    ...server,
    port: Number(new URL(server.url).port),
    /** What statements answer, as text. */
    ask: async (...statements: string[]): Promise<string> => {
      const { stdout } = await run(programPath('psql'), psql(server.url, statements));
      return stdout.trim();
    },
    /** A statement whose data goes through standard input or output. */
    pass: (statement: string) =>
      spawn(programPath('psql'), psql(server.url, [statement]), {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
  };
}

/** As timescaledb-tune advises for this machine; all else as it comes. */
function settings(port: number): string[] {
  const megabytes = Math.floor(totalmem() / 1024 ** 2);
  const cores = availableParallelism();
  return [
    'shared_preload_libraries=timescaledb',
    `shared_buffers=${Math.floor(megabytes / 4)}MB`,
    `effective_cache_size=${Math.floor((megabytes * 3) / 4)}MB`,
    `maintenance_work_mem=${Math.min(2_047, Math.floor(megabytes / 16))}MB`,
    'timescaledb.max_background_workers=16',
    `max_worker_processes=${16 + 3 + cores}`,
    `max_parallel_workers=${cores}`,
    `max_parallel_workers_per_gather=${Math.ceil(cores / 2)}`,
    'wal_buffers=16MB',
    'min_wal_size=512MB',
    'max_wal_size=1GB',
    'random_page_cost=1.1',
    'effective_io_concurrency=256',
    'checkpoint_completion_target=0.9',
    'max_locks_per_transaction=128',
    'autovacuum_max_workers=10',
    'autovacuum_naptime=10',
    'default_toast_compression=lz4',
    'jit=off',
    // The benchmark's own: its connections, its place, nothing said that costs time.
    `max_connections=${connectionsMax}`,
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timescaledb.telemetry_level=off',
    'log_min_messages=fatal',
  ];
}

/**
 * Chunks of an hour: at the rates of the load the index of one fits into memory, as the documents advise. The index is
 * the one they advise for series.
 */
function tableStatements(table: string): string[] {
  return [
    `CREATE TABLE ${table} (
       time timestamptz NOT NULL,
       publisher integer NOT NULL,
       name text NOT NULL,
       value double precision NOT NULL
     )`,
    `SELECT create_hypertable('${table}', by_range('time', INTERVAL '1 hour'), create_default_indexes => false)`,
    `CREATE INDEX ON ${table} (publisher, time DESC)`,
  ];
}

function* lines(packs: Iterable<Pack>): Generator<string> {
  for (const { publisher, points } of packs) {
    yield points
      .map(
        ({ name, timeMs, value }) =>
          `${new Date(timeMs).toISOString()},${publisher},${name},${value}\n`,
      )
      .join('');
  }
}
