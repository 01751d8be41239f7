import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { watchAlarms } from '../../api/devices/alarms/live/changes.ts';
import { openStatements } from '../../api/stores/database.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres } from '../../infra/runtime/stores/postgres.ts';
import type { Alarm } from '../../schemas/resources/alarm.ts';
import { eventually } from '../support/eventually.ts';
import { type Following, followEvents } from '../support/api/events.ts';
import { call } from '../support/api/http.ts';
import {
  createEstate,
  createdAt,
  createThings,
  type Estate,
  People,
  type Person,
} from '../support/api/people.ts';
import {
  endAlarm,
  insertAlarm,
  insertRule,
  insertState,
  readAlarm,
} from '../support/fixtures/alarms.ts';
import { system } from '../support/system.ts';

const people = new People();
let owner: Person;
let viewer: Person;
let estate: Estate;
const followed: Following<Alarm>[] = [];

beforeAll(async () => {
  [owner, viewer] = await Promise.all([people.register(), people.register()]);
  estate = await createEstate(owner.as);
  await people.join('org', estate.orgId, viewer, 'viewer');
  await people.join('group', estate.groupId, viewer, 'viewer');
});

afterEach(() => {
  for (const one of followed.splice(0)) one.leave();
});

afterAll(() => people.close());

async function follow(path: string, as = owner.as, after?: string): Promise<Following<Alarm>> {
  const options = after === undefined ? {} : { after };
  const following = await followEvents(readAlarm, path, as, options);
  followed.push(following);
  expect(following.status).toBe(200);
  return following;
}

const told = ({ events }: Following<Alarm>) =>
  events.map(({ message: { id, state } }) => `${id} ${state}`);

/** Another alarm comes through: all that was before it would be there by now. */
async function isNext(following: Following<Alarm>, thingId = estate.thingId): Promise<void> {
  const last = await insertAlarm(people, thingId, { ruleName: 'last' });
  await eventually(() => following.events.some(({ message }) => message.id === last));
}

const nameless = ({ events }: Following<Alarm>) =>
  events.filter(({ message }) => message.rule_name !== 'last').map(({ message }) => message.id);

