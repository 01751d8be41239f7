import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { openRedis, type Redis } from '../../../infra/runtime/stores/redis.ts';
import { insertBundles, readBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import { eventually } from '../../support/eventually.ts';
import { Fleet, type Thing } from '../../support/fleet.ts';
import { system } from '../../support/system.ts';
import { bundleOf } from '../../webhooks/bundles.ts';
import { startErasing } from '../../../workers/erase/erase.ts';

const log = createLog('test', 'silent');
/** A batch that could not be erased is tried again after five seconds. */
const erasedMsMax = 45_000;

let fleet: Fleet;
let pool: Pool;
let redis: Redis;
let clickhouse: ClickHouseClient;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  pool = openPostgres(system().databaseUrl, 4, 10_000, log);
  redis = openRedis(system().redisUrl, log, 1_000);
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
});

afterAll(async () => {
  await clickhouse.close();
  await pool.end();
  redis.disconnect();
  await fleet.close();
});

/** Erases for the time of a test. */
function start(
  { onTestFinished }: TestContext,
  parts: { pool: Pool; clickhouse: ClickHouseClient },
): void {
  onTestFinished(startErasing({ ...parts, redis, logger: log }));
}

/** Rows of a thing in both tables, as ClickHouse counts them. */
async function storedRowsOf(id: string): Promise<number> {
  const result = await clickhouse.query({
    query: `SELECT (SELECT count() FROM senml WHERE publisher = {id:UUID})
                 + (SELECT count() FROM json WHERE publisher = {id:UUID})`,
    query_params: { id },
    format: 'TabSeparated',
  });
  return Number(await result.text());
}

/** Stores a message of either format for a thing. */
async function publishBoth(thing: Thing): Promise<void> {
  const senml = [
    { n: 'a', v: 1 },
    { n: 'b', v: 2 },
  ];
  const credential = `Thing ${thing.key}`;
  expect((await fleet.publish(credential, senml)).status).toBe(202);
  const options = { contentType: 'application/json' };
  expect((await fleet.publish(credential, [{ level: 3 }], options)).status).toBe(202);
  await eventually(async () => (await storedRowsOf(thing.id)) === 3, erasedMsMax);
}

/** A message of a thing, put into the store directly. */
async function store(id: string): Promise<void> {
  await clickhouse.insert({
    table: 'json',
    values: [{ publisher: id, subtopic: '', protocol: 'http', created: '1', payload: '{}' }],
    format: 'JSONEachRow',
  });
}

