import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alarmsIn } from '../../infra/runtime/alarms/history.ts';
import { activeRule } from '../../infra/runtime/alarms/rule.ts';
import { openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../infra/runtime/stores/cluster.ts';
import { at, call, json } from '../support/api/http.ts';
import { loginAdmin, People } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { system } from '../support/system.ts';

const people = new People();
let fleet: Fleet;
let admin: string;
/** A day ago, to the second. */
const base = Math.floor(Date.now() / 1_000) - 86_400;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  admin = await loginAdmin();
});

afterAll(async () => {
  await fleet.close();
  await people.close();
});

type Record = { n?: string; t: number; v?: number; vs?: string; vb?: boolean };

async function stored(thing: Thing, format: 'senml' | 'json', count: number): Promise<void> {
  await eventually(async () => {
    const answer = await call('GET', `/reader/${format}?publisher=${thing.id}&limit=1`, {
      as: admin,
    });
    return at(answer, 'total') === count;
  });
}

/** Stores records of `t` unless they name another; `t` is seconds after `base`. */
async function store(thing: Thing, records: Record[], subtopic = ''): Promise<void> {
  const pack = records.map((one) => ({ n: 't', ...one, t: base + one.t }));
  const { status } = await fleet.publish(thing.key, pack, { subtopic });
  expect(status).toBe(202);
}

async function preview({ groupId, id }: Thing, rule: object): Promise<Previewed> {
  const body = { thing_ids: [id], days: 2, ...rule };
  const answer = await call('POST', `/groups/${groupId}/rules/preview`, { as: admin, body });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return Object(json(answer));
}

type Previewed = {
  from: string;
  to: string;
  things: {
    thing_id: string;
    total: number;
    alarms: { began_at: string; fired_at: string; ended_at?: string }[];
  }[];
  looked_at: number;
  left_out: number;
};

/** The alarms of the only thing, as seconds after `base`: began, fired, ended. */
async function alarms(thing: Thing, rule: object): Promise<(number | undefined)[][]> {
  const { things } = await preview(thing, rule);
  expect(things.map((one) => one.thing_id)).toEqual(things.length === 0 ? [] : [thing.id]);
  const seconds = (time: string | undefined) =>
    time === undefined ? undefined : Date.parse(time) / 1_000 - base;
  return (things[0]?.alarms ?? []).map((one) =>
    [one.began_at, one.fired_at, one.ended_at].map(seconds),
  );
}

const above = (value: number) => ({ name: 't', when: '>', value });

