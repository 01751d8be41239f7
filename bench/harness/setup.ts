import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { edgeHeapFlags } from '../../infra/local/installation/processes.ts';
import { openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { Fleet } from '../../test/support/fleet.ts';
import { type OwnSystem, startSystem } from '../../test/support/system.ts';
import { type BenchProcess, startProcess } from './processes.ts';
import type { Figure } from './figures.ts';
import { createPublishers, writeRequests } from './requests.ts';

/** An edge of the benchmark's own, on a log of its own, over the system's databases. */
export type BenchEdge = BenchProcess & { dataDir: string };

/** What every scenario uses: a whole Millrace, things that publish, and prepared requests. */
export type Bench = {
  system: OwnSystem;
  fleet: Fleet;
  /** The system's `SECRET_KEY`. */
  secretKey: string;
  credentials: string[];
  /** A directory that is deleted at the end. */
  scratch: string;
  /** The file of prepared messages with this many records each. */
  requests(records: number): string;
  startEdge(options?: {
    synced?: boolean;
    dataDir?: string;
    settings?: Record<string, string>;
  }): Promise<BenchEdge>;
  /** A server to compare with: it only drains bodies. */
  startBare(): Promise<BenchProcess>;
  /** Rows in the store. */
  storedRecords(): Promise<number>;
  /** Bytes of a row on the disk, with parts as they are merged now. */
  bytesPerRecord(): Promise<number>;
  clickhouseVersion(): Promise<string>;
  /** Stops everything; what the system printed is shown of a run that failed. */
  close(failed: boolean): Promise<void>;
};

export type Scenario = (bench: Bench) => Promise<Figure[]>;

const publishers = 500;

export async function setUp(): Promise<Bench> {
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const secretKey = randomBytes(32).toString('hex');
  const system = await startSystem({ env: { SECRET_KEY: secretKey } });
  const fleet = await Fleet.login(system);
  const credentials = await createPublishers(fleet, publishers);
  const clickhouse = openClickHouse(system.clickhouseUrl, 'millrace-bench', 60_000);
  const prepared = new Map<number, string>();

  async function ask(query: string): Promise<string> {
    const rows = await clickhouse.query({ query, format: 'JSONEachRow' });
    const [row] = await rows.json<{ answer: string }>();
    return row?.answer ?? '';
  }

  return {
    system,
    fleet,
    secretKey,
    credentials,
    scratch,
    requests(records) {
      const known = prepared.get(records);
      if (known !== undefined) return known;
      const path = join(scratch, `requests-${records}`);
      writeRequests(path, credentials, records);
      prepared.set(records, path);
      return path;
    },
    async startEdge({
      synced = true,
      dataDir = mkdtempSync(join(scratch, 'edge-')),
      settings = {},
    } = {}) {
      const process = await startProcess(
        synced ? 'ingest/main.ts' : 'bench/harness/edge-unsynced.ts',
        {
          INGEST_PORT: '0',
          INGEST_OPERATOR_PORT: '0',
          MQTT_PORT: '0',
          INGEST_HOST: '127.0.0.1',
          DATA_DIR: dataDir,
          DATABASE_URL: system.databaseUrl,
          REDIS_URL: system.redisUrl,
          CLICKHOUSE_URL: system.clickhouseUrl,
          SECRET_KEY: secretKey,
          ...settings,
        },
        { flags: edgeHeapFlags },
      );
      return { ...process, dataDir };
    },
    startBare: () => startProcess('bench/harness/bare-server.ts', {}),
    storedRecords: async () => Number(await ask('SELECT toString(count()) AS answer FROM senml')),
    bytesPerRecord: async () =>
      Number(
        await ask(
          `SELECT toString(sum(bytes_on_disk) / sum(rows)) AS answer
           FROM system.parts WHERE active AND table = 'senml' AND database = currentDatabase()`,
        ),
      ),
    clickhouseVersion: () => ask('SELECT version() AS answer'),
    async close(failed) {
      await clickhouse.close();
      await fleet.close();
      await system.stop(failed);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** One number of a server's `/metrics`; the sum over its labels. */
export async function metric(url: string, name: string): Promise<number> {
  const { body } = await request(`${url}/metrics`);
  const lines = (await body.text()).split('\n').filter((line) => {
    return line.startsWith(`${name} `) || line.startsWith(`${name}{`);
  });
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
