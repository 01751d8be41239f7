import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noticeId } from '../../infra/runtime/alarms/writes.ts';
import { call, textAt } from '../support/api/http.ts';
import { loginAdmin, People } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { system } from '../support/system.ts';

const people = new People();
let fleet: Fleet;
let admin: string;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  admin = await loginAdmin();
});

afterAll(async () => {
  await fleet.close();
  await people.close();
});

const warm = { name: 't', when: '>', value: 8 };
const mails = { mails: ['night@example.com'] };

async function create(thing: Thing, rule: object = {}): Promise<string> {
  const body = {
    name: 'rule',
    conditions: [warm],
    thing_ids: [thing.id],
    receivers: mails,
    ...rule,
  };
  const answer = await call('POST', `/groups/${thing.groupId}/rules`, { as: admin, body });
  return textAt(answer, 'id');
}

async function change(ruleId: string, body: object): Promise<void> {
  const answer = await call('PUT', `/rules/${ruleId}`, { as: admin, body });
  expect([answer.status, answer.text]).toEqual([200, '']);
}

const send = (thing: Thing, v: number, n = 't') =>
  fleet.publish(thing.key, [{ n, t: Date.now() / 1_000, v }]);

const deadlocks = async (): Promise<number> => {
  const [row] = await people.rows(
    'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
    [],
  );
  return Number(row?.['deadlocks']);
};

type State = { state: unknown; newest: unknown };

const states = async (ruleId: string): Promise<State[]> => {
  const rows = await people.rows('SELECT state, newest FROM alarm_states WHERE rule_id = $1', [
    ruleId,
  ]);
  return rows.map(({ state, newest }) => ({ state, newest }));
};

/** Sends values until the rule has come to a state: an edge knows of a change of rules within a second. */
async function until(ruleId: string, thing: Thing, wanted: string, v = 9): Promise<void> {
  await eventually(async () => {
    await send(thing, v);
    return (await states(ruleId)).some(({ state }) => state === wanted);
  });
}

/** How many alarms of a rule and a thing go on. */
async function open(ruleId: string, thing: Thing): Promise<number> {
  const rows = await people.rows(
    'SELECT FROM alarms WHERE rule_id = $1 AND thing_id = $2 AND ended_at IS NULL',
    [ruleId, thing.id],
  );
  return rows.length;
}

const alarms = (ruleId: string) =>
  people.rows(
    `SELECT id, thing_id, group_id, episode, ended_why, ended_values, ended_at >= fired_at AS is_after,
            now() - ended_at < interval '1 minute' AS is_now
     FROM alarms WHERE rule_id = $1 ORDER BY episode`,
    [ruleId],
  );
const notices = (ruleId: string) =>
  people.rows(
    `SELECT id, transition, receivers FROM alarm_notices WHERE rule_id = $1 ORDER BY transition`,
    [ruleId],
  );

/** The only alarm of a rule has ended, for this reason, and who heard that it fired is to hear of it. */
async function expectEnd(ruleId: string, thing: Thing, why: string, value = 9): Promise<void> {
  expect(await alarms(ruleId)).toEqual([
    {
      id: expect.any(String),
      thing_id: thing.id,
      group_id: thing.groupId,
      episode: 1,
      ended_why: why,
      ended_values: [{ name: 't', value }],
      is_after: true,
      is_now: true,
    },
  ]);
  const id = (transition: 'ended' | 'fired') =>
    noticeId({
      ruleId,
      thingId: thing.id,
      alarmId: '',
      episode: 1,
      transition,
      atUs: 0,
      receivers: {},
    });
  expect(await notices(ruleId)).toEqual([
    { id: id('ended'), transition: 'ended', receivers: mails },
    { id: id('fired'), transition: 'fired', receivers: mails },
  ]);
  expect(await states(ruleId)).toEqual([]);
}

const expectFiring = async (ruleId: string) => {
  expect((await states(ruleId)).map(({ state }) => state)).toEqual(['firing']);
  expect((await alarms(ruleId)).map(({ ended_why: why }) => why)).toEqual([null]);
};

