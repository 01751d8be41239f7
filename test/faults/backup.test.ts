import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Client } from 'pg';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../infra/runtime/stores/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { startStoredSystem } from '../support/services/stored-system.ts';
import type { OwnSystem } from '../support/system.ts';

const rows = Number(process.env['FAULTS_ROWS'] ?? 3_000_000);
const kills = Number(process.env['FAULTS_KILLS'] ?? 30);
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const recoveredMs = 300_000;
/** What the API may take, whatever the size of a backup. */
const apiBytesMax = 400 * 1024 * 1024;

const columns =
  'publisher, subtopic, protocol, name, unit, time, kind, scale, mantissa, exact, text, sum, update_time, log, batch';

let system: OwnSystem;
let clickhouse: ClickHouseClient;
let failed = false;

beforeAll(async () => {
  system = await startStoredSystem(process.env);
  clickhouse = openClickHouse(system.clickhouseUrl, 'millrace-test', 300_000);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await clickhouse.close();
  await system.stop(failed);
});

async function tokenOf(): Promise<string> {
  const answer = await request(`${system.apiUrl}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: system.adminEmail, password: system.adminPassword }),
  });
  return String(Object(await answer.body.json()).token);
}

const publisher = `reinterpretAsUUID(toFixedString(leftPad(toString(number % 500), 16, '0'), 16))`;

/** The things whose messages these are: those of others are not restored. */
async function makeThings(): Promise<void> {
  const result = await clickhouse.query({
    query: `SELECT ${publisher} AS id FROM numbers(500)`,
    format: 'JSONEachRow',
  });
  const ids = (await result.json<{ id: string }>()).map(({ id }) => id);
  const postgres = new Client({ connectionString: system.databaseUrl });
  await postgres.connect();
  await postgres.query(
    `WITH org AS (INSERT INTO orgs (id, owner_id, name)
                  SELECT gen_random_uuid(), id, 'org' FROM users LIMIT 1 RETURNING id),
          made AS (INSERT INTO groups (id, org_id, name)
                   SELECT gen_random_uuid(), id, 'group' FROM org RETURNING id),
          profile AS (INSERT INTO profiles (id, group_id, name)
                      SELECT gen_random_uuid(), id, 'profile' FROM made RETURNING id, group_id)
     INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed)
     SELECT thing.id, group_id, profile.id, thing.id::text, 'device', uuid_send(thing.id), ''
     FROM unnest($1::uuid[]) AS thing (id), profile`,
    [ids],
  );
  await postgres.end();
}

/** Millions of rows over years, a hundredth of them twice. */
async function fill(): Promise<void> {
  for (let from = 0; from < rows; from += 500_000) {
    await clickhouse.command({
      query: `
        INSERT INTO senml (publisher, subtopic, protocol, name, unit, time, kind, given, text, log, batch)
        SELECT
          ${publisher}, '', 'http',
          concat('n', toString(number % 3)), 'Cel',
          1600000000000000000 + number * 50000000000, 'value',
          round(rand() % 10000 / 100, 2), '', '9b0f0000-0000-4000-8000-000000000000', {batch:UInt32}
        FROM numbers({from:UInt64}, {count:UInt64})
        ARRAY JOIN range(if(number % 100 = 0, 2, 1)) AS twin`,
      query_params: { batch: from / 500_000, from, count: Math.min(500_000, rows - from) },
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    });
  }
}

async function stored(): Promise<string> {
  const result = await clickhouse.query({
    query: `SELECT count(), sum(sipHash64(toString(tuple(${columns})))) FROM senml`,
    format: 'TabSeparated',
  });
  return (await result.text()).trim();
}

async function leftTables(): Promise<string> {
  const result = await clickhouse.query({
    query: `SELECT name FROM system.tables WHERE match(name, '^(backup|restore)_') AND database = currentDatabase()`,
    format: 'TabSeparated',
  });
  return result.text();
}

async function backup(): Promise<Buffer> {
  const answer = await request(`${system.apiUrl}/reader/backup`, {
    headers: { authorization: `Bearer ${await tokenOf()}` },
    bodyTimeout: 0,
  });
  expect(answer.statusCode).toBe(200);
  return Buffer.from(await answer.body.arrayBuffer());
}

/** What comes of a backup under way; undefined if there was no response. */
async function tryBackup(): Promise<{ bytes: Buffer; isWhole: boolean } | undefined> {
  const chunks: Buffer[] = [];
  try {
    const answer = await request(`${system.apiUrl}/reader/backup`, {
      headers: { authorization: `Bearer ${await tokenOf()}` },
      bodyTimeout: 0,
    });
    if (answer.statusCode !== 200) return undefined;
    for await (const chunk of answer.body) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), isWhole: true };
  } catch {
    return chunks.length === 0 ? undefined : { bytes: Buffer.concat(chunks), isWhole: false };
  }
}

async function restore(file: Buffer): Promise<number> {
  const answer = await request(`${system.apiUrl}/reader/restore`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await tokenOf()}`,
      'content-type': 'application/octet-stream',
    },
    body: file,
    headersTimeout: 0,
  });
  await answer.body.dump();
  return answer.statusCode;
}

