import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { limits } from '../../../../infra/local/clickhouse/limits.ts';
import { embeddedPostgres } from '../../../../infra/local/embedded/postgres.ts';
import { firstThatRuns, installedServers } from '../../../../infra/local/embedded/redis-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { settings } from '../settings.ts';
import { Network } from './network.ts';

const root = join(import.meta.dirname, '../../../..');
const startMsMax = 120_000;
const password = 'apart-for-the-test';
const postgresConnections = 200;

/** What runs by itself on each host, and the signal that stops it. */
type Host = { address: string; begin: () => ChildProcess; stopSignal: NodeJS.Signals };

export const databases = ['postgres', 'redis', 'clickhouse'] as const;
export const ours = ['edge-0', 'edge-1', 'api-0', 'api-1', 'workers-0', 'workers-1'] as const;
type HostName = (typeof databases)[number] | (typeof ours)[number];

const ports = { edge: 8081, api: 8080, workers: 8082 };

/** Millrace with a host for each of its processes and databases: two edges, two APIs, two workers. */
export class Hosts {
  readonly network = new Network();
  readonly #directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  readonly #hosts = new Map<string, Host>();
  readonly #running = new Map<string, ChildProcess>();
  #pooledUrl: string | undefined;
  #ourDatabaseUrl = '';

  static async start(): Promise<Hosts> {
    const hosts = new Hosts();
    chmodSync(hosts.#directory, 0o711);
    await hosts.#addPostgres();
    hosts.#addRedis();
    hosts.#addClickHouse();
    await Promise.all(databases.map((name) => hosts.begin(name)));
    hosts.#ourDatabaseUrl = hosts.databaseUrl;
    if (settings.pooler) await hosts.#startPooler();
    await hosts.#migrate();
    for (const index of [0, 1]) hosts.#addOurs(index);
    for (const name of ours) await hosts.begin(name);
    return hosts;
  }

  get edges(): string[] {
    return [0, 1].map((index) => this.#url(`edge-${index}`, ports.edge));
  }

  get apis(): string[] {
    return [0, 1].map((index) => this.#url(`api-${index}`, ports.api));
  }

  get clickhouseUrl(): string {
    return `http://default:${password}@${this.#host('clickhouse').address}:8123/millrace`;
  }

  get redisUrl(): string {
    return `redis://:${password}@${this.#host('redis').address}:6379`;
  }

  get databaseUrl(): string {
    return `postgres://millrace:${password}@${this.#host('postgres').address}:5432/millrace`;
  }

  /** Starts what runs on a host, and waits until it is ready. */
  async begin(name: HostName): Promise<void> {
    const child = this.#host(name).begin();
    this.#running.set(name, child);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${name} ended with ${String(code)}`);
    });
    ended.catch(() => undefined);
    await Promise.race([this.untilReady(name), ended]);
  }

  /** Signals what runs on a host to stop, and waits for its end. */
  async end(name: HostName, signal = this.#host(name).stopSignal): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  isRunning(name: HostName): boolean {
    const child = this.#running.get(name);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async untilReady(name: HostName): Promise<void> {
    await eventually(() => this.#look(name), startMsMax);
  }

  async stop(): Promise<void> {
    for (const name of [...ours.toReversed(), ...databases]) await this.end(name);
    this.#running.get('pooler')?.kill('SIGKILL');
    this.network.close();
    rmSync(this.#directory, { recursive: true });
  }

  async #look(name: HostName): Promise<boolean> {
    if (name === 'postgres') return this.#lookAtPostgres();
    if (name === 'redis') return this.#lookAtRedis();
    if (name === 'clickhouse') {
      const { origin } = new URL(this.clickhouseUrl);
      const headers = { 'x-clickhouse-user': 'default', 'x-clickhouse-key': password };
      return (await ask(`${origin}/?query=SELECT%201`, headers)) === 200;
    }
    const kind = name.startsWith('edge') ? 'edge' : name.startsWith('api') ? 'api' : 'workers';
    return (await ask(`${this.#url(name, ports[kind])}/health/ready`)) === 200;
  }

  async #lookAtPostgres(): Promise<boolean> {
    const client = new Client({
      connectionString: this.databaseUrl.replace(/millrace$/, 'postgres'),
      connectionTimeoutMillis: 1_000,
      query_timeout: 1_000,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const found = await client.query("SELECT FROM pg_database WHERE datname = 'millrace'");
      if (found.rowCount === 0) await client.query('CREATE DATABASE millrace');
      return true;
    } finally {
      await client.end();
    }
  }

  async #lookAtRedis(): Promise<boolean> {
    const redis = new Redis(this.redisUrl, {
      lazyConnect: true,
      connectTimeout: 1_000,
      commandTimeout: 1_000,
      retryStrategy: () => null,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return (await redis.ping()) === 'PONG';
    } finally {
      redis.disconnect();
    }
  }

  #host(name: string): Host {
    const host = this.#hosts.get(name);
    if (host === undefined) throw new Error(`no host ${name}`);
    return host;
  }

  #url(name: string, port: number): string {
    return `http://${this.#host(name).address}:${port}`;
  }

