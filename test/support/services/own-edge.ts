import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect } from 'vitest';
import { saysNothing } from '../../../infra/local/supervisor/lines.ts';
import { system } from '../system.ts';

/** An edge with settings of its own, beside the shared system. */
export type OwnEdge = {
  process: ChildProcess;
  url: string;
  port: number;
  /** Where MQTT is taken. */
  mqttPort: number;
  mqttTlsPort: number;
  dataDir: string;
  /** The lines of its log so far, where `LOG_LEVEL` has any. */
  output(): string;
  /** Warnings of Node and of the server, beside the log. */
  warnings(): string[];
};

/**
 * Starts one, with so many `descriptors` if that is given.
 */
export async function startOwnEdge(
  env: Record<string, string>,
  { descriptors }: { descriptors?: number } = {},
): Promise<OwnEdge> {
  const dataDir = env['DATA_DIR'] ?? mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const secrets = JSON.parse(readFileSync(join(system().dataDir, 'secrets.json'), 'utf8'));
  const limited =
    descriptors === undefined
      ? {}
      : { execPath: 'prlimit', execArgv: [`--nofile=${descriptors}`, process.execPath] };
  const child = fork(join(import.meta.dirname, '../fixtures/edge-faulty.ts'), {
    ...limited,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      INGEST_PORT: '0',
      MQTT_PORT: '0',
      MQTT_TLS_PORT: '0',
      DATABASE_URL: system().databaseUrl,
      REDIS_URL: system().redisUrl,
      CLICKHOUSE_URL: system().clickhouseUrl,
      SECRET_KEY: secrets.secretKey,
      LOG_LEVEL: 'fatal',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  let warnings = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    warnings += text;
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [{ port, mqttPort, mqttTlsPort }] = await once(child, 'message');
  return {
    process: child,
    url: `http://127.0.0.1:${port}`,
    port,
    mqttPort,
    mqttTlsPort,
    dataDir,
    output: () => output,
    warnings: () => warnings.split('\n').filter((line) => line !== '' && !saysNothing(line)),
  };
}

/**
 * Ends one, in order. Its log goes with it, so nothing may wait for that any more: deletions and corrections of all
 * tests would, for an hour.
 *
 * @throws Error where it was warned of something.
 */
export async function stopOwnEdge(edge: OwnEdge): Promise<void> {
  const { process: child, dataDir } = edge;
  child.kill('SIGTERM');
  await once(child, 'close');
  const postgres = new Client({ connectionString: system().databaseUrl });
  await postgres.connect();
  const ids = readFileSync(join(dataDir, 'log/0/log.id'), 'utf8').trim().split('\n');
  await postgres.query('DELETE FROM logs WHERE id = ANY ($1)', [ids]);
  await postgres.end();
  rmSync(dataDir, { recursive: true });
  expect(edge.warnings()).toEqual([]);
}
