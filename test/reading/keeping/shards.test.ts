import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateClickHouse } from '../../../infra/migrations/migrate.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { onShards, storeUrl } from '../../../infra/runtime/stores/cluster.ts';
import { type Built, buildApi } from '../../support/api/build.ts';
import { createEstate, createThings, loginAdmin, People } from '../../support/api/people.ts';
import { type Cluster, clusterName, startCluster } from '../../support/services/cluster/trial.ts';
import { system } from '../../support/system.ts';

/** One installation's API on its one server, and another on two shards, with the same PostgreSQL. */
type Side = { api: Built; url: string; store: ClickHouseClient; authorization: string };

const Claims = Type.Object({ userId: Type.String(), generation: Type.Integer() });

let cluster: Cluster;
let single: Side;
let sharded: Side;
let people: People;
let things: string[];

beforeAll(async () => {
  people = new People();
  cluster = await startCluster();
  const url = storeUrl({
    CLICKHOUSE_URL: `${cluster.url}/restored`,
    CLICKHOUSE_CLUSTER: clusterName,
  });
  await migrateClickHouse(url, createLog('test', 'silent'));
  single = await sideOn(system().clickhouseUrl);
  sharded = await sideOn(url);
  const admin = await loginAdmin();
  const { profileId } = await createEstate(admin);
  const names = Array.from({ length: 20 }, (_, at) => ({ name: `t${at}`, type: 'device' }));
  things = (await createThings(admin, profileId, names)).map(({ id }) => id);
});

afterAll(async () => {
  for (const { api, store } of [single, sharded]) {
    await store.close();
    await api.close();
  }
  await people.close();
  await cluster.stop();
});

async function sideOn(clickhouseUrl: string): Promise<Side> {
  const api = buildApi({ clickhouseUrl });
  const [admin] = await people.rows(
    'SELECT id AS "userId", token_generation AS generation FROM users WHERE email = $1',
    [system().adminEmail],
  );
  const token = await api.tokens.issue(Value.Parse(Claims, admin));
  const store = openClickHouse(clickhouseUrl, 'millrace-test', 30_000);
  const url = await api.server.listen({ host: '127.0.0.1', port: 0 });
  return { api, url, store, authorization: `Bearer ${token}` };
}

const columns =
  'publisher, subtopic, protocol, name, unit, time, kind, scale, mantissa, exact, text, sum, update_time, log, batch';

/** How many records of our things there are, what they are, and on how many shards. */
async function stored({ store }: Side): Promise<unknown> {
  const result = await store.query({
    query: `SELECT toString(count()), toString(sum(sipHash64(toString(tuple(${columns}))))),
                   toString(uniqExact(shardNum()))
            FROM senml WHERE publisher IN {things:Array(UUID)}`,
    query_params: { things },
    format: 'JSONCompactEachRow',
  });
  return (await result.json())[0];
}

async function wipe({ store }: Side): Promise<void> {
  await store.command({
    query: `DELETE FROM ${onShards(store.cluster, 'senml')} WHERE publisher IN {things:Array(UUID)}`,
    query_params: { things },
  });
}

async function backup({ url, authorization }: Side): Promise<Buffer> {
  const answer = await fetch(`${url}/reader/backup`, { headers: { authorization } });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

async function restore({ url, authorization }: Side, body: Buffer): Promise<void> {
  const headers = { authorization, 'content-type': 'application/octet-stream' };
  const answer = await fetch(`${url}/reader/restore`, { method: 'POST', headers, body });
  expect([answer.status, await answer.text()]).toEqual([201, '']);
}

it('a backup of one server restores into two shards, and theirs into one server', async () => {
  await single.store.command({
    query: `INSERT INTO senml (publisher, name, time, kind, given, log, batch)
            SELECT {things:Array(UUID)}[number % 20 + 1], concat('n', toString(number % 3)),
                   1600000000000000000 + intDiv(number, 20) * 3600000000000, 'value', number / 4, 'a log', 7
            FROM numbers(8000)`,
    query_params: { things },
  });
  const before = await stored(single);
  expect(before).toEqual(['8000', expect.anything(), '1']);
  await restore(sharded, await backup(single));
  const [rows, sum] = Object.values(Object(before));
  expect(await stored(sharded)).toEqual([rows, sum, '2']);
  const theirs = await backup(sharded);
  // What is there is not added again.
  await restore(sharded, theirs);
  expect(await stored(sharded)).toEqual([rows, sum, '2']);
  await wipe(single);
  expect(await stored(single)).toEqual(['0', '0', '0']);
  await restore(single, theirs);
  expect(await stored(single)).toEqual(before);
});
