import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { eventually } from '../../eventually.ts';
import { startClickHouse } from '../embedded-clickhouse.ts';
import { asksForEngine, type Engine, startFront } from './front.ts';
import { type Insert, type Shard, ShardError, startShard } from './shard.ts';

/*
 * A cluster of two or more shards in one embedded engine: as much of one as can be had without a server of ClickHouse.
 *
 * The Distributed tables are real. To the engine all shards are itself, under loopback addresses. It reads
 * them in its own process, all through one table that merges `shard_1` and `shard_2`; a filter that comes with each
 * query gives each shard its rows. It writes to them over TCP, in ClickHouse's native protocol, which shard.ts takes and puts into
 * the shard's database. What ON CLUSTER says is carried to the shards by front.ts. There are no replicas: their
 * engines are created without the word Replicated.
 */

export const clusterName = 'trial';
const shardDatabase = (number: number) => `shard_${number}`;
/** ClickHouse takes these for itself, and others of 127.0.0.0/8 for other servers. */
const hosts = ['127.0.0.1', '127.0.1.1', '127.1.0.1'] as const;
const hostOf = (number: number) => hosts[number - 1] ?? '';
/** Those that it begins with. */
const firstShards = [1, 2];

export type Cluster = {
  /** Has the id of the engine's process, which is started again when it was killed. */
  enginePidFile: string;
  /** As a process is given it. */
  url: string;
  /** The engine itself, for what a test looks at in one shard. */
  engineUrl: string;
  /** Called with each insert that comes to a shard (1 or 2), before it is done; throws to refuse it. */
  onInsert: (hook: ((shard: number, insert: Insert) => Promise<void>) | undefined) => void;
  /** The answers of this shard are lost after it has done what was asked. */
  loseAnswersOf: (shard: number | undefined) => void;
  /** One more shard, which has no table yet. */
  addShard: () => Promise<void>;
  stopShard: (shard: number) => Promise<void>;
  startShard: (shard: number) => Promise<void>;
  stop: () => Promise<void>;
};

export async function startCluster(): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-cluster-'));
  const port = await freePort('0.0.0.0');
  const configPath = join(dataDir, 'cluster.xml');
  await writeConfig(configPath, port, firstShards);
  const running = await keepRunning(dataDir, configPath);
  const engine = asksForEngine(running.url);
  for (const number of firstShards) await makeDatabase(engine, number);
  const databases = firstShards.map(shardDatabase);
  const front = await startFront(engine, databases);
  return assemble({ dataDir, port, configPath, running, engine, databases, front });
}

type Kept = {
  url: string;
  enginePidFile: string;
  restart: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts the engine, again whenever it was killed. */
async function keepRunning(dataDir: string, configPath: string): Promise<Kept> {
  let isStopping = false;
  let running = await startClickHouse(dataDir, { CLICKHOUSE_CONFIG: configPath });
  const { url } = running;
  const enginePidFile = join(dataDir, 'engine.pid');
  const note = async () => {
    await writeFile(`${enginePidFile}_`, String(running.process.pid));
    await rename(`${enginePidFile}_`, enginePidFile);
  };
  await note();
  const over = (async () => {
    for (;;) {
      await once(running.process, 'exit');
      if (isStopping) return;
      const settings = { CLICKHOUSE_CONFIG: configPath, CLICKHOUSE_PORT: new URL(url).port };
      running = await startClickHouse(dataDir, settings);
      await note();
    }
  })();
  return {
    url,
    enginePidFile,
    // The embedded engine reads its configuration once.
    async restart() {
      const before = running;
      await running.end('SIGKILL');
      await eventually(() => running !== before);
    },
    async stop() {
      isStopping = true;
      // Nothing of it is kept; and an engine with replicated tables may wait for their replicas for good.
      await running.end('SIGKILL');
      await over;
    },
  };
}

async function makeDatabase(engine: Engine, number: number): Promise<void> {
  await engine.run(`CREATE DATABASE IF NOT EXISTS ${shardDatabase(number)}`, {});
}

type Parts = {
  dataDir: string;
  port: number;
  configPath: string;
  /** Of the shards; the front sees what is added. */
  databases: string[];
  running: Kept;
  engine: Engine;
  front: Awaited<ReturnType<typeof startFront>>;
};

async function assemble(parts: Parts): Promise<Cluster> {
  const { dataDir, port, configPath, databases, running, engine, front } = parts;
  let hook: ((shard: number, insert: Insert) => Promise<void>) | undefined;
  let losing: number | undefined;
  const shards = new Map<number, Shard>();
  const start = async (number: number) => {
    const database = shardDatabase(number);
    const within = (query: string) =>
      query.replace(/INSERT INTO \S+?\./, `INSERT INTO ${database}.`);
    const shard = await startShard(hostOf(number), port, {
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
  for (const number of firstShards) await start(number);
  return {
    enginePidFile: running.enginePidFile,
    url: front.url,
    engineUrl: running.url,
    onInsert: (given) => void (hook = given),
    loseAnswersOf: (shard) => void (losing = shard),
    async addShard() {
      const number = databases.length + 1;
      await makeDatabase(engine, number);
      await start(number);
      databases.push(shardDatabase(number));
      await writeConfig(configPath, port, [...shards.keys()]);
      await running.restart();
    },
    stopShard,
    startShard: start,
    async stop() {
      await front.stop();
      for (const number of shards.keys()) await stopShard(number);
      await running.stop();
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

/** ClickHouse's configuration of the cluster. */
async function writeConfig(path: string, port: number, numbers: number[]): Promise<void> {
  const shards = numbers.map(
    (number) => `<shard><internal_replication>true</internal_replication>
      <replica><host>${hostOf(number)}</host><port>${port}</port></replica></shard>`,
  );
  await writeFile(
    path,
    `<clickhouse>
      <remote_servers><${clusterName}>${shards.join('')}</${clusterName}></remote_servers>
      <tcp_port>${port}</tcp_port>
      <zookeeper><implementation>testkeeper</implementation></zookeeper>
      <macros><shard>1</shard><replica>one</replica></macros>
    </clickhouse>`,
  );
}
