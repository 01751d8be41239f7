import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseEnv } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { Fleet } from '../../support/fleet.ts';
import { system } from '../../support/system.ts';
import { deploy, environment, readEnvFile, root } from './files.ts';

/*
 * Each process by itself, as systemd's units and the image start it: by millrace-process, with the settings of the
 * environment files and of secrets.sh. Of the shared system only the databases are used.
 */

const name = 'millrace_apart_test';
const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
const children: ChildProcess[] = [];
let common: Record<string, string>;
let fleet: Fleet;
let urls: string[];
/** What the migration ended with. */
let migrated: unknown;

beforeAll(async () => {
  const { databaseUrl, redisUrl, clickhouseUrl } = system();
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name}`);
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  spawnSync('sh', [join(deploy, 'secrets.sh'), directory]);
  common = {
    ...readEnvFile('systemd/env/common.env'),
    ...environment(parseEnv(readFileSync(join(directory, 'secrets.env'), 'utf8'))),
    DATABASE_URL: inside(databaseUrl, name),
    REDIS_URL: inside(redisUrl, '7'),
    CLICKHOUSE_URL: inside(clickhouseUrl, name),
  };

  const migration = begin('migrate', {});
  migration.stdout?.resume();
  [migrated] = await once(migration, 'exit');

  const edge = begin('edge', {
    ...readEnvFile('systemd/env/edge.env'),
    INGEST_PORT: '0',
    MQTT_PORT: '0',
    INGEST_INDEX: '0',
  });
  const ingestUrl = `http://127.0.0.1:${await portOf(edge)}`;
  const api = begin('api', {
    ...readEnvFile('systemd/env/api.env'),
    API_PORT: '0',
    INGEST_URL: ingestUrl,
    CERTS_CA_CERT: join(directory, 'ca.pem'),
    CERTS_CA_KEY: join(directory, 'ca.key'),
  });
  const workers = begin('workers', {
    ...readEnvFile('systemd/env/workers.env'),
    WORKERS_PORT: '0',
  });
  const [apiPort, workersPort] = await Promise.all([portOf(api), portOf(workers)]);
  const apiUrl = `http://127.0.0.1:${apiPort}`;

  urls = [ingestUrl, apiUrl, `http://127.0.0.1:${workersPort}`];
  fleet = await Fleet.login({
    apiUrl,
    ingestUrl,
    adminEmail: 'admin@example.com',
    adminPassword: common['ADMIN_PASSWORD'] ?? '',
  });
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

function inside(url: string, path: string): string {
  const changed = new URL(url);
  changed.pathname = `/${path}`;
  return changed.href;
}

/** Only what is named here, and nothing of this process's environment. */
function begin(process_: string, own: Record<string, string>): ChildProcess {
  const child = spawn(join(deploy, 'millrace-process'), [process_], {
    env: {
      PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`,
      MILLRACE_HOME: root,
      NODE_ENV: 'production',
      ...common,
      DATA_DIR: join(directory, process_),
      ...own,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** Its port, once it is ready. */
async function portOf(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('nothing to read');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    const entry: { msg?: string; port?: number } = JSON.parse(line);
    if (entry.msg !== 'ready' || entry.port === undefined) continue;
    child.stdout.resume();
    return entry.port;
  }
  throw new Error(`it did not start: ${said.join('\n')}`);
}

describe('migrations, edge, API and workers that are started separately', () => {
  it('start, and are ready', async () => {
    expect(migrated).toBe(0);
    await eventually(async () => {
      for (const url of urls) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    });
  });

  it('store a message where the settings say', async () => {
    const thing = await fleet.thing();
    expect((await fleet.publish(thing.key, [{ n: 'apart', v: 1 }])).status).toBe(202);
    await eventually(async () => {
      expect(await fleet.readSenml(thing.id)).toMatchObject([{ name: 'apart', value: 1 }]);
    }, 30_000);

    // The log is where it was told, and the authority that was given is used: none was made.
    expect(readdirSync(join(directory, 'edge/log'))).toEqual(['0']);
    expect(existsSync(join(directory, 'api/ca'))).toBe(false);
  });

  it('end in order', async () => {
    await fleet.close();
    const [, ...started] = children;
    for (const child of started.toReversed()) {
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    }
  });
});
