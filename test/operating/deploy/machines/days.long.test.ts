import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pickPorts } from '../../../../infra/local/installation/ports.ts';
import { eventually } from '../../../support/eventually.ts';
import { Fleet, type Thing } from '../../../support/fleet.ts';
import { type Running, startClickHouse } from '../../../support/services/embedded-clickhouse.ts';
import { type OwnSystem, startSystem } from '../../../support/system.ts';

/*
 * Days of an operator, as infra/guide/operating tells them, one after the other on one installation: it moves from
 * `npm start` to databases of its own, changes its secrets, and is restored from a backup on a new machine. Needs
 * Debian's PostgreSQL and Redis.
 */

const debian = '/usr/lib/postgresql';
const binaries = existsSync(debian)
  ? readdirSync(debian).map((version) => join(debian, version, 'bin'))
  : [];
const bin = (name: string) => join(binaries.at(-1) ?? '', name);
const root = join(import.meta.dirname, '../../../..');
const messages = 200;
const password = 'a-password-of-the-test';

const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
const dataDir = join(directory, 'data');
const children: ChildProcess[] = [];
let ports: { postgres: number; redis: number };
let clickhouse: Running;
let own: Record<'DATABASE_URL' | 'REDIS_URL' | 'CLICKHOUSE_URL', string>;
let system: OwnSystem;
let fleet: Fleet;
let thing: Thing;
let sent = 0;

const secretsOf = (dir: string): Record<string, string> =>
  JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8'));

const standIn = ['--reuid=postgres', '--regid=postgres', '--clear-groups'];

/** As the user postgres, where this is root. */
function asPostgres(command: string, args: string[]): [string, string[]] {
  return process.getuid?.() === 0
    ? ['setpriv', [...standIn, '--', command, ...args]]
    : [command, args];
}

async function startPostgres(): Promise<void> {
  const dir = join(directory, 'postgres');
  mkdirSync(dir, { mode: 0o777 });
  chmodSync(dir, 0o777);
  writeFileSync(join(dir, 'password'), password);
  const data = join(dir, 'data');
  const options = ['-D', data, '-U', 'millrace', '--auth=scram-sha-256', '--encoding=UTF8'];
  const given = ['--locale=C.UTF-8', `--pwfile=${join(dir, 'password')}`];
  const [initdb, initdbArgs] = asPostgres(bin('initdb'), [...options, ...given]);
  execFileSync(initdb, initdbArgs, { stdio: 'ignore' });
  const settings = [`port=${ports.postgres}`, 'listen_addresses=127.0.0.1', 'max_connections=200'];
  const flags = [...settings, 'unix_socket_directories='].flatMap((one) => ['-c', one]);
  const [command, args] = asPostgres(bin('postgres'), ['-D', data, ...flags]);
  children.push(spawn(command, args, { stdio: 'ignore' }));
  await eventually(() => administer('CREATE DATABASE millrace'));
}

function storeAs(secret: string, database = 'millrace'): string {
  const url = new URL(database, clickhouse.url);
  url.username = 'default';
  url.password = secret;
  return url.href;
}

const urlOf = (database: string, user = 'millrace', secret = password) =>
  `postgres://${user}:${secret}@127.0.0.1:${ports.postgres}/${database}`;