describe('a preview', () => {
  it('tells the alarms that a rule would have had, by hysteresis and durations', async () => {
    const thing = await fleet.thing();
    const values = [5, 9, 9, 9, 7, 9, 5, 5, 9, 9, 9, 12];
    await store(
      thing,
      values.map((v, minute) => ({ t: minute * 60, v })),
    );
    await stored(thing, 'senml', values.length);
    expect(await alarms(thing, { conditions: [above(8)] })).toEqual([
      [60, 60, 240],
      [300, 300, 360],
      [480, 480, undefined],
    ]);
    const hysteresis = { ...above(8), clear: { when: '<', value: 6 } };
    expect(await alarms(thing, { conditions: [hysteresis], for: 120 })).toEqual([
      [60, 180, 360],
      [480, 600, undefined],
    ]);
    expect(await alarms(thing, { conditions: [hysteresis], for: 120, clear_for: 60 })).toEqual([
      [60, 180, 420],
      [480, 600, undefined],
    ]);
    expect(await alarms(thing, { conditions: [above(20)] })).toEqual([]);
  });

  it('tells the range, what was looked at, and shows to viewers of the group', async () => {
    const thing = await fleet.thing();
    const viewer = await people.member('group', thing.groupId, 'viewer');
    const body = { conditions: [above(8)], profile_id: thing.profileId };
    const answer = await call('POST', `/groups/${thing.groupId}/rules/preview`, {
      as: viewer.as,
      body,
    });
    const { from, to, ...rest } = Object(json(answer));
    expect(rest).toEqual({ things: [], looked_at: 1, left_out: 0 });
    expect(Date.parse(to) - Date.parse(from)).toBe(30 * 86_400_000);
    expect(Math.abs(Date.now() - Date.parse(to))).toBeLessThan(60_000);
  });

  it('refuses what a rule of that group could not be', async () => {
    const [thing, other] = [await fleet.thing(), await (await Fleet.login(system())).thing()];
    for (const [members, why] of [
      [{ conditions: [{ name: 't', when: '>' }] }, 'conditions.0.value: > needs it'],
      [{ conditions: [above(1)], thing_ids: [other.id] }, 'thing_ids.0: is no thing of the group'],
      [{ conditions: [above(1)], days: 31 }, 'days'],
    ] as const) {
      const path = `/groups/${thing.groupId}/rules/preview`;
      const answer = await call('POST', path, { as: admin, body: members });
      expect([answer.status, at(answer, 'error')]).toEqual([400, expect.stringContaining(why)]);
    }
  });

  it('holds texts, booleans and series of subtopics apart', async () => {
    const thing = await fleet.thing();
    await store(thing, [
      { t: 0, vs: 'open' },
      { t: 10, vs: 'closed' },
      { t: 20, vb: true },
      { t: 30, vb: false },
      { t: 40, v: 1 },
    ]);
    await store(
      thing,
      [
        { t: 5, v: 9 },
        { t: 15, v: 1 },
      ],
      'north',
    );
    await stored(thing, 'senml', 7);
    const is = (value: unknown, rest: object = {}) => ({
      conditions: [{ name: 't', when: '==', value, ...rest }],
    });
    expect(await alarms(thing, is('open'))).toEqual([[0, 0, 10]]);
    expect(await alarms(thing, is(true))).toEqual([[20, 20, 30]]);
    expect(await alarms(thing, is(1))).toEqual([[15, 15, undefined]]);
    expect(await alarms(thing, is(1, { subtopic: '' }))).toEqual([[40, 40, undefined]]);
    expect(await alarms(thing, { conditions: [{ ...above(8), subtopic: 'north' }] })).toEqual([
      [5, 5, 15],
    ]);
  });

  it('reads members of JSON, beside an integer of any length, and joins them with SenML', async () => {
    const thing = await fleet.thing({
      content_type: 'application/json',
      transformer: { time_field: 'at', time_format: 'unix' },
    });
    const of = async (seconds: number, payload: object | string, subtopic = '') => {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      const body = text.replace('{', `{"at":${base + seconds},`);
      const sent = await fleet.publish(thing.key, body, {
        contentType: 'application/json',
        subtopic,
      });
      expect(sent).toMatchObject({ status: 202 });
    };
    await of(0, { room: { t: 9, door: 'open' } });
    await of(10, { room: { t: 9.5 }, other: [1] });
    await of(20, `{"room":{"t":12},"serial":123456789012345678901234567890}`);
    await of(30, { room: { t: 7, door: 'closed' } });
    await of(40, { room: { t: 'hot' } });
    await of(50, { 'room.t': 99 });
    await of(60, { room: { t: 10 } }, 'north');
    await stored(thing, 'json', 7);
    const t = { path: 'room.t', when: '>', value: 8 };
    expect(await alarms(thing, { conditions: [t] })).toEqual([
      [0, 0, 30],
      [60, 60, undefined],
    ]);
    expect(await alarms(thing, { conditions: [{ ...t, subtopic: 'north' }] })).toEqual([
      [60, 60, undefined],
    ]);
    expect(await alarms(thing, { conditions: [{ ...t, value: 11 }] })).toEqual([[20, 20, 30]]);
    const door = { path: 'room.door', when: '==', value: 'open' };
    expect(await alarms(thing, { conditions: [t, door] })).toEqual([[0, 0, 30]]);
    const either = { conditions: [{ name: 's', when: '>', value: 1 }, door], match: 'any' };
    expect(await alarms(thing, either)).toEqual([[0, 0, 30]]);
  });

  it('tries silence by the holes between records, from when the thing was made', async () => {
    const thing = await fleet.thing();
    await people.rows(`UPDATE things SET created_at = to_timestamp($2) WHERE id = $1`, [
      thing.id,
      base,
    ]);
    await store(thing, [
      { t: 100, v: 1 },
      { t: 1_000, v: 1 },
      { n: 'other', t: 1_500, v: 1 },
    ]);
    await stored(thing, 'senml', 3);
    const silent = { conditions: [{ when: 'silent' }] };
    expect(await alarms(thing, { ...silent, for: 600 })).toEqual([
      [100, 700, 1_000],
      [1_500, 2_100, undefined],
    ]);
    expect((await alarms(thing, { ...silent, for: 50 }))[0]).toEqual([0, 50, 100]);
    expect(await alarms(thing, { ...silent, for: 172_800 })).toEqual([]);
  });

  it('looks at the fifty things that were heard last, and tells how many it left out', async () => {
    const own = await Fleet.login(system());
    const thing = await own.thing();
    const things = await own.createThings(
      thing.profileId,
      Array.from({ length: 52 }, () => ({ name: randomUUID(), type: 'device' })),
    );
    const last = things.at(-1);
    await people.rows(
      'INSERT INTO things_seen (thing_id, seen_at) SELECT unnest($1::uuid[]), now()',
      [things.slice(-2).map(({ id }) => id)],
    );
    await store({ ...thing, key: last?.key ?? '' }, [{ t: 0, v: 9 }]);
    await stored({ ...thing, id: last?.id ?? '' }, 'senml', 1);
    const { things: found, ...rest } = await preview(thing, {
      conditions: [above(8)],
      thing_ids: null,
    });
    expect(rest).toMatchObject({ looked_at: 50, left_out: 3 });
    expect(found.map(({ thing_id: id, total }) => [id, total])).toEqual([[last?.id, 1]]);
    await own.close();
  });

  it('looks at a million records: those of the things heard last, or the newest of one thing', async () => {
    const own = await Fleet.login(system());
    const [few, many] = [await own.thing(), await own.thing()];
    const clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 60_000);
    const ofMany = { publisher: many.id };
    await clickhouse.command({
      query: `INSERT INTO senml (publisher, protocol, name, time, kind, given)
              SELECT {publisher:UUID}, 'http', 't', (${base} + 86000 - intDiv(number, 10)) * 1000000000 + number % 10, 'value', 9
              FROM numbers(1000001)`,
      query_params: ofMany,
    });
    await people.rows(`INSERT INTO things_seen (thing_id, seen_at) VALUES ($1, now())`, [few.id]);
    const rule = { conditions: [above(8)] };
    const both = { ...rule, thing_ids: [few.id, many.id] };
    const withoutAny = { things: [{ thing_id: many.id }], looked_at: 2, left_out: 0 };
    expect(await preview(few, both)).toMatchObject(withoutAny);
    await fleet.publish(few.key, [{ n: 't', t: base, v: 9 }]);
    await stored(few, 'senml', 1);
    const withOne = { things: [{ thing_id: few.id }], looked_at: 1, left_out: 1 };
    expect(await preview(few, both)).toMatchObject(withOne);
    const alone = await preview(many, rule);
    expect(alone).toMatchObject({ things: [{ total: 1 }], looked_at: 1, left_out: 0 });
    // The oldest of a million and one.
    expect(Date.parse(alone.from) / 1_000).toBe(base + 86_000 - 99_999);
    await clickhouse.command({
      query: `DELETE FROM ${onShards(clickhouse.cluster, 'senml')} WHERE publisher = {publisher:UUID}`,
      query_params: ofMany,
    });
    await clickhouse.close();
    await own.close();
  });

  it('has the alarms that the records themselves have, in whatever order they came', async () => {
    const thing = await fleet.thing();
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const records = Array.from({ length: 3_000 }, (_, nth) => ({
      n: nth % 3 === 0 ? 'u' : 't',
      t: nth * 20 + random(60),
      v: random(20),
    }));
    const shuffled = records.toSorted(
      (one, other) => ((one.t * 7_919) % 3_001) - ((other.t * 7_919) % 3_001),
    );
    for (let from = 0; from < shuffled.length; from += 1_000) {
      await store(thing, shuffled.slice(from, from + 1_000));
    }
    await stored(thing, 'senml', records.length);
    const conditions = [
      { ...above(11), clear: { when: '<=', value: 4 } },
      { name: 'u', when: 'between', low: 3, high: 16 },
    ] as const;
    for (const match of ['all', 'any'] as const) {
      for (const lasts of [0, 40]) {
        const rule = activeRule({
          id: '',
          group_id: '',
          name: '',
          severity: 'info',
          match,
          conditions,
          for_s: lasts,
          clear_for_s: lasts,
          gap_s: null,
          repeat_s: null,
          profile_id: null,
          thing_ids: null,
          receivers: {},
        });
        if (rule === undefined) throw new Error('no rule');
        const sorted = records
          .map(({ n, t, v }) => ({ timeUs: t * 1e6, condition: n === 't' ? 0 : 1, value: v }))
          .toSorted((one, other) => one.timeUs - other.timeUs);
        const wanted = alarmsIn(rule, sorted).map(({ beganUs, firedUs, endedUs }) => [
          beganUs / 1e6,
          firedUs / 1e6,
          endedUs === undefined ? undefined : endedUs / 1e6,
        ]);
        expect(wanted.length).toBeGreaterThan(3);
        const found = await alarms(thing, { conditions, match, for: lasts, clear_for: lasts });
        expect(found).toEqual(wanted);
      }
    }
  });
});