  #add(name: string, begin: () => ChildProcess, stopSignal: NodeJS.Signals = 'SIGTERM'): void {
    this.#hosts.set(name, { address: this.network.add(name), begin, stopSignal });
  }

  async #addPostgres(): Promise<void> {
    const service = await embeddedPostgres({
      dataDir: this.#directory,
      port: 5432,
      password,
      connections: postgresConnections,
      path: process.env['PATH'] ?? '',
      run: async ({ command, args, env }) => {
        execFileSync(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
      },
    });
    const rule = 'host all all 198.18.0.0/15 scram-sha-256\n';
    appendFileSync(join(this.#directory, 'postgres/pg_hba.conf'), rule);
    const args = [...service.args, '-c', 'listen_addresses=*'];
    const env = { LC_ALL: 'C', TZ: 'UTC' };
    this.#add('postgres', () => this.network.run('postgres', service.command, args, env), 'SIGINT');
  }

  #addRedis(): void {
    const server = firstThatRuns(installedServers(process.env['PATH'] ?? ''), []);
    if (server === undefined) throw new Error('no redis-server that runs');
    const dir = join(this.#directory, 'redis');
    mkdirSync(dir);
    const options = {
      bind: '0.0.0.0',
      port: '6379',
      requirepass: password,
      dir,
      appendonly: 'yes',
      save: '',
      'maxmemory-policy': 'noeviction',
      loglevel: 'warning',
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    this.#add('redis', () => this.network.run('redis', server.command, args, server.env));
  }

  #addClickHouse(): void {
    const main = join(root, 'infra/local/clickhouse/main.ts');
    this.#add('clickhouse', () =>
      this.network.run('clickhouse', process.execPath, [main], {
        DATA_DIR: this.#directory,
        CLICKHOUSE_PORT: '8123',
        CLICKHOUSE_PASSWORD: password,
        UV_THREADPOOL_SIZE: String(limits.threadsMin),
        LOG_LEVEL: 'warn',
      }),
    );
    this.network.open('clickhouse', 8123);
  }

  #addOurs(index: number): void {
    this.#add(`edge-${index}`, () =>
      this.#node(`edge-${index}`, 'ingest/main.ts', { INGEST_PORT: String(ports.edge) }),
    );
    const edge = this.#url(`edge-${index}`, ports.edge);
    this.#add(`api-${index}`, () =>
      this.#node(`api-${index}`, 'api/main.ts', {
        API_PORT: String(ports.api),
        INGEST_URL: edge,
        JWT_SECRET: 'a secret that signs the tokens',
        ADMIN_EMAIL: adminEmail,
        ADMIN_PASSWORD: adminPassword,
        API_ACCESS_LOG: '0',
        WEBHOOK_ALLOW: '198.18.0.0/15',
      }),
    );
    this.#add(`workers-${index}`, () =>
      this.#node(`workers-${index}`, 'workers/main.ts', {
        WORKERS_PORT: String(ports.workers),
        WEBHOOK_ALLOW: '198.18.0.0/15',
      }),
    );
  }

  #node(
    name: string,
    file: string,
    own: Record<string, string>,
    args: string[] = [],
    stdout: 'inherit' | 'pipe' = 'inherit',
  ): ChildProcess {
    const all = [join(root, file), ...args];
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: this.#ourDatabaseUrl,
      REDIS_URL: this.redisUrl,
      CLICKHOUSE_URL: this.clickhouseUrl,
      SECRET_KEY: 'a secret that seals the keys',
      DATA_DIR: join(this.#directory, name),
      LOG_LEVEL: 'warn',
      ...own,
    };
    return this.network.run(name, process.execPath, all, env, stdout);
  }

  /** Runs a command of ours to its end on a host where nothing else runs; its exit code. */
  async operate(file: string, args: string[] = []): Promise<number> {
    const [code] = await once(this.#node('operator', file, {}, args), 'exit');
    return Number(code);
  }

  /** Starts one there that says one line, and waits for that. */
  async operateOn(file: string, args: string[]): Promise<ChildProcess> {
    const child = this.#node('operator', file, {}, args, 'pipe');
    if (child.stdout !== null) await once(child.stdout, 'data');
    return child;
  }

  /** The log of an edge. */
  logOf(edge: string): string {
    return join(this.#directory, edge, 'log/0');
  }

  async #migrate(): Promise<void> {
    this.network.add('operator');
    const code = await this.operate('infra/migrations/migrate.ts');
    if (code !== 0) throw new Error(`the migration ended with ${code}`);
    this.#ourDatabaseUrl = this.#pooledUrl ?? this.databaseUrl;
  }

  /** Debian's pgbouncer, by transactions, on a host of its own. */
  async #startPooler(): Promise<void> {
    const address = this.network.add('pooler');
    const userlist = join(this.#directory, 'userlist.txt');
    writeFileSync(userlist, `"millrace" "${password}"\n`);
    const file = join(this.#directory, 'pgbouncer.ini');
    const { address: postgres } = this.#host('postgres');
    writeFileSync(
      file,
      `[databases]
millrace = host=${postgres} port=5432
[pgbouncer]
listen_addr = ${address}
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${userlist}
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
`,
    );
    const child = this.network.run('pooler', 'pgbouncer', ['-q', '-u', 'postgres', file], {});
    this.#running.set('pooler', child);
    this.#pooledUrl = `postgres://millrace:${password}@${address}:6432/millrace?pgbouncer=true`;
  }
}

export const adminEmail = 'admin@example.com';
export const adminPassword = 'apart-for-the-test';

async function ask(url: string, headers: Record<string, string> = {}): Promise<number> {
  const { status } = await fetch(url, { headers, signal: AbortSignal.timeout(2_000) });
  return status;
}