/** A table of notes of a test's own, which no other worker looks at. */
async function ownNotes({ onTestFinished }: TestContext): Promise<Pool> {
  const schema = `notes_${randomUUID().replaceAll('-', '')}`;
  await pool.query(`CREATE SCHEMA ${schema}`);
  await pool.query(
    `CREATE TABLE ${schema}.erased_things (LIKE public.erased_things INCLUDING ALL)`,
  );
  await pool.query(
    `CREATE TABLE ${schema}.webhook_bundles (LIKE public.webhook_bundles INCLUDING ALL)`,
  );
  await pool.query(`CREATE TABLE ${schema}.logs (LIKE public.logs INCLUDING ALL)`);
  await pool.query(`CREATE SEQUENCE ${schema}.log_barriers`);
  const url = new URL(system().databaseUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  const own = openPostgres(url.href, 4, 10_000, log);
  onTestFinished(async () => {
    await own.end();
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  });
  return own;
}

async function isRemembered(notes: Pool, id: string): Promise<boolean> {
  const { rows } = await notes.query('SELECT FROM erased_things WHERE thing_id = $1', [id]);
  return rows.length === 1;
}

// Erasing waits: for the edges' logs, and for its turns.
describe.concurrent('messages', () => {
  it('of a deleted thing are erased in both formats, and those of others are not', async (test) => {
    const [gone, other] = [await fleet.thing(), await fleet.thing()];
    await Promise.all([publishBoth(gone), publishBoth(other)]);
    start(test, { pool, clickhouse });
    expect((await fleet.call('DELETE', `/things/${gone.id}`)).status).toBe(204);
    await eventually(async () => (await storedRowsOf(gone.id)) === 0, erasedMsMax);
    expect(await storedRowsOf(other.id)).toBe(3);
  });

  it('of a deleted thing are removed from webhook bundles, and others stay', async (test) => {
    const [gone, other] = [await fleet.thing(), await fleet.thing()];
    const messages = [gone, other, gone].map(({ id }, at) => ({ thingId: id, payload: `${at}` }));
    const [both, own] = [bundleOf(messages), bundleOf(messages.slice(0, 1))];
    await insertBundles(rowsOf(pool), [both, own]);
    start(test, { pool, clickhouse });
    expect((await fleet.call('DELETE', `/things/${gone.id}`)).status).toBe(204);
    await eventually(async () => !(await isRemembered(pool, gone.id)), erasedMsMax);
    const [left, nothing] = await readBundles(rowsOf(pool), [both.key, own.key]);
    const payloads = [...(left ?? [])].map(([offset, { payload }]) => [offset, payload.toString()]);
    expect(payloads).toEqual([[both.offsets[1], '1']]);
    expect(nothing?.size).toBe(0);
    const query = 'SELECT thing_ids FROM webhook_bundles WHERE log_id = $1';
    const { rows: index } = await pool.query(query, [both.key.log]);
    expect(index).toEqual([{ thing_ids: [other.id] }]);
  });

  it('of all things of a deleted org are erased', async (test) => {
    const owner = await Fleet.login(system());
    const [one, two] = [await owner.thing(), await owner.thing()];
    await owner.close();
    await Promise.all([publishBoth(one), publishBoth(two)]);
    start(test, { pool, clickhouse });
    await pool.query(
      'DELETE FROM orgs WHERE id = (SELECT org_id FROM groups WHERE groups.id = $1)',
      [one.groupId],
    );
    await eventually(async () => {
      expect([await storedRowsOf(one.id), await storedRowsOf(two.id)]).toEqual([0, 0]);
    }, erasedMsMax);
  });

  it('that are still in the log of an edge are erased too', async (test) => {
    const thing = await fleet.thing();
    start(test, { pool, clickhouse });
    const packs = Array.from({ length: 20 }, (_, i) => [{ n: 'late', v: i }]);
    const acks = packs.map((pack) => fleet.publish(`Thing ${thing.key}`, pack));
    await Promise.all(acks);
    await fleet.call('DELETE', `/things/${thing.id}`);
    await eventually(async () => !(await isRemembered(pool, thing.id)), erasedMsMax);
    expect(await storedRowsOf(thing.id)).toBe(0);
  });
});

describe.concurrent('a deleted thing', () => {
  it('waits for a log that still holds messages', async (test) => {
    const notes = await ownNotes(test);
    const [id, slow] = [randomUUID(), randomUUID()];
    await store(id);
    await notes.query('INSERT INTO logs (id) VALUES ($1)', [slow]);
    await notes.query('INSERT INTO erased_things (thing_id) VALUES ($1)', [id]);
    start(test, { pool: notes, clickhouse });
    await eventually(async () => {
      const { rows } = await notes.query('SELECT FROM log_barriers WHERE is_called');
      return rows.length === 1;
    });
    expect(await storedRowsOf(id)).toBe(1);

    await notes.query('UPDATE logs SET settled = 1');
    await eventually(async () => !(await isRemembered(notes, id)), erasedMsMax);
    expect(await storedRowsOf(id)).toBe(0);
  });

  it('is not forgotten while ClickHouse is away', async (test) => {
    const notes = await ownNotes(test);
    const id = randomUUID();
    await store(id);
    await notes.query('INSERT INTO erased_things (thing_id) VALUES ($1)', [id]);
    const away = openClickHouse('http://127.0.0.1:1/millrace', 'millrace-test', 1_000);
    const stop = startErasing({ pool: notes, redis, clickhouse: away, logger: log });
    await eventually(async () => {
      const { rows } = await notes.query(
        `SELECT FROM erased_things WHERE due_at > now() AND due_at < now() + interval '6 seconds'`,
      );
      return rows.length === 1;
    });
    await stop();
    await away.close();
    expect(await storedRowsOf(id)).toBe(1);

    start(test, { pool: notes, clickhouse });
    await eventually(async () => (await storedRowsOf(id)) === 0, erasedMsMax);
    await eventually(async () => !(await isRemembered(notes, id)));
  });

  it('is erased with many others by several workers', async (test) => {
    const notes = await ownNotes(test);
    await notes.query(
      'INSERT INTO erased_things (thing_id) SELECT gen_random_uuid() FROM generate_series(1, 5000)',
    );
    for (let worker = 0; worker < 3; worker++) start(test, { pool: notes, clickhouse });
    await eventually(async () => {
      const { rows } = await notes.query('SELECT FROM erased_things');
      expect(rows).toEqual([]);
    }, erasedMsMax);
  });
});
