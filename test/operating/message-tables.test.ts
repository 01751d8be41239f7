import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { type Running, startClickHouse } from '../support/services/embedded-clickhouse.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { migrateClickHouse } from '../../infra/migrations/migrate.ts';
import {
  kindType,
  messageTables,
  nextRetentionTable,
  publishersTable,
  retentionTable,
} from '../../schemas/messages/tables.ts';

let dataDir: string;
let running: Running;
let clickhouse: ClickHouseClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'millrace-tables-'));
  running = await startClickHouse(dataDir);
  await migrateClickHouse(running.url, createLog('test', 'silent'));
  clickhouse = openClickHouse(running.url, 'millrace-test', 30_000);
});

afterAll(async () => {
  await clickhouse.close();
  await running.end('SIGTERM');
  await rm(dataDir, { recursive: true });
});

it('the tables are those that schemas/messages/tables.ts names', async () => {
  const result = await clickhouse.query({
    query: `SELECT table, groupArrayIf(name, default_kind != 'ALIAS') AS columns,
                   anyIf(type, name = 'kind') AS kind
            FROM system.columns WHERE database = currentDatabase() GROUP BY table`,
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ table: string; columns: string[]; kind: string }>();
  const found = new Map(rows.map((row) => [row.table, row]));
  for (const { name, time, inserted } of Object.values(messageTables)) {
    expect(found.get(name)?.columns).toEqual(
      expect.arrayContaining([time, ...inserted.split(', ')]),
    );
  }
  expect(found.get(messageTables.senml.name)?.kind).toBe(kindType);
  for (const name of [publishersTable, retentionTable, nextRetentionTable]) {
    expect([...found.keys()]).toContain(name);
  }
});

it('times of a whole century make few parts', async () => {
  await clickhouse.command({
    query: `INSERT INTO senml (name, time, kind, given)
            SELECT 'far', (number * 31557600 - 1e9) * 1000000000, 'value', 1 FROM numbers(200)`,
    clickhouse_settings: { max_partitions_per_insert_block: '0' },
  });
  const result = await clickhouse.query({
    query: `SELECT uniqExact(_partition_id) <= 21, count() FROM senml WHERE name = 'far'`,
    format: 'JSONCompactEachRow',
  });
  expect(await result.json()).toEqual([[1, 200]]);
  await clickhouse.command({ query: 'TRUNCATE TABLE senml' });
});

it('migrations that were interrupted run again, and change nothing of what is there', async () => {
  await clickhouse.insert({
    table: 'senml',
    columns: ['name', 'time', 'kind', 'given'],
    values: [{ name: 'kept', time: '1700000000000000000', kind: 'value', given: 1.25 }],
    format: 'JSONEachRow',
  });
  const ask = async (query: string) =>
    (await clickhouse.query({ query, format: 'JSONCompactEachRow' })).json();
  const tables = `SELECT name, create_table_query FROM system.tables
                  WHERE database = currentDatabase() ORDER BY name`;
  const before = await ask(tables);
  // As if the migration had been cut short in its first step: none is noted.
  await clickhouse.command({ query: 'TRUNCATE TABLE migrations' });
  await clickhouse.command({ query: 'DROP TABLE kept_next' });
  await migrateClickHouse(running.url, createLog('test', 'silent'));
  expect(await ask(tables)).toEqual(before);
  expect(await ask('SELECT name, toString(time), value FROM senml')).toEqual([
    ['kept', '1700000000000000000', 1.25],
  ]);
  await clickhouse.command({ query: 'TRUNCATE TABLE senml' });
});

const bits = (value: number) => new BigUint64Array(new Float64Array([value]).buffer)[0];

/** Decimals as sensors send them, whole numbers of any size, and any double there is. */
const numbers = fc.oneof(
  fc
    .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 12 }))
    .map(([digits, scale]) => Number(`${digits}e-${scale}`)),
  fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 9 }))
    .map(([digits, scale]) => Number(`${digits}e-${scale}`)),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 9e9, -9e9, 9e18, -9e18, 2 ** 63, 5e-324, Number.MAX_VALUE, 0.1 + 0.2),
);

it('a value keeps its bits', async () => {
  const all = [...fc.sample(numbers, { numRuns: 100_000, seed: 42 }), -0, 0];
  await clickhouse.insert({
    table: 'senml',
    columns: ['kind', 'given', 'text'],
    values: all.map((given) => ['value', Object.is(given, -0) ? '-0' : given, `${bits(given)}`]),
    format: 'JSONCompactEachRow',
  });
  const result = await clickhouse.query({
    query: `SELECT text, value, toString(reinterpretAsUInt64(value)) AS found FROM senml
            WHERE found != text LIMIT 5`,
    format: 'JSONEachRow',
  });
  expect(await result.json()).toEqual([]);
  const kept = await clickhouse.query({
    query: 'SELECT uniqExact(scale), count() FROM senml',
    format: 'JSONCompactEachRow',
  });
  expect(await kept.json()).toEqual([[11, all.length]]);
});