async function administer(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: urlOf('postgres') });
  client.on('error', () => undefined);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function millrace(process_: string, env: Record<string, string>): Promise<void> {
  const child = spawn(join(root, 'infra/deploy/millrace-process'), [process_], {
    env: { PATH: process.env['PATH'], MILLRACE_HOME: root, LOG_LEVEL: 'info', ...env },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  expect([process_, code]).toEqual([process_, 0]);
}

async function send(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const pack = [{ n: 'number', t: 1_600_000_000 + sent, v: sent }];
    expect((await fleet.publish(thing.key, pack)).status).toBe(202);
    sent += 1;
  }
}

/** All that was ever sent is there once, the thing is as it was, and its key works. */
async function mustBeWhole(): Promise<void> {
  await send(10);
  await eventually(async () => expect(await fleet.stored(thing.id)).toBe(sent));
  const values = (await fleet.readSenml(thing.id)).map(({ value }) => value);
  expect(values).toEqual(Array.from({ length: sent }, (_, v) => v));
  const { body } = await fleet.call('GET', `/things/${thing.id}`);
  expect(body).toMatchObject({ id: thing.id, key: thing.key });
}

/** Stops what runs, and starts it again with these settings. */
async function restart(env: Record<string, string>, dir = dataDir): Promise<void> {
  await fleet.close();
  await system.stop();
  system = await startSystem({ dataDir: dir, env });
  fleet = await Fleet.login(system);
}

describe.runIf(binaries.length > 0)('days of an operator, one after the other', () => {
  beforeAll(async () => {
    chmodSync(directory, 0o755);
    mkdirSync(dataDir);
    const [postgres = 0, redis = 0] = await pickPorts(2);
    ports = { postgres, redis };
    system = await startSystem({ dataDir });
    fleet = await Fleet.login(system);
    thing = await fleet.thing({}, 'an external key');
    await send(messages);
    await fleet.allStored();
    await startPostgres();
    mkdirSync(join(directory, 'clickhouse'));
    clickhouse = await startClickHouse(join(directory, 'clickhouse'), {
      CLICKHOUSE_PASSWORD: password,
    });
    const redisArgs = ['--port', String(redis), '--dir', directory, '--requirepass', password];
    children.push(
      spawn('redis-server', [...redisArgs, '--appendonly', 'yes'], { stdio: 'ignore' }),
    );
    own = {
      DATABASE_URL: urlOf('millrace'),
      REDIS_URL: `redis://:${password}@127.0.0.1:${redis}`,
      CLICKHOUSE_URL: storeAs(password),
    };
  });

  afterAll(async () => {
    await fleet.close();
    await system.stop();
    for (const child of children) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    await clickhouse.end('SIGTERM');
    rmSync(directory, { recursive: true });
  });

  it('from npm start to databases of its own', async () => {
    await millrace('migrate', own);
    const startedAt = performance.now();
    await millrace('copy', {
      ...own,
      FROM_DATABASE_URL: system.databaseUrl,
      FROM_CLICKHOUSE_URL: system.clickhouseUrl,
    });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stdout.write(`${JSON.stringify({ part: 'moving', messages: sent, seconds })}\n`);
    await restart(own);
    await mustBeWhole();
  });

  it('another SECRET_KEY and JWT_SECRET', async () => {
    const { token } = fleet;
    const { secretKey = '' } = secretsOf(dataDir);
    const given = { SECRET_KEY: 'another secret of the keys', JWT_SECRET: 'another one of tokens' };
    await restart({ ...own, ...given, SECRET_KEY_BEFORE: secretKey });
    await mustBeWhole();
    const headers = { authorization: `Bearer ${token}` };
    expect(await fleet.call('GET', '/orgs', undefined, headers)).toMatchObject({ status: 401 });
    const kept = {
      ...secretsOf(dataDir),
      secretKey: given.SECRET_KEY,
      jwtSecret: given.JWT_SECRET,
    };
    writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify(kept));
    await restart(own);
    await mustBeWhole();
  });

  it('other passwords of PostgreSQL and Redis', async () => {
    await administer(
      `CREATE ROLE millrace_new LOGIN PASSWORD 'new' IN ROLE millrace`,
      `ALTER ROLE millrace_new SET role = 'millrace'`,
    );
    const cli = ['-p', String(ports.redis), '--no-auth-warning', '-a'];
    execFileSync('redis-cli', [...cli, password, 'ACL', 'SETUSER', 'default', '>new']);
    own.DATABASE_URL = urlOf('millrace', 'millrace_new', 'new');
    own.REDIS_URL = own.REDIS_URL.replace(password, 'new');
    await restart(own);
    execFileSync('redis-cli', [...cli, 'new', 'ACL', 'SETUSER', 'default', `<${password}`]);
    await mustBeWhole();
  });

  it('another password of ClickHouse, of which this server has one at a time', async () => {
    const old = own.CLICKHOUSE_URL;
    const { port } = new URL(clickhouse.url);
    await clickhouse.end('SIGTERM');
    clickhouse = await startClickHouse(join(directory, 'clickhouse'), {
      CLICKHOUSE_PORT: port,
      CLICKHOUSE_PASSWORD: 'another',
    });
    // The edge still has the old one: it keeps what it acknowledges, and readers wait.
    await send(messages);
    expect((await fleet.call('GET', `/reader/senml?publisher=${thing.id}`)).status).toBe(503);
    own.CLICKHOUSE_URL = storeAs('another');
    await restart(own);
    await mustBeWhole();
    const { origin, username, password: key } = new URL(old);
    const headers = { 'x-clickhouse-user': username, 'x-clickhouse-key': key };
    const refused = await fetch(`${origin}/?query=SELECT+1`, { headers });
    expect([refused.ok, await refused.text()]).toEqual([false, expect.stringContaining('516')]);
  });

  it('a backup of all, restored to a new machine', async () => {
    const dump = join(directory, 'millrace.pg');
    execFileSync(bin('pg_dump'), ['--format=custom', `--file=${dump}`, own.DATABASE_URL]);
    const authorization = `Bearer ${fleet.token}`;
    const backup = await request(`${fleet.apiUrl}/reader/backup`, { headers: { authorization } });
    const file = Buffer.from(await backup.body.arrayBuffer());
    expect(backup.statusCode).toBe(200);

    const newDir = join(directory, 'new');
    mkdirSync(newDir);
    copyFileSync(join(dataDir, 'secrets.json'), join(newDir, 'secrets.json'));
    cpSync(join(dataDir, 'ca'), join(newDir, 'ca'), { recursive: true });
    await administer('CREATE DATABASE restored');
    const startedAt = performance.now();
    execFileSync(bin('pg_restore'), [`--dbname=${urlOf('restored')}`, dump]);
    const env = {
      ...own,
      DATABASE_URL: urlOf('restored'),
      CLICKHOUSE_URL: storeAs('another', 'restored'),
    };
    await restart(env, newDir);
    const answer = await request(`${fleet.apiUrl}/reader/restore`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${fleet.token}`,
        'content-type': 'application/octet-stream',
      },
      body: file,
    });
    expect([answer.statusCode, await answer.body.text()]).toEqual([
      expect.toSatisfy((status: unknown) => Number(status) < 300),
      expect.anything(),
    ]);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stdout.write(`${JSON.stringify({ part: 'restoring', messages: sent, seconds })}\n`);
    await mustBeWhole();
  });
});
