import { afterAll, beforeAll, expect, it } from 'vitest';
import { clickhouseSteps, migrateClickHouse, stepOf } from '../../../infra/migrations/migrate.ts';
import { asSpread } from '../../../infra/migrations/cluster.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { storeUrl } from '../../../infra/runtime/stores/cluster.ts';
import { type Cluster, clusterName, startCluster } from '../../support/services/cluster/trial.ts';

const log = createLog('test', 'silent');
let cluster: Cluster;
let engine: ClickHouseClient;

beforeAll(async () => {
  cluster = await startCluster();
  engine = openClickHouse(`${cluster.engineUrl}/default`, 'test', 30_000);
});

afterAll(async () => {
  await engine.close();
  await cluster.stop();
});

const steps = () =>
  clickhouseSteps().flatMap((name) => stepOf(name, { name: 'c', insertQuorum: '2' }));

async function rows(query: string, client = engine): Promise<unknown> {
  return (await client.query({ query, format: 'JSONCompactEachRow' })).json();
}

it('every statement of a step goes to all servers', () => {
  expect(steps().filter((query) => !query.includes(' ON CLUSTER `c`'))).toEqual([]);
});

it('ClickHouse understands each statement, and takes each replicated table', async () => {
  const others = [
    'SYSTEM SYNC REPLICA ON CLUSTER `c` senml_shard',
    'TRUNCATE TABLE kept_next ON CLUSTER `c`',
    'EXCHANGE TABLES kept AND kept_next ON CLUSTER `c`',
    'DELETE FROM senml_shard ON CLUSTER `c` WHERE batch = 1',
    "ALTER TABLE senml_shard ON CLUSTER `c` MATERIALIZE TTL IN PARTITION ID '2026'",
    // Of backups and restores.
    'CREATE TABLE copy_shard ON CLUSTER `c` AS senml_shard ENGINE = MergeTree PARTITION BY time ORDER BY (time)',
    'SYSTEM STOP MERGES ON CLUSTER `c` copy_shard',
    'SYSTEM STOP TTL MERGES ON CLUSTER `c` copy_shard',
    'ALTER TABLE copy_shard ON CLUSTER `c` ATTACH PARTITION ALL FROM senml_shard',
    "ALTER TABLE copy_shard ON CLUSTER `c` MOVE PARTITION ID '2026' TO TABLE senml_shard",
    'ALTER TABLE copy_shard ON CLUSTER `c` DELETE WHERE publisher IN (SELECT publisher FROM gone) SETTINGS mutations_sync = 2',
    'DROP TABLE IF EXISTS copy ON CLUSTER `c` SYNC',
  ];
  for (const query of [...steps(), ...others]) await rows(`EXPLAIN AST ${query}`);
  await engine.command({ query: 'CREATE DATABASE replicated' });
  const inIt = openClickHouse(`${cluster.engineUrl}/replicated`, 'test', 30_000);
  for (const query of steps()) {
    if (!query.startsWith('CREATE')) continue;
    const uuid = crypto.randomUUID();
    await inIt.command({ query: query.replace(' ON CLUSTER `c`', ` UUID '${uuid}'`) });
  }
  const created = await rows(
    `SELECT name, engine, extract(create_table_query, '/clickhouse/tables/[^)]*') FROM system.tables
     WHERE database = 'replicated' ORDER BY name`,
  );
  expect(created).toEqual([
    ['json_shard', 'ReplicatedMergeTree', "/clickhouse/tables/{uuid}/{shard}', '{replica}'"],
    ['kept', 'ReplicatedMergeTree', "/clickhouse/tables/{uuid}/all', '{shard}-{replica}'"],
    ['kept_next', 'ReplicatedMergeTree', "/clickhouse/tables/{uuid}/all', '{shard}-{replica}'"],
    [
      'publishers',
      'ReplicatedReplacingMergeTree',
      "/clickhouse/tables/{uuid}/all', '{shard}-{replica}', version, gone",
    ],
    ['senml_shard', 'ReplicatedMergeTree', "/clickhouse/tables/{uuid}/{shard}', '{replica}'"],
  ]);
  const texts = await inIt.query({
    query: `SELECT create_table_query FROM system.tables WHERE database = 'replicated'`,
    clickhouse_settings: { show_table_uuid_in_table_create_query_if_not_nil: 1 },
    format: 'JSONCompactEachRow',
  });
  for (const [text = ''] of await texts.json<[string]>()) {
    const spread = asSpread(text, { name: 'c', insertQuorum: undefined });
    expect(spread).toMatch(
      /^CREATE TABLE IF NOT EXISTS replicated\.\w+ UUID '[0-9a-f-]{36}' ON CLUSTER `c` \(/,
    );
    await rows(`EXPLAIN AST ${spread}`);
  }

  // A restore's table is replicated under a path of its own; a backup's copy is not, and takes the shard's parts.
  await inIt.command({
    query: `CREATE TABLE restored UUID '${crypto.randomUUID()}' AS senml_shard`,
  });
  const [keys] = await (
    await inIt.query({
      query: `SELECT partition_key AS partitions, sorting_key AS sorting FROM system.tables
              WHERE database = 'replicated' AND name = 'senml_shard'`,
      format: 'JSONEachRow',
    })
  ).json<{ partitions: string; sorting: string }>();
  await inIt.command({
    query: `CREATE TABLE copied AS senml_shard
            ENGINE = MergeTree PARTITION BY ${keys?.partitions} ORDER BY (${keys?.sorting})`,
  });
  await inIt.command({ query: 'ALTER TABLE copied ATTACH PARTITION ALL FROM senml_shard' });
  expect(
    await rows(
      `SELECT name, engine, extract(create_table_query, '/clickhouse/tables/[^)]*') FROM system.tables
       WHERE database = 'replicated' AND name IN ('restored', 'copied') ORDER BY name`,
    ),
  ).toEqual([
    ['copied', 'MergeTree', ''],
    ['restored', 'ReplicatedMergeTree', "/clickhouse/tables/{uuid}/{shard}', '{replica}'"],
  ]);
  await inIt.close();
});

it('a single server becomes the first shard of a cluster, and keeps its messages', async () => {
  const database = `${cluster.url}/grown`;
  await migrateClickHouse(database, log);
  const single = openClickHouse(database, 'test', 30_000);
  await single.command({
    query: `INSERT INTO senml (publisher, name, time, kind, given, log, batch)
            SELECT generateUUIDv4(number % 50), 'old', (1700000000 + number * 1e6) * 1000000000, 'value',
                   number / 4, 'a-log', 7 FROM numbers(200)`,
  });
  const sums = `SELECT count(), sum(value), uniqExact(publisher), max(batch) FROM senml`;
  const before = await rows(sums, single);
  await single.close();

  const store = storeUrl({ CLICKHOUSE_URL: database, CLICKHOUSE_CLUSTER: clusterName });
  await migrateClickHouse(store, log);
  const grown = openClickHouse(store, 'test', 30_000);
  expect(await rows(sums, grown)).toEqual(before);
  await grown.command({
    query: `INSERT INTO senml (publisher, name, time, kind, given)
            SELECT generateUUIDv4(number), 'new', 1700000000000000000, 'value', 1 FROM numbers(50)`,
  });
  const byName = 'SELECT name, uniqExact(_shard_num), count() FROM senml GROUP BY 1 ORDER BY 1';
  expect(await rows(byName, grown)).toEqual([
    ['new', 2, 50],
    ['old', 1, 200],
  ]);
  // A second start changes nothing.
  await migrateClickHouse(store, log);
  expect(await rows('SELECT count() FROM senml', grown)).toEqual([[250]]);
  expect(await rows('SELECT count() FROM senml_single', grown)).toEqual([[200]]);
  await grown.close();
});