describe('alarms as they change', () => {
  it('are told once for each change, as the API shows them, and none from before', async () => {
    const { groupId, orgId, thingId } = estate;
    await insertAlarm(people, thingId);
    const live = await follow(`/groups/${groupId}/alarms/live`);
    const inOrg = await follow(`/orgs/${orgId}/alarms/live`, viewer.as);
    expect(live.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // Changes of one look come as one event, and each stream reads by itself: each waits for what both were told.
    const bothTold = (states: string[]) =>
      eventually(() => {
        const expected = states.map((state) => `${id} ${state}`);
        for (const one of [live, inOrg]) expect(told(one)).toEqual(expected);
      });
    const ruleId = await insertRule(people, groupId);
    const id = await insertAlarm(people, thingId, { ruleId, ruleName: 'two\nlines\r\u2028"' });
    await bothTold(['firing']);
    const shown = await call('GET', `/alarms/${id}`, { as: owner.as });
    expect(live.events[0]?.message).toEqual(JSON.parse(shown.text));

    await insertState(people, { ruleId, thingId, alarmId: id });
    const step = (state: string) =>
      people.rows(
        'UPDATE alarm_states SET state = $2, sequence = sequence + 1 WHERE alarm_id = $1',
        [id, state],
      );
    await step('clearing');
    await bothTold(['firing', 'clearing']);
    // No step: only the newest values are others.
    await step('clearing');
    await people.rows('DELETE FROM alarm_states WHERE alarm_id = $1', [id]);
    await endAlarm(people, id);
    await bothTold(['firing', 'clearing', 'ended']);
    await call('POST', `/alarms/${id}/acknowledge`, { as: owner.as, body: { note: 'seen' } });
    await bothTold(['firing', 'clearing', 'ended', 'ended']);
    expect(live.events.at(-1)?.message.note).toBe('seen');
    await isNext(live);
    await eventually(() => expect(told(inOrg)).toEqual(told(live)));
  });

  it('go on after a reconnection with each change that was missed, once', async () => {
    const { groupId, thingId } = estate;
    const path = `/groups/${groupId}/alarms/live`;
    const first = await follow(path);
    const before = await insertAlarm(people, thingId);
    await eventually(() => expect(nameless(first)).toEqual([before]));
    first.leave();
    const missed: string[] = [];
    for (let n = 0; n < 250; n += 1) missed.push(await insertAlarm(people, thingId));
    const [changedTwice = ''] = missed.splice(3, 1);
    await endAlarm(people, changedTwice);
    const second = await follow(path, owner.as, first.lastId());
    await isNext(second);
    expect(nameless(second)).toEqual([...missed, changedTwice]);
    // Nothing was told since: the position stands in signs of life as well.
    const third = await follow(path, owner.as, second.lastId());
    await isNext(third);
    expect(nameless(third)).toEqual([]);
    expect(third.events).toHaveLength(1);
  });

  it('are told where a change becomes visible after one that has a later number', async () => {
    const { groupId, thingId } = estate;
    const live = await follow(`/groups/${groupId}/alarms/live`);
    const pool = openPostgres(system().databaseUrl, 1, 10_000, createLog('test', 'silent'));
    const watch = watchAlarms(openStatements(pool));
    await watch.next();
    const slow = new Client({ connectionString: system().databaseUrl });
    await slow.connect();
    try {
      await slow.query('BEGIN');
      const early = await insertAlarm(people, thingId);
      await eventually(() => expect(nameless(live)).toEqual([early]));
      await slow.query('UPDATE alarms SET note = $2 WHERE id = $1', [early, 'slow']);
      const late = await insertAlarm(people, thingId);
      // While the first one goes on it is not known which change it has numbered: the second one waits.
      const before = await watch.next();
      for (let n = 0; n < 3; n += 1) expect((await watch.next()).to).toBe(before.to);
      expect(nameless(live)).toEqual([early]);
      const resumed = await follow(`/groups/${groupId}/alarms/live`, owner.as, live.lastId());
      await slow.query('COMMIT');
      await eventually(() => expect(nameless(live)).toEqual([early, early, late]));
      await eventually(() => expect(nameless(resumed)).toEqual([early, late]));
    } finally {
      await slow.end();
      await pool.end();
    }
  });

  it('are those of the groups alone that one is in, until one is in none of them', async () => {
    const { orgId, groupId, thingId } = estate;
    const [hidden] = await createThings(
      owner.as,
      await createdAt(
        `/groups/${await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'other' })}/profiles`,
        owner.as,
        [{ name: 'profile' }],
      ),
      [{ name: 'hidden', type: 'device' }],
    );
    const guest = await people.register();
    await people.join('org', orgId, guest, 'viewer');
    await people.join('group', groupId, guest, 'viewer');
    const inOrg = await follow(`/orgs/${orgId}/alarms/live`, guest.as);
    const inGroup = await follow(`/groups/${groupId}/alarms/live`, guest.as);
    const inAll = await follow('/alarms/live', guest.as);
    const unseen = await insertAlarm(people, hidden?.id ?? '');
    const seen = await insertAlarm(people, thingId);
    await isNext(inOrg);
    await isNext(inGroup);
    await isNext(inAll);
    expect(nameless(inAll)).toEqual([seen]);
    expect(nameless(inOrg)).toEqual([seen]);
    expect(nameless(inGroup)).toEqual([seen]);
    expect(unseen).not.toBe(seen);

    await people.rows('DELETE FROM group_memberships WHERE group_id = $1 AND member_id = $2', [
      groupId,
      guest.id,
    ]);
    const ownersView = await follow(`/orgs/${orgId}/alarms/live`);
    await isNext(ownersView);
    await inGroup.ended;
    const count = inOrg.events.length;
    const countOfAll = inAll.events.length;
    await isNext(ownersView);
    expect(inOrg.events).toHaveLength(count);
    expect(inAll.events).toHaveLength(countOfAll);
  });

  it('are refused to strangers, and after an id that is none of ours', async () => {
    const { groupId } = estate;
    const path = `/groups/${groupId}/alarms/live`;
    const stranger = await people.register();
    expect((await call('GET', path, { as: stranger.as })).status).toBe(403);
    const headers = { 'last-event-id': 'x' };
    const answer = await call('GET', path, { as: owner.as, headers });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Last-Event-ID')]);
  });
});
