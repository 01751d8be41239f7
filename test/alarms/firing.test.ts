import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { People } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { system } from '../support/system.ts';

const people = new People();
let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  await fleet.close();
  await people.close();
});

type RuleMembers = {
  conditions: object[];
  forS?: number;
  clearForS?: number;
  gapS?: number;
  match?: 'any' | 'all';
};

/** A rule of the group of a thing. */
async function rule(thing: Thing, members: RuleMembers): Promise<string> {
  const id = randomUUID();
  await people.rows(
    `INSERT INTO rules (id, group_id, name, match, conditions, for_s, clear_for_s, gap_s, severity)
     VALUES ($1, (SELECT group_id FROM things WHERE id = $2), 'rule', $3, $4, $5, $6, $7, 'warning')`,
    [
      id,
      thing.id,
      members.match ?? 'all',
      JSON.stringify(members.conditions),
      members.forS ?? 0,
      members.clearForS ?? 0,
      members.gapS ?? null,
    ],
  );
  return id;
}

type Alarm = { episode: number; began: number; fired: number; ended: number | null };

/** The alarms of a rule and a thing, by seconds after `base`. */
async function alarms(ruleId: string, thing: Thing, base: number): Promise<Alarm[]> {
  const rows = await people.rows(
    `SELECT episode, extract(epoch FROM began_at)::float8 AS began,
            extract(epoch FROM fired_at)::float8 AS fired, extract(epoch FROM ended_at)::float8 AS ended
     FROM alarms WHERE rule_id = $1 AND thing_id = $2 ORDER BY episode`,
    [ruleId, thing.id],
  );
  return rows.map(({ episode, began, fired, ended }) => ({
    episode: Number(episode),
    began: Math.round(Number(began) - base),
    fired: Math.round(Number(fired) - base),
    ended: ended === null ? null : Math.round(Number(ended) - base),
  }));
}

async function send(thing: Thing, base: number, values: [at: number, value: number][]) {
  const records = values.map(([at, v]) => ({ n: 't', t: base + at, v }));
  const { status } = await fleet.publish(thing.key, records);
  expect(status).toBe(202);
}

/** Sends values that are ok until the edge knows of the rule: a change of rules counts within a second. */
async function known(ruleId: string, thing: Thing, base: number): Promise<void> {
  await eventually(async () => {
    await send(thing, base, [[-1_000, 100]]);
    const found = await alarms(ruleId, thing, base);
    if (found.length === 0) return false;
    await send(thing, base, [[-999, 0]]);
    return true;
  });
  await eventually(async () =>
    (await alarms(ruleId, thing, base)).every(({ ended }) => ended !== null),
  );
}

describe('an alarm', () => {
  it('fires with the first record in breach and ends with the first that is not', async () => {
    const thing = await fleet.thing();
    const base = Math.floor(Date.now() / 1_000) - 1_800;
    const id = await rule(thing, { conditions: [{ name: 't', when: '>', value: 8 }] });
    await known(id, thing, base);
    await send(thing, base, [
      [0, 5],
      [10, 9],
      [20, 12],
      [30, 7],
    ]);
    await eventually(async () => {
      const found = await alarms(id, thing, base);
      expect(found.slice(1)).toEqual([{ episode: 2, began: 10, fired: 10, ended: 30 }]);
      return true;
    });
    const notices = await people.rows(
      'SELECT transition FROM alarm_notices WHERE rule_id = $1 ORDER BY at',
      [id],
    );
    expect(notices.map(({ transition }) => transition)).toEqual([
      'fired',
      'ended',
      'fired',
      'ended',
    ]);
  });
});
