import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../api/stores/database.ts';
import { Publishers } from '../../api/messages/reach/publishers.ts';
import { createBudgets } from '../../api/budgets/budgets.ts';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../infra/runtime/stores/postgres.ts';
import { system } from '../support/system.ts';
import { at, call } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../support/api/people.ts';

let people: People;
let pool: Pool;
let clickhouse: ClickHouseClient;
let publishers: Publishers;
let owner: Person;

beforeAll(async () => {
  people = new People();
  pool = openPostgres(system().databaseUrl, 2, 10_000, createLog('test', 'silent'));
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
  publishers = new Publishers(openDatabase(pool, pool, createBudgets()), clickhouse);
  owner = await people.register();
});

afterAll(async () => {
  await clickhouse.close();
  await pool.end();
  await people.close();
});

/** A message of a publisher, put into the store directly. */
async function store(publisher: string): Promise<void> {
  await clickhouse.insert({
    table: 'json',
    columns: ['publisher', 'protocol', 'created', 'payload'],
    values: [{ publisher, protocol: 'http', created: '1700000000000000000', payload: '{}' }],
    format: 'JSONEachRow',
  });
}

/** A group, and one who may look at it. */
async function newGroup(): Promise<Estate & { viewer: Person }> {
  const estate = await createEstate(owner.as);
  return { ...estate, viewer: await people.member('group', estate.groupId, 'viewer') };
}

async function newThing({ profileId }: Estate): Promise<string> {
  const [thing] = await createThings(owner.as, profileId, [{ name: randomUUID(), type: 'device' }]);
  return thing?.id ?? '';
}

/** How many messages someone sees of all they may see: in pages, cursors, buckets and files. */
async function seen({ as }: Person): Promise<number> {
  const [page, file, later] = await Promise.all([
    call('GET', '/reader/json', { as }),
    call('GET', '/reader/json/export?convert=ndjson', { as }),
    call('GET', '/reader/json?from=2001-01-01', { as }),
  ]);
  const total = Number(at(page, 'total'));
  expect(at(page, 'messages')).toHaveLength(total);
  expect(file.text.split('\n').filter((line) => line !== '')).toHaveLength(total);
  expect(at(later, 'total')).toBe(total);
  return total;
}

describe('a change in a group', () => {
  let here: Estate & { viewer: Person };
  let there: Estate & { viewer: Person };

  beforeEach(async () => {
    [here, there] = [await newGroup(), await newGroup()];
  });

  const seenByBoth = () => Promise.all([seen(here.viewer), seen(there.viewer)]);

  it('is seen by the next request: a thing is created, moved and deleted', async () => {
    const id = await newThing(here);
    await store(id);
    expect(await seenByBoth()).toEqual([1, 0]);
    const move = async ({ profileId }: Estate) => {
      const { status } = await call('PATCH', `/things/${id}`, {
        as: owner.as,
        body: { profile_id: profileId },
      });
      expect(status).toBeLessThan(300);
    };
    for (let turn = 0; turn < 2; turn++) {
      await move(there);
      expect(await seenByBoth()).toEqual([0, 1]);
      await move(here);
      expect(await seenByBoth()).toEqual([1, 0]);
    }
    await call('DELETE', `/things/${id}`, { as: owner.as });
    expect(await seenByBoth()).toEqual([0, 0]);
  });

  it('is seen when it was made by SQL for a whole group, and not when it was rolled back', async () => {
    const ids = await Promise.all([newThing(here), newThing(here)]);
    for (const id of ids) await store(id);
    expect(await seen(here.viewer)).toBe(2);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('DELETE FROM things WHERE id = ANY ($1)', [ids]);
    expect(await seen(here.viewer)).toBe(2);
    await client.query('ROLLBACK');
    client.release();
    expect(await seen(here.viewer)).toBe(2);
    await pool.query('UPDATE things SET group_id = $2, profile_id = $3 WHERE id = ANY ($1)', [
      ids,
      there.groupId,
      there.profileId,
    ]);
    expect(await seenByBoth()).toEqual([0, 2]);
    await pool.query('DELETE FROM things WHERE id = ANY ($1)', [ids]);
    expect(await seenByBoth()).toEqual([0, 0]);
  });

  it('ends the reach with the membership', async () => {
    await store(await newThing(here));
    const member = await people.member('group', here.groupId, 'viewer');
    expect(await seen(member)).toBe(1);
    await call('PATCH', `/groups/${here.groupId}/memberships`, {
      as: owner.as,
      body: { member_ids: [member.id] },
    });
    expect(await seen(member)).toBe(0);
  });

  it('reaches ClickHouse before the queries that wait for it', async () => {
    const { viewer, ...estate } = here;
    // Step by step, and all seen at once: one statement for so many takes long.
    const client = await pool.connect();
    await client.query('BEGIN');
    for (let last = 2_500; last <= 25_000; last += 2_500) {
      await client.query(
        `INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed)
         SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'many ' || i, 'device', decode(md5($1::uuid::text || i), 'hex'), ''
         FROM generate_series($3::int - 2499, $3::int) AS i`,
        [estate.groupId, estate.profileId, last],
      );
    }
    await client.query('COMMIT');
    const { rows } = await pool.query<{ id: string }>(
      `SELECT id FROM things WHERE group_id = $1 AND name = 'many 25000'`,
      [estate.groupId],
    );
    await store(rows[0]?.id ?? '');
    const counts = await Promise.all([seen(viewer), seen(viewer), seen(there.viewer)]);
    expect(counts).toEqual([1, 1, 0]);
    await client.query('BEGIN');
    for (let digit = 0; digit < 10; digit++) {
      await client.query(
        `DELETE FROM things WHERE group_id = $1 AND name <> 'many 25000' AND name LIKE '%' || $2`,
        [estate.groupId, String(digit)],
      );
    }
    await client.query(`DELETE FROM things WHERE group_id = $1 AND name <> 'many 25000'`, [
      estate.groupId,
    ]);
    await client.query('COMMIT');
    client.release();
    expect(await seen(viewer)).toBe(1);
  });
});

describe('the publishers table', () => {
  it('is written again where it was lost or differs from Postgres', async () => {
    const { viewer, ...estate } = await newGroup();
    const there = await newGroup();
    await store(estate.thingId);
    expect(await seen(viewer)).toBe(1);

    await clickhouse.command({ query: 'TRUNCATE TABLE publishers' });
    expect(await seen(viewer)).toBe(0);
    await publishers.compareAll();
    expect(await seen(viewer)).toBe(1);

    // As an older copy would have it: a thing that is gone from there since.
    const foreign = await newThing(there);
    await store(foreign);
    await clickhouse.insert({
      table: 'publishers',
      values: [{ group_id: estate.groupId, publisher: foreign, version: '9000000000', gone: 0 }],
      format: 'JSONEachRow',
    });
    expect(await seen(viewer)).toBe(2);
    await publishers.compareAll();
    expect(await seen(viewer)).toBe(1);

    // And what changes from now on is newer than what was there.
    await pool.query('UPDATE things SET group_id = $2, profile_id = $3 WHERE id = $1', [
      foreign,
      estate.groupId,
      estate.profileId,
    ]);
    expect(await seen(viewer)).toBe(2);
  });
});
