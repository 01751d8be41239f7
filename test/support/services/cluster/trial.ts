import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Running, startClickHouse } from '../embedded-clickhouse.ts';
import { asksForEngine, type Engine, startFront } from './front.ts';
import { type Insert, type Shard, ShardError, startShard } from './shard.ts';

/*
 * A cluster of two shards in one embedded engine: as much of one as can be had without a server of ClickHouse.
 *
 * The Distributed tables are real. To the engine both shards are itself, under two loopback addresses. It reads
 * them in its own process, both through one table that merges `shard_1` and `shard_2`; a row policy gives each
 * shard its rows. It writes to them over TCP, in ClickHouse's native protocol, which shard.ts takes and puts into
 * the shard's database. What ON CLUSTER says is carried to the shards by front.ts. There are no replicas: their
 * engines are created without the word Replicated.
 */

export const clusterName = 'trial';
export const shardDatabases = ['shard_1', 'shard_2'] as const;
const hosts = ['127.0.0.1', '127.0.1.1'] as const;

export type Cluster = {
  /** As a process is given it. */
  url: string;
  /** The engine itself, for what a test looks at in one shard. */
  engineUrl: string;
  /** Called with each insert that comes to a shard (1 or 2), before it is done; throws to refuse it. */
  onInsert: (hook: ((shard: number, insert: Insert) => Promise<void>) | undefined) => void;
  /** The answers of this shard are lost after it has done what was asked. */
  loseAnswersOf: (shard: number | undefined) => void;
  stopShard: (shard: number) => Promise<void>;
  startShard: (shard: number) => Promise<void>;
  stop: () => Promise<void>;
};

export async function startCluster(tables: readonly string[]): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-cluster-'));
  const port = await freePort();
  const configPath = await writeConfig(dataDir, port, tables);
  const running = await startClickHouse(dataDir, { CLICKHOUSE_CONFIG: configPath });
  const engine = asksForEngine(running.url);
  for (const name of shardDatabases) await engine.run(`CREATE DATABASE IF NOT EXISTS ${name}`, {});
  const front = await startFront(engine, shardDatabases);
  return assemble({ dataDir, port, running, engine, front });
}

type Parts = {
  dataDir: string;
  port: number;
  running: Running;
  engine: Engine;
  front: Awaited<ReturnType<typeof startFront>>;
};

async function assemble({ dataDir, port, running, engine, front }: Parts): Promise<Cluster> {
  let hook: ((shard: number, insert: Insert) => Promise<void>) | undefined;
  let losing: number | undefined;
  const shards = new Map<number, Shard>();
  const start = async (number: number) => {
    const database = shardDatabases[number - 1] ?? '';
    const within = (query: string) =>
      query.replace(/INSERT INTO \S+?\./, `INSERT INTO ${database}.`);
    const shard = await startShard(hosts[number - 1] ?? '', port, {
      columnsOf: (query) => engine.columnsOf(within(query)),
      async insert(insert) {
        await hook?.(number, insert);
        const { query, settings, data } = insert;
        if (data.length > 0) await engine.insert(within(query), settings, data).catch(refused);
        if (losing === number) throw new Error('the answer is lost');
      },
    });
    shards.set(number, shard);
  };
  const stopShard = async (number: number) => {
    await shards.get(number)?.stop();
    shards.delete(number);
  };
  for (const number of [1, 2]) await start(number);
  return {
    url: front.url,
    engineUrl: running.url,
    onInsert: (given) => void (hook = given),
    loseAnswersOf: (shard) => void (losing = shard),
    stopShard,
    startShard: start,
    async stop() {
      await front.stop();
      for (const number of [1, 2]) await stopShard(number);
      // Nothing of it is kept; and an engine with replicated tables may wait for their replicas for good.
      await running.end('SIGKILL');
      await rm(dataDir, { recursive: true });
    },
  };
}

/** The engine's error goes to whoever asked the shard. */
function refused(error: unknown): never {
  const text = String(error);
  throw new ShardError(Number(/Code: (\d+)/.exec(text)?.[1]), text);
}

/** A shard's refusal, by ClickHouse's code. */
export const refusal = (code: number) => new ShardError(code, 'as the test wants it');

/** One that is free under both addresses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, hosts[1]);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** ClickHouse's configuration of the cluster, and users whose row policies give each shard its rows. */
async function writeConfig(
  dataDir: string,
  port: number,
  tables: readonly string[],
): Promise<string> {
  const directory = join(dataDir, 'configuration');
  await mkdir(directory, { recursive: true });
  const shards = hosts.map(
    (host) => `<shard><internal_replication>true</internal_replication>
      <replica><host>${host}</host><port>${port}</port></replica></shard>`,
  );
  const usersPath = join(directory, 'users.xml');
  const configPath = join(directory, 'config.xml');
  await writeFile(
    configPath,
    `<clickhouse>
      <remote_servers><${clusterName}>${shards.join('')}</${clusterName}></remote_servers>
      <tcp_port>${port}</tcp_port>
      <zookeeper><implementation>testkeeper</implementation></zookeeper>
      <macros><shard>1</shard><replica>one</replica></macros>
      <users_config>${usersPath}</users_config>
    </clickhouse>`,
  );
  const policies = shardDatabases.map((database, at) => {
    const ofTable = (table: string) =>
      `<${table}><filter>shardNum() IN (0, ${at + 1})</filter></${table}>`;
    return `<${database}>${tables.map(ofTable).join('')}</${database}>`;
  });
  await writeFile(
    usersPath,
    `<clickhouse>
      <profiles><default/></profiles><quotas><default/></quotas>
      <users><default>
        <password/><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
        <databases>${policies.join('')}</databases>
      </default></users>
    </clickhouse>`,
  );
  return configPath;
}