async function wipe(): Promise<void> {
  await clickhouse.command({ query: `TRUNCATE TABLE ${onShards(clickhouse.cluster, 'senml')}` });
}

/** The most memory the API had while this ran. */
async function apiBytes(work: Promise<unknown>): Promise<number> {
  const pid = await system.pid('api');
  let most = 0;
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  while (!over) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024);
    await Promise.race([ended, delay(20)]);
  }
  await ended;
  return most;
}

const rate = (ms: number) => `${Math.round(rows / ms)},000 rows/s`;

describe('a large backup', () => {
  let file: Buffer;
  let before: string;

  it('is written and restored with the memory of a small one', async () => {
    await makeThings();
    await fill();
    before = await stored();
    let startedAt = performance.now();
    const writing = backup();
    const backupBytes = await apiBytes(writing);
    file = await writing;
    const backupMs = performance.now() - startedAt;
    await wipe();
    startedAt = performance.now();
    const restoreBytes = await apiBytes(restore(file).then((status) => expect(status).toBe(201)));
    const restoreMs = performance.now() - startedAt;
    expect(await stored()).toBe(before);
    startedAt = performance.now();
    expect(await restore(file)).toBe(201);
    const againMs = performance.now() - startedAt;
    expect(await stored()).toBe(before);
    const MiB = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
    process.stdout.write(
      `${rows} rows, ${(file.length / rows).toFixed(2)} bytes each in the file\n` +
        `backup ${rate(backupMs)}, API ${MiB(backupBytes)}\n` +
        `restore ${rate(restoreMs)}, API ${MiB(restoreBytes)}; of what is there ${rate(againMs)}\n`,
    );
    expect(Math.max(backupBytes, restoreBytes)).toBeLessThan(apiBytesMax);
  });

  it(`is refused where any process was killed while it was made (FAULTS_SEED=${seed})`, async () => {
    const startedAt = performance.now();
    await backup();
    const tookMs = performance.now() - startedAt;
    const turn = fc.record({
      victim: fc.constantFrom('api', 'clickhouse'),
      // The first part of the time it waits for what the edge has.
      at: fc.noBias(fc.double({ min: 0.4, max: 1, noNaN: true })),
    });
    const outcomes = { none: 0, cut: 0, whole: 0 };
    for (const { victim, at } of fc.sample(turn, { seed, numRuns: Math.ceil(kills / 3) })) {
      const backingUp = tryBackup();
      await delay(at * tookMs);
      await system.kill(victim, 'SIGKILL');
      const got = await backingUp;
      await eventually(async () => expect(await leftTables()).toBe(''), recoveredMs);
      await eventually(tokenOf, recoveredMs);
      expect(await stored()).toBe(before);
      if (got === undefined) {
        outcomes.none += 1;
        continue;
      }
      outcomes[got.isWhole ? 'whole' : 'cut'] += 1;
      await wipe();
      const status = await eventually(async () => {
        const answered = await restore(got.bytes);
        expect([201, 400]).toContain(answered);
        return answered;
      }, recoveredMs);
      // A file without its end is refused, and changes nothing; one with its end is all of it.
      expect(status).toBe(got.isWhole ? 201 : 400);
      if (!got.isWhole) expect(await stored()).toBe('0\t0');
      expect(await eventually(() => restore(file), recoveredMs)).toBe(201);
      expect(await stored()).toBe(before);
    }
    process.stdout.write(`${JSON.stringify(outcomes)}\n`);
  });

  it(`is absent or complete after any process was killed during its restore (FAULTS_SEED=${seed})`, async () => {
    process.stdout.write(`FAULTS_SEED=${seed}\n`);
    const tookMs = await (async () => {
      await wipe();
      const startedAt = performance.now();
      await restore(file);
      return performance.now() - startedAt;
    })();
    const turn = fc.record({
      victim: fc.constantFrom('api', 'clickhouse'),
      at: fc.noBias(fc.double({ min: 0, max: 1, noNaN: true })),
      // A part of it is there already, in every other turn.
      partly: fc.boolean(),
    });
    const outcomes = { absent: 0, complete: 0 };
    for (const { victim, at, partly } of fc.sample(turn, { seed, numRuns: kills })) {
      await wipe();
      if (partly) {
        expect(await restore(file)).toBe(201);
        await clickhouse.command({
          query: `DELETE FROM ${onShards(clickhouse.cluster, 'senml')} WHERE time < 1650000000000000000`,
          clickhouse_settings: { lightweight_deletes_sync: '2' },
        });
      }
      const without = await stored();
      const restoring = restore(file).catch(() => 0);
      await delay(at * tookMs);
      await system.kill(victim, 'SIGKILL');
      const status = await restoring;
      const after = await eventually(async () => {
        expect(await leftTables()).toBe('');
        return stored();
      }, recoveredMs);
      expect([without, before], JSON.stringify({ victim, at, partly })).toContain(after);
      if (status === 201) expect(after).toBe(before);
      outcomes[after === before ? 'complete' : 'absent'] += 1;
      // Whatever it was, once more makes it whole.
      await eventually(async () => expect(await restore(file)).toBe(201), recoveredMs);
      expect(await stored()).toBe(before);
    }
    process.stdout.write(`${JSON.stringify(outcomes)}\n`);
  });
});
