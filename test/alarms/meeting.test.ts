import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call, textAt } from '../support/api/http.ts';
import { loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';
import { Site } from './world.ts';

let fleet: Fleet;
let site: Site;
let admin: string;
let gate: Client;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  admin = await loginAdmin();
  site = await Site.open(['moved', 'deleted', 'numbered']);
  gate = new Client({ connectionString: system().databaseUrl });
  await gate.connect();
});

// A test that fails leaves the gate closed, and nobody else is to wait for it.
afterEach(async () => void (await gate.query('ROLLBACK')));

afterAll(async () => {
  await gate.end();
  await site.close();
  await fleet.close();
});

/** Longer than PostgreSQL waits before it looks whether two sessions wait for each other. */
const looked = '1100 milliseconds';

/** A session that waits, and whether for long enough to have looked around. */
type Waiting = { query: string; long: boolean };

/**
 * The sessions that wait for the gate, or for one that does. The one that notes when things were heard does not count: it waits
 * for a thing that is moved, if its time has come.
 */
async function waiting(): Promise<Waiting[]> {
  // In a transaction PostgreSQL shows the sessions that there were at its first look.
  await gate.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await gate.query<Waiting>(
    `WITH RECURSIVE waits AS (
       SELECT pid, left(query, 200) AS query, unnest(pg_blocking_pids(pid)) AS on_pid FROM pg_stat_activity
       WHERE wait_event_type = 'Lock' AND query !~ 'INSERT INTO things_seen'
     ),
     found AS (
       SELECT pid, query FROM waits WHERE on_pid = pg_backend_pid()
       UNION SELECT waits.pid, waits.query FROM waits JOIN found ON waits.on_pid = found.pid
     )
     SELECT query,
            EXISTS (
              SELECT FROM pg_locks WHERE pg_locks.pid = found.pid AND clock_timestamp() - waitstart > $1::interval
            ) AS long
     FROM found`,
    [looked],
  );
  return rows;
}

const expectWaiting = (count: number) =>
  eventually(async () => expect(await waiting()).toHaveLength(count));

const expectLong = (count: number) =>
  eventually(async () =>
    expect(await waiting()).toEqual(
      Array.from({ length: count }, () => expect.objectContaining({ long: true })),
    ),
  );

/** Alarms that a thing has, by how they ended. */
const endings = (ruleId: string) =>
  site.rows<{ why: string | null }>(
    'SELECT ended_why AS why FROM alarms WHERE rule_id = $1 ORDER BY episode',
    [ruleId],
  );

/** A rule under which a thing's alarm goes on. */
async function firing(at: number): Promise<string> {
  const thing = site.thing(at);
  const ruleId = await site.rule({ thingIds: [thing.id] });
  await eventually(async () => {
    await fleet.publish(thing.key, [{ n: 'temperature', t: Date.now() / 1_000, v: 9 }]);
    return (await endings(ruleId)).length === 1;
  });
  return ruleId;
}

/** Others wait for the states of a rule, until they are let go. */
async function hold(ruleId: string): Promise<void> {
  await gate.query('BEGIN');
  await gate.query('SELECT FROM alarm_states WHERE rule_id = $1 FOR UPDATE', [ruleId]);
}

describe('an alarm that ends at the moment', () => {
  it('at which its thing is moved ends once, and neither is refused', async () => {
    const { id, key } = site.thing(0);
    const ruleId = await firing(0);
    const group = await call('POST', `/orgs/${site.estate.orgId}/groups`, {
      as: admin,
      body: [{ name: 'elsewhere' }],
    });
    const made = await call('POST', `/groups/${textAt(group, 'groups', 0, 'id')}/profiles`, {
      as: admin,
      body: [{ name: 'elsewhere' }],
    });
    await hold(ruleId);
    const moved = call('PATCH', `/things/${id}`, {
      as: admin,
      body: { profile_id: textAt(made, 'profiles', 0, 'id') },
    });
    await expectWaiting(1);
    await fleet.publish(key, [{ n: 'temperature', t: Date.now() / 1_000, v: 5 }]);
    await expectLong(2);
    await gate.query('COMMIT');
    expect((await moved).status).toBe(200);
    expect(await endings(ruleId)).toEqual([{ why: 'thing_moved' }]);
  });

  it('at which its thing is deleted goes with it, and neither is refused', async () => {
    const { id, key } = site.thing(1);
    const ruleId = await firing(1);
    await hold(ruleId);
    await fleet.publish(key, [{ n: 'temperature', t: Date.now() / 1_000, v: 5 }]);
    await expectLong(1);
    const deleted = call('DELETE', `/things/${id}`, { as: admin });
    await expectWaiting(2);
    await gate.query('COMMIT');
    expect((await deleted).status).toBe(204);
    expect(await endings(ruleId)).toEqual([]);
  });
});

it('an alarm that fires as another edge gives its number away gets the next one', async () => {
  const { id, key } = site.thing(2);
  const ruleId = await firing(2);
  await fleet.publish(key, [{ n: 'temperature', t: Date.now() / 1_000, v: 5 }]);
  await eventually(async () => expect(await endings(ruleId)).toEqual([{ why: 'cleared' }]));
  await gate.query('BEGIN');
  await gate.query(
    `INSERT INTO alarms (id, rule_id, thing_id, group_id, episode, rule_name, severity, clock, history,
                         began_at, fired_at, ended_at, ended_values, ended_why)
     SELECT uuid_v7(), rule_id, thing_id, group_id, 2, rule_name, severity, clock, true,
            began_at, fired_at, ended_at, ended_values, ended_why
     FROM alarms WHERE rule_id = $1`,
    [ruleId],
  );
  await fleet.publish(key, [{ n: 'temperature', t: Date.now() / 1_000, v: 9 }]);
  await expectWaiting(1);
  await gate.query('COMMIT');
  const open = () =>
    site.rows(
      `SELECT episode, thing_id, (SELECT array_agg(transition) FROM alarm_notices WHERE alarm_id = alarms.id) AS told
       FROM alarms WHERE rule_id = $1 AND ended_at IS NULL`,
      [ruleId],
    );
  await eventually(async () =>
    expect(await open()).toEqual([{ episode: 3, thing_id: id, told: ['fired'] }]),
  );
});
