import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { storeUrl } from '../../../infra/runtime/stores/cluster.ts';
import { allKept, judgeLoad } from '../../faults/programme/judge.ts';
import { type Load, startLoad } from '../../faults/programme/load.ts';
import { fixedPorts } from '../../faults/programme/ports.ts';
import { report } from '../../faults/programme/report.ts';
import { eventually } from '../../support/eventually.ts';
import { Fleet } from '../../support/fleet.ts';
import { type Cluster, clusterName, startCluster } from '../../support/services/cluster/trial.ts';
import { type OwnSystem, startSystem } from '../../support/system.ts';

/*
 * The guide's walk from one server to a cluster, and to one more shard, under load: guide/cluster.md. The servers' own
 * part in it (ON CLUSTER, replicas) is the trial's.
 */

const rate = 40;
const growMessages = 600;
const root = join(import.meta.dirname, '../../..');
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));

let cluster: Cluster;
let system: OwnSystem;
let env: Record<string, string>;
let load: Load;
let store: ClickHouseClient;
let failed = false;

beforeAll(async () => {
  cluster = await startCluster();
  env = { ...(await fixedPorts()), CLICKHOUSE_URL: `${cluster.url}/millrace` };
  system = await startSystem({ dataDir, env });
  load = await startLoad(system, rate);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await store.close();
  await load.close();
  await system.stop(failed);
  await cluster.stop();
  if (!failed) rmSync(dataDir, { recursive: true });
});

/** Waits until as many more messages were acknowledged. */
async function acknowledged(more: number): Promise<void> {
  const before = load.ledger.acknowledged;
  await eventually(() => load.ledger.acknowledged >= before + more, 10 * 60_000);
}

/** How many rows each shard has. */
async function rowsOfShards(): Promise<Map<number, number>> {
  const result = await store.query({
    query:
      'SELECT shardNum() AS shard, toUInt32(count()) AS rows FROM senml GROUP BY shard ORDER BY shard',
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ shard: number; rows: number }>();
  return new Map(rows.map(({ shard, rows: count }) => [shard, count]));
}

it('from one server to a cluster, and one more shard, nothing is lost or stored twice', async () => {
  await acknowledged(growMessages);

  // From one server: a short stop, and the migration.
  const stoppedAt = performance.now();
  await system.stop();
  env['CLICKHOUSE_CLUSTER'] = clusterName;
  system = await startSystem({ dataDir, env });
  const stopSeconds = Math.round((performance.now() - stoppedAt) / 1_000);
  const settings = { CLICKHOUSE_URL: `${cluster.url}/millrace`, CLICKHOUSE_CLUSTER: clusterName };
  store = openClickHouse(storeUrl(settings), 'test', 60_000);
  await acknowledged(growMessages);

  // One more shard. Between the two steps inserts fail that have messages for it.
  await cluster.addShard();
  await acknowledged(growMessages);
  await system.kill('ingest', 'SIGKILL');
  await promisify(execFile)(process.execPath, [join(root, 'infra/migrations/migrate.ts')], {
    env: { ...process.env, ...settings, DATABASE_URL: system.databaseUrl },
  });
  await acknowledged(growMessages);
  await system.kill('ingest', 'SIGKILL');
  await load.stop();

  const { findings, figures } = await judgeLoad({ clickhouseUrl: storeUrl(settings) }, load);
  const shards = await rowsOfShards();
  report('growing', { stopSeconds, ...findings, ...figures, shards: [...shards] });
  expect(findings).toEqual(allKept);
  expect(await eventually(rowsOfShards)).toEqual(shards);
});

it('new things are on the new shard as well, and readers see all messages, in their order', async () => {
  const fleet = await Fleet.login(system);
  const things = await Promise.all(Array.from({ length: 30 }, () => fleet.thing()));
  for (const { key } of things) {
    expect((await fleet.publish(key, [{ n: 'new', t: 1_700_000_000, v: 1 }])).status).toBe(202);
  }
  await fleet.allStored();
  expect([...(await rowsOfShards()).keys()]).toEqual([1, 2, 3]);
  const values = (await fleet.readSenml(load.senml.id)).map(({ value }) => value);
  expect(new Set(values).size).toBe(values.length);
  expect(values).toEqual(values.toSorted((a = 0, b = 0) => a - b));
  for (const { id } of things) expect(await fleet.stored(id)).toBe(1);
  await fleet.close();
});

it('a deletion and a retention reach the old messages and the new ones', async () => {
  const fleet = await Fleet.login(system);
  const ofThing = async (table: string, id: string) => {
    const result = await store.query({
      query: `SELECT count() FROM ${table} WHERE publisher = {id:UUID}`,
      query_params: { id },
      format: 'TabSeparated',
    });
    return Number(await result.text());
  };
  expect(await ofThing('json', load.json.id)).toBeGreaterThan(0);
  await eventually(async () => {
    expect((await fleet.call('DELETE', `/reader/json/${load.json.id}`)).status).toBe(204);
  }, 60_000);
  expect(await ofThing('json', load.json.id)).toBe(0);
  // All of these are of 2020.
  const { groupId, id } = load.senml;
  expect((await fleet.call('PUT', `/groups/${groupId}`, { retention_days: 30 })).status).toBe(200);
  await eventually(async () => expect(await ofThing('senml', id)).toBe(0), 5 * 60_000);
  await fleet.close();
});