describe('an alarm ends, and its receivers are to be told,', () => {
  it('when its rule is disabled; it fires again when the rule is enabled', async () => {
    const thing = await fleet.thing();
    const id = await create(thing);
    await until(id, thing, 'firing');
    await change(id, { enabled: false, receivers: null });
    await expectEnd(id, thing, 'rule_disabled');
    await change(id, { enabled: true });
    await until(id, thing, 'firing');
    expect((await alarms(id)).map(({ episode, ended_why: why }) => [episode, why])).toEqual([
      [1, 'rule_disabled'],
      [2, null],
    ]);
  });

  it('when its rule is deleted', async () => {
    const thing = await fleet.thing();
    const id = await create(thing);
    await until(id, thing, 'firing');
    expect((await call('DELETE', `/rules/${id}`, { as: admin })).status).toBe(204);
    await expectEnd(id, thing, 'rule_deleted');
  });

  it('when its thing gets into another group, or out of the profile of the rule', async () => {
    const thing = await fleet.thing();
    const other = await fleet.thing();
    const [ofGroup, ofProfile] = [
      await create(thing),
      await create(thing, { profile_id: thing.profileId }),
    ];
    await until(ofGroup, thing, 'firing');
    await until(ofProfile, thing, 'firing');
    const move = (profileId: string) =>
      call('PATCH', `/things/${thing.id}`, { as: admin, body: { profile_id: profileId } });
    expect((await move(other.profileId)).status).toBe(200);
    await expectEnd(ofProfile, thing, 'thing_moved');
    await expectFiring(ofGroup);

    const org = await fleet.call('POST', '/orgs', { name: randomUUID() });
    const orgId = String(org.headers['location']).split('/').at(-1);
    const group = await fleet.call('POST', `/orgs/${orgId}/groups`, { name: randomUUID() });
    const groupId = String(group.headers['location']).split('/').at(-1);
    const made = await call('POST', `/groups/${groupId}/profiles`, {
      as: admin,
      body: [{ name: 'elsewhere' }],
    });
    expect((await move(textAt(made, 'profiles', 0, 'id'))).status).toBe(200);
    await expectEnd(ofGroup, thing, 'thing_moved');
  });

  it('when its rule is changed so that the newest value is no longer in breach', async () => {
    const thing = await fleet.thing();
    const id = await create(thing);
    await until(id, thing, 'firing');
    await change(id, { conditions: [{ ...warm, value: 9 }] });
    await expectEnd(id, thing, 'rule_changed');
  });

  it('when its rule is no longer about the thing, or of another series', async () => {
    const thing = await fleet.thing();
    const other = await fleet.thing();
    const [listed, ofSeries] = [await create(thing), await create(thing)];
    await until(listed, thing, 'firing');
    await until(ofSeries, thing, 'firing');
    await change(listed, { thing_ids: [other.id] });
    await expectEnd(listed, thing, 'rule_changed');
    await change(ofSeries, { conditions: [{ ...warm, subtopic: 'north' }] });
    await expectEnd(ofSeries, thing, 'rule_changed');
  });
});

describe('an alarm goes on', () => {
  it('where the newest value is in breach of what the rule says now, and ends by that', async () => {
    const thing = await fleet.thing();
    const id = await create(thing);
    await until(id, thing, 'firing', 20);
    await change(id, {
      conditions: [
        { name: 'u', when: '>', value: 1 },
        { ...warm, value: 15 },
      ],
      match: 'any',
      for: 60,
    });
    await expectFiring(id);
    const [state] = await states(id);
    expect(state?.newest).toEqual([null, expect.objectContaining({ breach: true, value: 20 })]);
    await eventually(async () => {
      await send(thing, 12);
      return (await alarms(id)).every(({ ended_why: why }) => why === 'cleared');
    });
    expect(await states(id)).toEqual([]);
  });

  it('and fires plainly again where it was about to end', async () => {
    const thing = await fleet.thing();
    const id = await create(thing, { clear_for: 3_600 });
    await until(id, thing, 'firing', 20);
    await until(id, thing, 'clearing', 5);
    await change(id, { conditions: [{ ...warm, value: 4 }] });
    await expectFiring(id);
  });

  it('where only names, severity or receivers are changed; what repeats is told from then on', async () => {
    const thing = await fleet.thing();
    const id = await create(thing);
    await until(id, thing, 'firing');
    await change(id, { name: 'other', severity: 'critical', receivers: {}, repeat_every: 600 });
    await expectFiring(id);
    const repeats = async () =>
      people.rows(
        `SELECT repeat_at - now() BETWEEN interval '9 minutes' AND interval '10 minutes' AS is_due
         FROM alarm_states WHERE rule_id = $1`,
        [id],
      );
    expect(await repeats()).toEqual([{ is_due: true }]);
    await change(id, { repeat_every: null });
    expect(await repeats()).toEqual([{ is_due: null }]);
  });
});

