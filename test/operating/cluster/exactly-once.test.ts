import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateClickHouse } from '../../../infra/migrations/migrate.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { storeUrl } from '../../../infra/runtime/stores/cluster.ts';
import { uuidToRowBinary } from '../../../ingest/codecs/uuid.ts';
import {
  type Cluster,
  clusterName,
  refusal,
  startCluster,
} from '../../support/services/cluster/trial.ts';
import { eventually } from '../../support/eventually.ts';
import { Life, stopLives } from '../../support/messages/sink-life.ts';

/** Their messages go to different shards. */
const senders = ['1', '2', '3', '4', '5', '6'].map((digit) =>
  uuidToRowBinary(`00000000-0000-4000-8000-00000000000${digit}`),
);

let cluster: Cluster;
let clickhouse: ClickHouseClient;
let directory: string;

beforeAll(async () => {
  cluster = await startCluster();
  const settings = {
    CLICKHOUSE_URL: cluster.url,
    CLICKHOUSE_CLUSTER: clusterName,
    CLICKHOUSE_INSERT_QUORUM: '2',
  };
  await migrateClickHouse(storeUrl(settings), createLog('test', 'silent'));
  clickhouse = openClickHouse(storeUrl(settings), 'test', 30_000);
});

beforeEach(async () => {
  directory = await fs.mkdtemp(join(tmpdir(), 'millrace-cluster-test-'));
});

afterEach(async () => {
  cluster.onInsert(undefined);
  await stopLives();
  await clickhouse.command({ query: 'TRUNCATE TABLE senml_shard ON CLUSTER `trial`' });
  await fs.rm(directory, { recursive: true });
});

afterAll(async () => {
  await clickhouse.close();
  await cluster.stop();
});

/** Each sender sends a message of two records, in two years; all of them become one batch. */
async function sendAll(life: Life): Promise<void> {
  await Promise.all(senders.map((sender, at) => life.send([`a${at}`, `b${at}`], 2026, sender)));
}

const all = senders.flatMap((_, at) => [`a${at}`, `b${at}`]).toSorted();

async function names(): Promise<string[]> {
  const result = await clickhouse.query({
    query: 'SELECT name FROM senml ORDER BY name',
    format: 'JSONEachRow',
  });
  return (await result.json<{ name: string }>()).map(({ name }) => name);
}

async function shardsWithRows(): Promise<number[]> {
  const result = await clickhouse.query({
    query: 'SELECT DISTINCT _shard_num AS shard FROM senml ORDER BY shard',
    format: 'JSONEachRow',
  });
  return (await result.json<{ shard: number }>()).map(({ shard }) => shard);
}

/** The shards have no note of any insert: only what they hold tells. */
async function forgetTokens(): Promise<void> {
  for (const inserts of [0, 10_000]) {
    await clickhouse.command({
      query: `ALTER TABLE senml_shard ON CLUSTER \`trial\`
              MODIFY SETTING replicated_deduplication_window = ${inserts}`,
    });
  }
}

const stored = (): Promise<void> => eventually(async () => expect(await names()).toEqual(all));

describe('a batch of several shards', () => {
  it('goes to each of them with its token and the quorum, as one part for each partition', async () => {
    const seen: { shard: number; token: string; quorum: string }[] = [];
    cluster.onInsert(async (shard, { settings }) => {
      seen.push({
        shard,
        token: settings['insert_deduplication_token'] ?? '',
        quorum: settings['insert_quorum'] ?? '',
      });
    });
    const life = await Life.begin(clickhouse, directory);
    await sendAll(life);
    await stored();
    expect(await shardsWithRows()).toEqual([1, 2]);
    expect(new Set(seen.map(({ quorum }) => quorum))).toEqual(new Set(['2']));
    const ofShard = (shard: number) =>
      seen.filter((one) => one.shard === shard).map(({ token }) => token);
    expect(ofShard(1).length).toBeGreaterThan(0);
    for (const token of [...ofShard(1), ...ofShard(2)]) expect(token).toMatch(/^[^:]+:1:.*:first$/);
  });

  it('is stored once even when a shard is away and then its responses are lost', async () => {
    await cluster.stopShard(2);
    const life = await Life.begin(clickhouse, directory);
    await sendAll(life);
    await eventually(() => life.sink.progress().retries > 1);
    cluster.loseAnswersOf(2);
    await cluster.startShard(2);
    const before = life.sink.progress().retries;
    await eventually(() => life.sink.progress().retries > before);
    cluster.loseAnswersOf(undefined);
    await life.sent(1);
    expect(await names()).toEqual(all);
  });

  it('is stored once after a kill, even when the shards have forgotten the insert', async () => {
    const first = await Life.begin(clickhouse, directory);
    await sendAll(first);
    await stored();
    await first.kill();
    await forgetTokens();
    const again = await Life.begin(clickhouse, directory);
    await again.send(['z'], 2026, senders[0]);
    await eventually(async () => expect(await names()).toEqual([...all, 'z']));
  });

  it('is completed after a kill: only what a shard lacks is inserted', async () => {
    const first = await Life.begin(clickhouse, directory);
    await sendAll(first);
    await stored();
    await first.kill();
    await forgetTokens();
    const engine = openClickHouse(`${cluster.engineUrl}/shard_2`, 'test', 30_000);
    await engine.command({ query: `ALTER TABLE senml_shard DROP PARTITION ID '2027'` });
    await engine.close();
    expect((await names()).length).toBeLessThan(all.length);
    const again = await Life.begin(clickhouse, directory);
    await again.sent(1);
    expect(await names()).toEqual(all);
  });

  it('is stored once even when its publishers belong to other shards by now', async () => {
    const first = await Life.begin(clickhouse, directory);
    await sendAll(first);
    await stored();
    await first.kill();
    // As after a shard was added: what the second one had is where the hash does not say.
    const engine = openClickHouse(`${cluster.engineUrl}/shard_1`, 'test', 30_000);
    await engine.command({ query: 'INSERT INTO senml_shard SELECT * FROM shard_2.senml_shard' });
    await engine.command({ query: 'TRUNCATE TABLE shard_2.senml_shard' });
    await engine.close();
    expect(await shardsWithRows()).toEqual([1]);
    await forgetTokens();
    const again = await Life.begin(clickhouse, directory);
    await again.sent(1);
    expect(await names()).toEqual(all);
  });

  it('is inserted again until each shard reaches its quorum', async () => {
    let refusing = 3;
    cluster.onInsert(async (shard) => {
      if (shard === 1 && refusing-- > 0) throw refusal(285);
    });
    const life = await Life.begin(clickhouse, directory);
    await sendAll(life);
    await stored();
    await eventually(() => life.sink.progress().batches > 0);
    expect(life.sink.progress().quarantinedRecords).toBe(0);
  });
});

it('a frame that one shard refuses for good goes to the quarantine, and all others are stored once', async () => {
  await clickhouse.command({
    query: "ALTER TABLE senml_shard ON CLUSTER `trial` ADD CONSTRAINT no_bad CHECK name != 'a3'",
  });
  try {
    const life = await Life.begin(clickhouse, directory);
    await sendAll(life);
    await eventually(() => life.sink.progress().quarantinedRecords === 2);
    const rest = all.filter((name) => name !== 'a3' && name !== 'b3');
    await eventually(async () => expect(await names()).toEqual(rest));
  } finally {
    await clickhouse.command({
      query: 'ALTER TABLE senml_shard ON CLUSTER `trial` DROP CONSTRAINT no_bad',
    });
  }
});
