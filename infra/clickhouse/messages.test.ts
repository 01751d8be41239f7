import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../clickhouse.ts';
import { type Running, startClickHouse } from '../embedded/clickhouse/start-for-test.ts';
import { createLog } from '../log.ts';
import { migrateClickHouse } from '../migrate.ts';

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

it('a value reads back with the bits it came with', async () => {
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
