import { join } from 'node:path';
import type { Service } from '../supervisor/supervisor.ts';
import type { Addresses } from './addresses.ts';
import type { Command } from '../supervisor/child.ts';
import type { StartConfig } from './config.ts';
import { limits } from '../limits.ts';
import type { LocalSecrets } from './local-secrets.ts';
import { niceness } from '../supervisor/priority.ts';

const root = join(import.meta.dirname, '../../..');

// Exports pass through it in pieces that die young: a larger nursery only holds more of them. With the
// heap's limit close above what it holds, those pieces also made V8 mark all of it many times a second:
// 3.8 s of CPU for 456 MB in two runs of three, 0.8 in all since.
// V8 would let the heap grow to four times what lived at its last look: lists of the largest things took the
// process from 200 to 740 MiB, most of it garbage. Half as much again costs no CPU that could be measured.
const apiHeapFlags = [
  '--max-semi-space-size=2',
  '--initial-old-space-size=96',
  '--heap-growing-percent=50',
];

// Objects of a message die young: V8's usual nurseries, four times as large, only took 55 MiB more for an edge's three
// threads. Keys live on. Where the heap may grow to four times the size that lived at its last look, an edge of 100,000
// things held 477 MiB instead of 310. Neither costs CPU that could be measured.
export const edgeHeapFlags = ['--max-semi-space-size=4', '--heap-growing-percent=50'];

// Beside messages of a megabyte to unreachable hosts the workers held 320 MiB so, and 360 as V8 would grow the heap. It
// costs 7 % of what they deliver at full speed. Growing by 100 % costs as much and saves less.
const workersHeapFlags = ['--heap-growing-percent=50'];

/** An arena for each thread kept 30 MiB of the API for nothing, and 20 of the workers. */
const mallocArenas = '1';

/** Our own processes as commands. Each finds in its environment what it needs, and checks it itself. */
export function ourProcesses(config: StartConfig, secrets: LocalSecrets, addresses: Addresses) {
  const { apiPort, ingestPort, workersPort } = addresses;
  const { databaseUrl, redisUrl, clickhouseUrl } = addresses;
  const shared = {
    ...config.inherited,
    DATA_DIR: config.dataDir,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    CLICKHOUSE_URL: clickhouseUrl,
    SECRET_KEY: config.secretKey ?? secrets.secretKey,
  };
  return {
    clickhouse: () => clickhouse(config, secrets, addresses),
    openapi: (): Command => command('openapi', 'api/server/write-openapi.ts', config.inherited),
    migrate: (): Command => command('migrate', 'infra/migrations/migrate.ts', shared),
    ingest: (): Service[] =>
      Array.from({ length: config.ingestProcesses }, (_, index) =>
        edge(index, config, addresses, shared),
      ),
    api: (): Service => ({
      ...service(
        limits.stopMsMax.api,
        command(
          'api',
          'api/main.ts',
          {
            ...shared,
            API_PORT: String(apiPort),
            INGEST_URL: `http://127.0.0.1:${ingestPort}`,
            JWT_SECRET: config.jwtSecret ?? secrets.jwtSecret,
            ADMIN_EMAIL: config.adminEmail,
            ADMIN_PASSWORD: config.adminPassword ?? secrets.adminPassword,
            MALLOC_ARENA_MAX: mallocArenas,
          },
          apiHeapFlags,
        ),
      ),
      niceness: niceness.answers,
    }),
    workers: (): Service => ({
      ...service(
        limits.stopMsMax.workers,
        command(
          'workers',
          'workers/main.ts',
          {
            ...shared,
            WORKERS_PORT: String(workersPort),
            API_PORT: String(apiPort),
            MALLOC_ARENA_MAX: mallocArenas,
          },
          workersHeapFlags,
        ),
      ),
      niceness: niceness.webhooks,
    }),
  };
}

/** One of the edges, which share their port and have a log each. */
function edge(
  index: number,
  { ingestProcesses }: StartConfig,
  { ingestPort, ingestOperatorPort, mqttPort }: Addresses,
  shared: NodeJS.ProcessEnv,
): Service {
  const env = {
    ...shared,
    INGEST_PORT: String(ingestPort),
    MQTT_PORT: String(mqttPort ?? 'off'),
    INGEST_INDEX: String(index),
    INGEST_PROCESSES: String(ingestProcesses),
    INGEST_OPERATOR_PORT: String(ingestOperatorPort),
  };
  const name = ingestProcesses === 1 ? 'ingest' : `ingest-${index}`;
  return service(limits.stopMsMax.ingest, command(name, 'ingest/main.ts', env, edgeHeapFlags));
}

function clickhouse(config: StartConfig, secrets: LocalSecrets, addresses: Addresses): Service {
  return {
    ...service(
      limits.stopMsMax.clickhouse,
      command('clickhouse', 'infra/local/clickhouse/main.ts', {
        ...config.inherited,
        DATA_DIR: config.dataDir,
        CLICKHOUSE_PORT: String(addresses.enginePorts.clickhouse),
        CLICKHOUSE_PASSWORD: secrets.clickhousePassword,
        // Each running query keeps a thread of libuv's pool, which is made before any code runs.
        UV_THREADPOOL_SIZE: '32',
      }),
    ),
    niceness: niceness.answers,
    firstTries: limits.engineTriesMax,
  };
}

function command(
  name: string,
  file: string,
  env: NodeJS.ProcessEnv,
  flags: string[] = [],
): Command {
  const args = [...flags, join(root, file)];
  return { name, command: process.execPath, args, env, orphanSignal: null };
}

function service(shareMs: number, own: Command): Service {
  return { ...own, ready: 'line', stopSignal: 'SIGTERM', stopMsMax: shareMs, firstTries: 1 };
}