describe('a message right after a change', () => {
  it.each<[string, object]>([
    ['is not held against the rule before it', { conditions: [{ ...warm, value: 50 }] }],
    ['of a rule that is disabled raises no alarm', { enabled: false }],
  ])('%s', async (_, members) => {
    const [thing, other] = [await fleet.thing(), await fleet.thing()];
    const things = { thing_ids: [thing.id, other.id] };
    const [changing, marker] = [await create(thing, things), await create(thing, things)];
    await until(changing, thing, 'firing');
    await until(marker, thing, 'firing');
    for (let round = 0; round < 5; round += 1) {
      await change(changing, { conditions: [warm], enabled: true });
      // The edge knows of that.
      for (const [v, count] of [
        [20, 1],
        [5, 0],
      ] as const) {
        await eventually(async () => {
          await send(other, v);
          const both = [await open(changing, other), await open(marker, other)];
          return both.every((one) => one === count);
        });
      }
      await change(changing, members);
      await send(other, 20);
      // Both rules are held against it in one transaction.
      await eventually(async () => (await open(marker, other)) === 1);
      expect(await open(changing, other)).toBe(0);
      await eventually(async () => {
        await send(other, 5);
        return (await open(marker, other)) === 0;
      });
    }
  });
});

it('a thing that is pending begins anew when its rule is changed, and nobody is told', async () => {
  const thing = await fleet.thing();
  const id = await create(thing, { for: 3_600 });
  await until(id, thing, 'pending');
  await change(id, { for: 3_601 });
  expect(await states(id)).toEqual([]);
  expect([await alarms(id), await notices(id)]).toEqual([[], []]);
  await until(id, thing, 'pending');
});

it('a thing stays pending where its rule names the same things in another order', async () => {
  const thing = await fleet.thing();
  const [other] = await fleet.createThings(thing.profileId, [{ name: 'other', type: 'device' }]);
  const ids = [thing.id, other?.id ?? ''];
  const id = await create(thing, { for: 3_600, thing_ids: ids });
  await until(id, thing, 'pending');
  await change(id, { thing_ids: ids.toReversed() });
  expect((await states(id)).map(({ state }) => state)).toEqual(['pending']);
});

