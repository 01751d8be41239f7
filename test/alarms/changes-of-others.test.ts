import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKnownUntil, loadChangedStates } from '../../infra/runtime/alarms/states.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { Site } from './world.ts';

let site: Site;
let other: Client;
let quick: Client;

beforeAll(async () => {
  site = await Site.open(['first', 'second', 'third']);
  other = new Client({ connectionString: system().databaseUrl });
  quick = new Client({ connectionString: system().databaseUrl });
  await Promise.all([other.connect(), quick.connect()]);
});

afterAll(async () => {
  await Promise.all([other.end(), quick.end()]);
  await site.close();
});

const thingIds = () => site.things.map(({ id }) => id);

/** Things of the site whose states another process has changed since a time, and until when that is known. */
async function changed(since: string): Promise<{ things: number[]; until: string }> {
  const { states, until } = await loadChangedStates(site.rows, 'a log', since);
  const things = states.map(({ thingId }) => thingIds().indexOf(thingId));
  return { things: things.filter((at) => at >= 0), until };
}

/** A thing is not ok under a rule of nobody, as a worker writes it. */
const noteState = (client: Client, at: number) =>
  client.query(
    `INSERT INTO alarm_states (rule_id, thing_id, state, since_us, gap_us, newest)
     VALUES (gen_random_uuid(), $1, 'pending', 0, 0, '[null]')`,
    [site.thing(at).id],
  );

describe('states that another process changes', () => {
  it('are all found, in whatever order their transactions end', async () => {
    const begin = await findKnownUntil(site.rows);
    await other.query('BEGIN');
    await noteState(other, 0);
    await noteState(quick, 1);
    const between = await changed(begin);
    expect(between.things).toEqual([1]);
    // Longer than the room for a transaction that has just begun.
    await delay(1_500);
    const later = await changed(between.until);
    await other.query('COMMIT');
    expect((await changed(later.until)).things).toContain(0);
  });

  it('are soon not read again', async () => {
    await noteState(other, 2);
    let until = await findKnownUntil(site.rows);
    await eventually(async () => {
      const next = await changed(until);
      ({ until } = next);
      expect(next.things).toEqual([]);
    });
    // By then, and not because half a minute has passed.
    const age = `SELECT now() - $1::timestamptz < interval '20 seconds' AS "isShort"`;
    expect(await site.rows(age, [until])).toEqual([{ isShort: true }]);
  });
});
