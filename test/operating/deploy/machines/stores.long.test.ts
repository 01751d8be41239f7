import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pickPorts } from '../../../../infra/local/installation/ports.ts';
import { migratePostgres } from '../../../../infra/migrations/migrate.ts';
import { createLog } from '../../../../infra/runtime/process/logger.ts';
import { openPostgres } from '../../../../infra/runtime/stores/postgres.ts';
import { eventually } from '../../../support/eventually.ts';
import { Fleet } from '../../../support/fleet.ts';
import { OpenSsl } from '../../../support/services/openssl.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../../../support/services/own-edge.ts';
import { system } from '../../../support/system.ts';

/*
 * An edge beside the shared system that reaches all databases by TLS: PostgreSQL through Debian's pgbouncer, which gives
 * it a session for each transaction, Redis by Sentinel, ClickHouse through a proxy. `apt-get install pgbouncer`.
 */

const password = 'a-password-of-Redis';
const master = 'queues';
const asPostgres = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
const log = createLog('test', 'silent');

let openssl: OpenSsl;
let tls: { certificate: string; key: string };
let ports: Record<'pooler' | 'clickhouse' | 'one' | 'other' | 'sentinel', number>;
let pooledUrl: string;
let edge: OwnEdge;
let fleet: Fleet;
const children = new Map<string, ChildProcess>();
let front: ReturnType<typeof createServer>;

function startPooler(): void {
  const { hostname, port, pathname, username, password: secret } = new URL(system().databaseUrl);
  chmodSync(openssl.directory, 0o755);
  for (const path of Object.values(tls)) chmodSync(path, 0o644);
  const userlist = openssl.file('userlist.txt', `"${username}" "${decodeURIComponent(secret)}"\n`);
  const file = openssl.file(
    'pgbouncer.ini',
    `[databases]
millrace = host=${hostname} port=${port} dbname=${pathname.slice(1)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ports.pooler}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${userlist}
client_tls_sslmode = require
client_tls_cert_file = ${tls.certificate}
client_tls_key_file = ${tls.key}
pool_mode = transaction
default_pool_size = 2
`,
  );
  start('pooler', 'pgbouncer', ['-q', ...asPostgres, file]);
  const query = `pgbouncer=true&sslmode=verify-full&sslrootcert=${tls.certificate}`;
  pooledUrl = `postgres://${username}:${secret}@127.0.0.1:${ports.pooler}/millrace?${query}`;
}

const flags = (options: Record<string, string>): string[] =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);

const tlsFlags = () =>
  flags({
    'tls-cert-file': tls.certificate,
    'tls-key-file': tls.key,
    'tls-ca-cert-file': tls.certificate,
    'tls-auth-clients': 'no',
    'tls-replication': 'yes',
  });

function startRedis(name: 'one' | 'other', more: string[]): void {
  const dir = join(openssl.directory, name);
  mkdirSync(dir);
  const own = flags({
    port: '0',
    'tls-port': String(ports[name]),
    dir,
    appendonly: 'yes',
    requirepass: password,
    masterauth: password,
    loglevel: 'warning',
  });
  start(name, 'redis-server', [...own, ...tlsFlags(), ...more]);
}

/** It writes what it learns into its configuration. */
function startSentinel(): void {
  const file = openssl.file(
    'sentinel.conf',
    `port 0
tls-port ${ports.sentinel}
sentinel monitor ${master} 127.0.0.1 ${ports.one} 1
sentinel auth-pass ${master} "${password}"
sentinel down-after-milliseconds ${master} 500
sentinel failover-timeout ${master} 5000
`,
  );
  start('sentinel', 'redis-server', [file, '--sentinel', ...tlsFlags()]);
}