describe('a rule of thousands of alarms', () => {
  const all = 2_500;
  let thing: Thing;
  let things: { id: string; key: string }[];
  /** Its group goes in the end. */
  let own: Fleet;

  beforeAll(async () => {
    own = await Fleet.login(system());
    thing = await own.thing();
    const given = Array.from({ length: all }, () => ({ name: randomUUID(), type: 'device' }));
    const made = await own.createThings(thing.profileId, given);
    things = made.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  });

  afterAll(() => own.close());

  /** Fires for all: for some with a value of 10, and for the others with one of 20. */
  async function fired(): Promise<string> {
    const id = await create(thing, { thing_ids: null });
    const newest = (value: number) =>
      JSON.stringify([
        { timeUs: 1, intervalUs: 0, intervalBeforeUs: 0, breach: true, clears: false, value },
      ]);
    await people.rows(
      `WITH fired AS (
         INSERT INTO alarms (id, rule_id, thing_id, group_id, episode, rule_name, severity, clock, began_at, fired_at)
         SELECT uuid_v7(), $1, thing_id, $2, 1, 'rule', 'info', 'record', now(), now()
         FROM unnest($3::uuid[]) AS made (thing_id)
         RETURNING id, thing_id
       )
       INSERT INTO alarm_states (rule_id, thing_id, state, since_us, gap_us, alarm_id, episode, newest)
       SELECT $1, thing_id, 'firing', 1, 0, id, 1, CASE WHEN thing_id::text < '8' THEN $4 ELSE $5 END::jsonb
       FROM fired`,
      [id, thing.groupId, things.map((one) => one.id), newest(10), newest(20)],
    );
    return id;
  }

  const endedBy = async (id: string, reason: string) =>
    (await alarms(id)).filter(({ ended_why: why }) => why === reason).length;

  it('that is changed lets those go on that are in breach, and ends the others once', async () => {
    const id = await fired();
    await change(id, { conditions: [{ ...warm, value: 15 }] });
    const low = things.filter((one) => one.id < '8').length;
    expect(low).toBeGreaterThan(all / 3);
    await eventually(async () => expect(await endedBy(id, 'rule_changed')).toBe(low));
    expect((await states(id)).length).toBe(all - low);
    expect((await notices(id)).length).toBe(low);
    await eventually(async () => {
      expect(await people.rows('SELECT FROM rule_endings WHERE rule_id = $1', [id])).toEqual([]);
    });
  });

  it('that is deleted is gone at once, and ends them soon', async () => {
    const id = await fired();
    expect((await call('DELETE', `/rules/${id}`, { as: admin })).status).toBe(204);
    expect((await call('GET', `/rules/${id}`, { as: admin })).status).toBe(404);
    await eventually(async () => expect(await endedBy(id, 'rule_deleted')).toBe(all));
    expect(await states(id)).toEqual([]);
    expect((await notices(id)).length).toBe(all);
  });

  it('that is changed is held at once against what comes, whatever is left to do', async () => {
    const id = await fired();
    const last = things.at(-1);
    if (last === undefined) throw new Error('there is no thing');
    await system().kill('workers', 'SIGSTOP');
    try {
      await change(id, { conditions: [{ ...warm, value: 15 }] });
      await eventually(async () => {
        await send({ ...thing, ...last }, 12);
        return (await endedBy(id, 'cleared')) === 1;
      });
      expect((await states(id)).length).toBeGreaterThan(all / 2);
      expect(await people.rows('SELECT FROM rule_endings WHERE rule_id = $1', [id])).toHaveLength(
        1,
      );
    } finally {
      await system().kill('workers', 'SIGCONT');
    }
    await eventually(async () => {
      expect(await people.rows('SELECT FROM rule_endings WHERE rule_id = $1', [id])).toEqual([]);
    });
    expect((await states(id)).length).toBe(things.filter((one) => one.id >= '8').length - 1);
  });

  it('that is changed while its things go, and deleted while its group goes, waits for nobody in turns', async () => {
    const before = await deadlocks();
    const id = await fired();
    // In no order: that of the ids is not that of the rows.
    const mixed = things.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const some = [0, 1, 2, 3].map((at) => mixed.slice(at * 400, (at + 1) * 400));
    const answers = await Promise.all([
      ...some.map((gone) => {
        const body = { thing_ids: gone.map((one) => one.id) };
        return call('PATCH', '/things', { as: admin, body });
      }),
      ...[15, 8, 15, 8].map((value) => {
        const body = { conditions: [{ ...warm, value }] };
        return call('PUT', `/rules/${id}`, { as: admin, body });
      }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      ...some.map(() => 204),
      200,
      200,
      200,
      200,
    ]);
    expect((await call('DELETE', `/rules/${id}`, { as: admin })).status).toBe(204);
    expect((await call('DELETE', `/groups/${thing.groupId}`, { as: admin })).status).toBe(204);
    await eventually(async () => {
      expect(await people.rows('SELECT FROM rule_endings WHERE rule_id = $1', [id])).toEqual([]);
    });
    expect(await deadlocks()).toBe(before);
  });
});

it('silence goes on where it has lasted for as long as the rule says now', async () => {
  const thing = await fleet.thing();
  const id = await create(thing, { conditions: [{ when: 'silent' }], for: 600 });
  await people.rows(
    `WITH heard AS (
       INSERT INTO things_seen (thing_id, seen_at) VALUES ($2, now() - interval '1 hour')
     ),
     created AS (UPDATE things SET created_at = now() - interval '1 day' WHERE id = $2),
     fired AS (
       INSERT INTO alarms (id, rule_id, thing_id, group_id, episode, rule_name, severity, clock, began_at, fired_at)
       VALUES (uuid_v7(), $1, $2, $3, 1, 'rule', 'info', 'receipt', now() - interval '1 hour', now())
       RETURNING id
     )
     INSERT INTO alarm_states (rule_id, thing_id, state, since_us, gap_us, alarm_id, episode, newest)
     SELECT $1, $2, 'firing', 1, 0, id, 1, '[]' FROM fired`,
    [id, thing.id, thing.groupId],
  );
  await change(id, { for: 1_800 });
  await expectFiring(id);
  await change(id, { for: 7_200 });
  expect((await alarms(id)).map(({ ended_why: why }) => why)).toEqual(['rule_changed']);
});
