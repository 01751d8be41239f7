import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../infra/runtime/stores/postgres.ts';
import { startForgettingAlarms } from '../../workers/retention/alarms.ts';
import { call } from '../support/api/http.ts';
import { createEstate, People, type Person } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { idsIn, insertAlarm, insertRule } from '../support/fixtures/alarms.ts';
import { system } from '../support/system.ts';

const people = new People();
const log = createLog('test', 'silent');
let pool: Pool;
let owner: Person;

beforeAll(async () => {
  owner = await people.register();
  pool = openPostgres(system().databaseUrl, 4, 10_000, log);
});

afterAll(async () => {
  await pool.end();
  await people.close();
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Lets several workers forget until this holds. */
async function forgetUntil(check: () => Promise<void>): Promise<void> {
  const stops = [1, 2].map(() => startForgettingAlarms({ pool, logger: log }));
  try {
    await eventually(check);
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}

it('alarms that ended go after 400 days, or with the messages of their group or org', async () => {
  const [long, ofGroup, ofOrg] = await Promise.all([1, 2, 3].map(() => createEstate(owner.as)));
  if (long === undefined || ofGroup === undefined || ofOrg === undefined)
    throw new Error('no estate');
  await call('PUT', `/groups/${ofGroup.groupId}`, { as: owner.as, body: { retention_days: 7 } });
  await call('PUT', `/orgs/${ofOrg.orgId}`, { as: owner.as, body: { retention_days: 30 } });
  const left: string[] = [];
  for (const [{ thingId }, days] of [
    [long, 400],
    [ofGroup, 7],
    [ofOrg, 30],
  ] as const) {
    const firedAt = daysAgo(days + 2);
    await insertAlarm(people, thingId, { firedAt, endedAt: daysAgo(days + 1) });
    left.push(await insertAlarm(people, thingId, { firedAt, endedAt: daysAgo(days - 1) }));
    left.push(await insertAlarm(people, thingId, { firedAt }));
  }
  const all = async () => {
    const lists = await Promise.all(
      [long, ofGroup, ofOrg].map(({ groupId }) =>
        call('GET', `/groups/${groupId}/alarms?order=id&dir=asc`, { as: owner.as }),
      ),
    );
    return lists.flatMap((list) => idsIn(list, 'alarms'));
  };
  expect(await all()).toHaveLength(9);
  await forgetUntil(async () => expect(await all()).toEqual(left));
});

it('the last alarm of a rule that lives stays for its number, without values and note', async () => {
  const { groupId, thingId } = await createEstate(owner.as);
  await call('PUT', `/groups/${groupId}`, { as: owner.as, body: { retention_days: 7 } });
  const ruleId = await insertRule(people, groupId);
  const old = {
    ruleId,
    firedAt: daysAgo(9),
    endedAt: daysAgo(8),
    values: [{ name: 't', value: 9 }],
  };
  await insertAlarm(people, thingId, old);
  const last = await insertAlarm(people, thingId, { ...old, episode: 2 });
  await people.rows(`UPDATE alarms SET note = 'of Ana' WHERE id = $1`, [last]);
  const left = () =>
    people.rows(
      'SELECT id, episode, began_values, ended_values, note FROM alarms WHERE rule_id = $1',
      [ruleId],
    );
  await forgetUntil(async () =>
    expect(await left()).toEqual([
      { id: last, episode: 2, began_values: [], ended_values: [], note: null },
    ]),
  );
  await people.rows('DELETE FROM rules WHERE id = $1', [ruleId]);
  await forgetUntil(async () => expect(await left()).toEqual([]));
});

it('notices that were sent, ended silences and marks of states that went are not kept for good', async () => {
  const { groupId, thingId } = await createEstate(owner.as);
  const alarmId = await insertAlarm(people, thingId);
  const mark = randomUUID();
  const ids = [1, 2, 3].map((n) => `${mark}-${n}`);
  await people.rows(
    `INSERT INTO alarm_notices (id, alarm_id, rule_id, transition, at, receivers, due_at, sent_at)
     SELECT id, $2, $3, 'fired', now(), '{}', now() - interval '40 days', sent
     FROM unnest($1::text[], ARRAY[now() - interval '31 days', now() - interval '29 days', NULL]) AS given (id, sent)`,
    [ids, alarmId, randomUUID()],
  );
  await people.rows(
    `INSERT INTO silences (id, group_id, reason, until)
     SELECT gen_random_uuid(), $1, days::text, now() - make_interval(days => days)
     FROM unnest(ARRAY[91, 89, -1]) AS days`,
    [groupId],
  );
  await people.rows(
    `INSERT INTO alarm_states_gone (rule_id, thing_id, log_id, gone_at)
     SELECT gen_random_uuid(), $1, days::text, now() - make_interval(days => days) FROM unnest(ARRAY[8, 6]) AS days`,
    [thingId],
  );
  const left = async () => [
    await people.rows('SELECT id FROM alarm_notices WHERE alarm_id = $1 ORDER BY id', [alarmId]),
    await people.rows('SELECT reason FROM silences WHERE group_id = $1 ORDER BY reason', [groupId]),
    await people.rows('SELECT log_id FROM alarm_states_gone WHERE thing_id = $1', [thingId]),
  ];
  await forgetUntil(async () =>
    expect(await left()).toEqual([
      [{ id: ids[1] }, { id: ids[2] }],
      [{ reason: '-1' }, { reason: '89' }],
      [{ log_id: '6' }],
    ]),
  );
});

it('when receivers of a rule were told last goes a day later, whether or not the rule is there', async () => {
  const { groupId } = await createEstate(owner.as);
  const [told, waiting] = [await insertRule(people, groupId), await insertRule(people, groupId)];
  const gone = randomUUID();
  await people.rows(
    `INSERT INTO alarm_rules_told (rule_id, until)
     VALUES ($1, now() - interval '2 days'), ($2, now() - interval '2 days'), ($3, now() + interval '20 seconds')`,
    [gone, told, waiting],
  );
  const left = () =>
    people.rows('SELECT rule_id FROM alarm_rules_told WHERE rule_id = ANY ($1::uuid[])', [
      [gone, told, waiting],
    ]);
  await forgetUntil(async () => expect(await left()).toEqual([{ rule_id: waiting }]));
});
