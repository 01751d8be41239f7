import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/clickhouse.ts';
import { createLog } from '../../infra/log.ts';
import { openPostgres, type Pool } from '../../infra/postgres.ts';
import { eventually } from '../../test/eventually.ts';
import { Fleet, type Thing } from '../../test/fleet.ts';
import { system } from '../../test/system.ts';
import { startErasing } from './erase.ts';

const log = createLog('test', 'silent');
/** The second time is five seconds after the first. */
const erasedMsMax = 45_000;

const stops: (() => Promise<void>)[] = [];

let fleet: Fleet;
let pool: Pool;
let clickhouse: ClickHouseClient;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  pool = openPostgres(system().databaseUrl, 4, 10_000, log);
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
});

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

afterAll(async () => {
  await clickhouse.close();
  await pool.end();
  await fleet.close();
});

function start(parts: { pool: Pool; clickhouse: ClickHouseClient }): void {
  stops.push(startErasing({ ...parts, log }));
}

/** Rows of a thing in both tables, as ClickHouse counts them. */
async function rowsOf(id: string): Promise<number> {
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
  await eventually(async () => (await rowsOf(thing.id)) === 3, erasedMsMax);
}

/** As an edge does when it stores what was still in its log. */
async function storeLate(id: string): Promise<void> {
  await clickhouse.insert({
    table: 'json',
    values: [{ publisher: id, subtopic: '', protocol: 'http', created: '1', payload: '{}' }],
    format: 'JSONEachRow',
  });
}

/** A table of notes of its own, which no other worker looks at. */
async function ownNotes(): Promise<Pool> {
  const schema = `notes_${randomUUID().replaceAll('-', '')}`;
  await pool.query(`CREATE SCHEMA ${schema}`);
  await pool.query(
    `CREATE TABLE ${schema}.erased_things (LIKE public.erased_things INCLUDING ALL)`,
  );
  const url = new URL(system().databaseUrl);
  url.searchParams.set('options', `-c search_path=${schema}`);
  const own = openPostgres(url.href, 4, 10_000, log);
  stops.push(async () => {
    await own.end();
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  });
  return own;
}

type Note = { erasures: number; waitSeconds: number };

async function noteOf(notes: Pool, id: string): Promise<Note | undefined> {
  const { rows } = await notes.query<Note>(
    `SELECT erasures, extract(epoch FROM due_at - now())::float8 AS "waitSeconds"
     FROM erased_things WHERE thing_id = $1`,
    [id],
  );
  return rows[0];
}

describe('messages', () => {
  it('of a deleted thing are erased in both formats, and those of others are not', async () => {
    const [gone, other] = [await fleet.thing(), await fleet.thing()];
    await publishBoth(gone);
    await publishBoth(other);
    start({ pool, clickhouse });
    expect((await fleet.call('DELETE', `/things/${gone.id}`)).status).toBe(204);
    await eventually(async () => (await rowsOf(gone.id)) === 0, erasedMsMax);
    expect(await rowsOf(other.id)).toBe(3);
  });

  it('of all things of a deleted org are erased', async () => {
    const owner = await Fleet.login(system());
    const [one, two] = [await owner.thing(), await owner.thing()];
    await owner.close();
    await publishBoth(one);
    await publishBoth(two);
    start({ pool, clickhouse });
    await pool.query(
      'DELETE FROM orgs WHERE id = (SELECT org_id FROM groups WHERE groups.id = $1)',
      [one.groupId],
    );
    await eventually(async () => {
      expect([await rowsOf(one.id), await rowsOf(two.id)]).toEqual([0, 0]);
    }, erasedMsMax);
  });

  it('that an edge stores after the first time are erased the next time', async () => {
    const thing = await fleet.thing();
    await publishBoth(thing);
    start({ pool, clickhouse });
    await fleet.call('DELETE', `/things/${thing.id}`);
    await eventually(async () => ((await noteOf(pool, thing.id))?.erasures ?? 0) > 0);
    await storeLate(thing.id);
    await eventually(async () => expect(await rowsOf(thing.id)).toBe(0), erasedMsMax);
  });
});

describe('a deleted thing', () => {
  it('is remembered for a quarter of an hour after the last time but one', async () => {
    const notes = await ownNotes();
    const ids = [0, 1, 2, 3].map((erasures) => ({ id: randomUUID(), erasures }));
    for (const { id, erasures } of ids) {
      await storeLate(id);
      await notes.query('INSERT INTO erased_things (thing_id, erasures) VALUES ($1, $2)', [
        id,
        erasures,
      ]);
    }
    start({ pool: notes, clickhouse });
    for (const { id } of ids) await eventually(async () => (await rowsOf(id)) === 0);

    await eventually(async () => (await noteOf(notes, ids[3]?.id ?? '')) === undefined);
    const [first, second, third, last] = await Promise.all(ids.map(({ id }) => noteOf(notes, id)));
    expect(first).toEqual({ erasures: 1, waitSeconds: expect.closeTo(5, -1) });
    expect(second).toEqual({ erasures: 2, waitSeconds: expect.closeTo(60, -1.4) });
    expect(third).toEqual({ erasures: 3, waitSeconds: expect.closeTo(900, -1.4) });
    expect(last).toBeUndefined();
  });

  it('is not forgotten while ClickHouse is away, and all is done anew', async () => {
    const notes = await ownNotes();
    const id = randomUUID();
    await storeLate(id);
    await notes.query('INSERT INTO erased_things (thing_id, erasures) VALUES ($1, 3)', [id]);
    const away = openClickHouse('http://127.0.0.1:1/millrace', 'millrace-test', 1_000);
    const stop = startErasing({ pool: notes, clickhouse: away, log });
    await eventually(async () => (await noteOf(notes, id))?.erasures === 0);
    await stop();
    await away.close();
    expect(await rowsOf(id)).toBe(1);

    start({ pool: notes, clickhouse });
    await eventually(async () => (await rowsOf(id)) === 0, erasedMsMax);
    await eventually(async () => (await noteOf(notes, id))?.erasures === 1);
  });

  it('is one of many that several workers share', async () => {
    const notes = await ownNotes();
    await notes.query(
      'INSERT INTO erased_things (thing_id) SELECT gen_random_uuid() FROM generate_series(1, 5000)',
    );
    for (let worker = 0; worker < 3; worker++) start({ pool: notes, clickhouse });
    await eventually(async () => {
      const { rows } = await notes.query<{ erasures: number; things: number }>(
        'SELECT erasures, count(*)::int AS things FROM erased_things GROUP BY erasures',
      );
      expect(rows).toEqual([{ erasures: 1, things: 5_000 }]);
    });
  });
});