function start(name: string, command: string, args: string[]): void {
  children.set(name, spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
}

function redis(name: 'one' | 'other', ...command: string[]): string {
  const to = ['--tls', '--cacert', tls.certificate, '-p', String(ports[name]), '-a', password];
  return execFileSync('redis-cli', [...to, '--no-auth-warning', ...command], { encoding: 'utf8' });
}

async function startTlsFront() {
  const { port, hostname } = new URL(system().clickhouseUrl);
  const keys = { cert: readFileSync(tls.certificate), key: readFileSync(tls.key) };
  const server = createServer(keys, (socket) => {
    const to = connect(Number(port), hostname);
    socket.pipe(to).pipe(socket);
    for (const one of [socket, to]) one.on('error', () => [socket, to].map((end) => end.destroy()));
  });
  server.listen(ports.clickhouse, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const isInstalled = (command: string) => spawnSync(command, ['--version']).status === 0;

describe.runIf(isInstalled('pgbouncer') && isInstalled('redis-server'))(
  'databases by TLS, a pooler and Sentinel, where they are installed,',
  () => {
    beforeAll(async () => {
      openssl = new OpenSsl();
      tls = openssl.selfSigned('stores', {
        extensions: [
          'subjectAltName=IP:127.0.0.1,DNS:localhost',
          'basicConstraints=critical,CA:TRUE',
        ],
      });
      const [pooler = 0, clickhouse = 0, one = 0, other = 0, sentinel = 0] = await pickPorts(5);
      ports = { pooler, clickhouse, one, other, sentinel };
      startPooler();
      startRedis('one', []);
      startRedis('other', ['--replicaof', '127.0.0.1', String(ports.one)]);
      await eventually(() => redis('other', 'info', 'replication').includes('link_status:up'));
      startSentinel();
      front = await startTlsFront();
      fleet = await Fleet.login(system());
      const url = new URL(system().clickhouseUrl);
      edge = await startOwnEdge({
        NODE_EXTRA_CA_CERTS: tls.certificate,
        DATABASE_URL: pooledUrl,
        REDIS_URL: `rediss+sentinel://:${encodeURIComponent(password)}@127.0.0.1:${ports.sentinel}/${master}`,
        CLICKHOUSE_URL: `https://${url.username}:${url.password}@127.0.0.1:${ports.clickhouse}${url.pathname}`,
      });
    });

    afterAll(async () => {
      await stopOwnEdge(edge);
      await fleet.close();
      for (const child of children.values()) child.kill('SIGKILL');
      front.close();
      openssl.close();
    });

    it('take what the edge takes', async () => {
      const thing = await fleet.thing();
      for (let v = 0; v < 20; v++) {
        const message = [{ n: 'a', t: 1e9 + v, v }];
        const { status } = await fleet.publish(thing.key, message, { ingestUrl: edge.url });
        expect(status).toBe(202);
      }
      await eventually(async () => expect(await fleet.stored(thing.id)).toBe(20));
      await eventually(async () => expect(await health()).toBe('pass'));
    });

    it('give named statements and transactions to many through two sessions', async () => {
      const pool = openPostgres(pooledUrl, 10, 10_000, log);
      const named = { name: 'twice', text: 'SELECT 2 * $1::integer AS twice' };
      const answers = await Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          const { rows } = await pool.query<{ twice: number }>({ ...named, values: [n] });
          return rows[0]?.twice;
        }),
      );
      expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => 2 * n));
      await pool.end();
    });

    it('refuse migrations through the pooler, with what to do instead', async () => {
      await expect(migratePostgres(pooledUrl, log)).rejects.toThrow(
        'migrations need PostgreSQL itself',
      );
    });

    it('have another Redis after the first one died', async () => {
      children.get('one')?.kill('SIGKILL');
      await eventually(() => expect(redis('other', 'role')).toContain('master'), 60_000);
      await eventually(async () => expect(await health()).toBe('pass'));
      const thing = await fleet.thing();
      const webhooks = [{ name: 'one', url: 'http://127.0.0.1:9/' }];
      await fleet.call('POST', `/things/${thing.id}/webhooks`, webhooks);
      const message = [{ n: 'a', v: 1 }];
      const { status } = await fleet.publish(thing.key, message, { ingestUrl: edge.url });
      expect(status).toBe(202);
      await eventually(() => expect(redis('other', 'keys', 'bull:webhooks:*')).not.toBe('\n'));
    });
  },
);

async function health(): Promise<string> {
  const text = await (await fetch(`${edge.url}/health`)).text();
  const { checks }: { checks: { redis: { status: string }[] } } = JSON.parse(text);
  return checks.redis[0]?.status ?? '';
}
