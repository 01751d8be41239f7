import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { eventually as soon } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { buildApi } from '../support/api/build.ts';
import { type Following, follow as open } from '../support/api/events.ts';
import { at, call, textAt } from '../support/api/http.ts';
import { sign } from '../access/matrix/world.ts';
import {
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';

/** An edge sends a batch a second, and a stream looks each second; a busy machine takes longer. */
const eventually = <T>(check: () => T | Promise<T>) => soon(check, 45_000);

let people: People;
let owner: Person;
let estate: Estate;
let second: { id: string; key: string };
let clickhouse: ClickHouseClient;

const followed: Following[] = [];

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  const made = await createThings(owner.as, estate.profileId, [{ name: 'second', type: 'sensor' }]);
  second = made[0] ?? { id: '', key: '' };
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
});

afterEach(() => {
  for (const one of followed.splice(0)) one.leave();
});

afterAll(async () => {
  await clickhouse.close();
  await people.close();
});

async function follow(
  path: string,
  as: string = owner.as,
  options: { after?: string; apiUrl?: string } = {},
): Promise<Following> {
  const following = await open(path, as, options);
  followed.push(following);
  return following;
}

async function publish(key: string, records: object[], path = ''): Promise<void> {
  const answer = await call('POST', `/http/messages${path}`, {
    as: `Thing ${key}`,
    body: records,
    headers: { 'content-type': 'application/senml+json' },
  });
  expect(answer.status).toBe(202);
}

const values = (following: Following) =>
  following.events.map(({ message }) => message.value ?? Number.NaN);
const sorted = (numbers: number[]) => numbers.toSorted((one, other) => one - other);

/** Rows as an edge's log would bring them, of this thing, put into the store directly. */
async function store(log: string, batch: number, rows: { value: number; time?: string }[]) {
  await clickhouse.insert({
    table: 'senml',
    columns: ['publisher', 'protocol', 'name', 'time', 'kind', 'given', 'log', 'batch'],
    values: rows.map(({ value, time = '1700000000000000000' }) => ({
      publisher: second.id,
      protocol: 'http',
      name: 'stored',
      time,
      kind: 'value',
      given: value,
      log,
      batch,
    })),
    format: 'JSONEachRow',
  });
}

describe('GET /reader/<format>/live', () => {
  it('gives new messages as they are read later, and none from before', async () => {
    await publish(estate.key, [{ n: 'before', v: 1 }]);
    await eventually(async () => {
      const answer = await call('GET', '/reader/senml?name=before', { as: owner.as });
      expect(at(answer, 'total')).toBe(1);
    });
    const senml = await follow('/svcthings/reader/senml/live');
    const json = await follow('/reader/json/live');
    expect(senml.status).toBe(200);
    expect(senml.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await publish(estate.key, [{ n: 'now', u: 'Cel', v: 2.5, t: 1_700_000_000.25 }], '/a/b');
    await call('POST', '/http/messages', {
      as: `Thing ${estate.key}`,
      raw: '{"a": 12345678901234567890}',
    });
    await eventually(() => {
      expect(senml.events).toHaveLength(1);
      expect(json.events).toHaveLength(1);
    });
    for (const [format, one] of [
      ['senml', senml.events[0]],
      ['json', json.events[0]],
    ] as const) {
      const query = format === 'senml' ? '?name=now' : '';
      const read = await call('GET', `/reader/${format}${query}`, { as: owner.as });
      expect(read.text).toContain(`"messages":[${one?.text}`);
    }
  });

  it('gives each message once and in order, resumed after any of them', async () => {
    const path = `/reader/senml/live?publisher=${estate.thingId}`;
    const { as } = await people.member('group', estate.groupId, 'viewer');
    const whole = await follow(path, as);
    await eventually(() => whole.lastId() !== '');
    const start = whole.lastId();
    // The second half of them while others resume.
    const publishAll = async (from: number) => {
      for (let i = from; i < from + 6; i++) {
        await publish(
          estate.key,
          Array.from({ length: 5 }, (_, k) => ({ n: 'r', v: i * 5 + k, t: 1_700_000_000 + k })),
        );
      }
    };
    await publishAll(0);
    await eventually(() => expect(whole.events).toHaveLength(30));
    const more = publishAll(6);
    const points = [start, ...whole.events.filter((_, i) => i % 7 === 0).map(({ id }) => id)];
    const resumed: Following[] = [];
    for (const after of points) resumed.push(await follow(path, as, { after }));
    await more;
    await eventually(() => expect(whole.events).toHaveLength(60));
    expect(sorted(values(whole))).toEqual(Array.from({ length: 60 }, (_, i) => i));
    // The order of what a message holds is by time; the same for all who follow.
    for (const [i, one] of resumed.entries()) {
      const seen = i === 0 ? 0 : (i - 1) * 7 + 1;
      await eventually(() => expect(one.events).toHaveLength(60 - seen));
      expect(one.events.map(({ text }) => text)).toEqual(
        whole.events.slice(seen).map(({ text }) => text),
      );
    }
  });

  it('loses nothing of two edges, even when a batch becomes visible in parts', async () => {
    const [first, other] = [randomUUID(), randomUUID()];
    await store(first, 100, [{ value: 1 }]);
    const path = `/reader/senml/live?name=stored&publisher=${second.id}`;
    const { as } = await people.member('group', estate.groupId, 'viewer');
    const following = await follow(path, as);
    // Equal records are as many as they are; another year is another part.
    await store(first, 101, [{ value: 2 }, { value: 2 }, { value: 3 }]);
    await eventually(() => expect(sorted(values(following))).toEqual([2, 2, 3]));
    await store(other, 7, [{ value: 4 }]);
    await store(first, 101, [{ value: 5, time: '1500000000000000000' }]);
    await eventually(() => expect(following.events).toHaveLength(5));
    await store(first, 102, [{ value: 6, time: '1400000000000000000' }]);
    await eventually(() => expect(following.events).toHaveLength(6));
    expect(sorted(values(following))).toEqual([2, 2, 3, 4, 5, 6]);
    const resumed: Following[] = [];
    for (const { id } of following.events) {
      resumed.push(await follow(path, as, { after: id }));
    }
    await store(other, 8, [{ value: 7 }]);
    await eventually(() => {
      for (const [i, one] of resumed.entries()) {
        const wanted = [...values(following).slice(i + 1, 6), 7];
        expect(sorted(values(one))).toEqual(sorted(wanted));
      }
    });
  });

  it('has the filters of a read, and refuses others', async () => {
    const path = '/reader/senml/live';
    const [byName, byValue, bySubtopic] = [
      await follow(`${path}?name=wanted`),
      await follow(`${path}?v=5&comparator=ge&name=`),
      await follow(`${path}?subtopic=x.y&publisher=${second.id}`),
    ];
    await publish(second.key, [
      { n: 'wanted', v: 1 },
      { n: 'other', v: 5 },
    ]);
    await publish(second.key, [{ n: 'deep', v: 0 }], '/x/y');
    await eventually(() => {
      expect(byName.events.map(({ message }) => message.name)).toEqual(['wanted']);
      expect(values(byValue)).toEqual([5]);
      expect(bySubtopic.events.map(({ message }) => message.name)).toEqual(['deep']);
    });
    for (const bad of ['filter=a', 'v=x', 'publisher=x', 'from=x']) {
      expect([bad, (await call('GET', `${path}?${bad}`, { as: owner.as })).status]).toEqual([
        bad,
        400,
      ]);
    }
    const cursors = [
      'x',
      '1~',
      '2',
      '1~abc.1',
      '1~aaaaaaaaaaa.99999999999',
      '1~aaaaaaaaaaa.1.p.x.1.1',
    ];
    for (const after of [...cursors, '1~aaaaaaaaaaa.1.2024.99999999999999999999.1.1']) {
      const headers = { 'last-event-id': after };
      const answer = await call('GET', path, { as: owner.as, headers });
      expect([after, answer.status]).toEqual([after, 400]);
    }
    const url = `${new URL(system().apiUrl).origin}${path}`;
    const head = await fetch(url, { method: 'HEAD', headers: { authorization: owner.as } });
    expect(head.status).toBe(405);
  });
});

describe('the reach of a live stream', () => {
  it('is that of the caller: their groups, all for the platform admin, itself for a thing', async () => {
    const stranger = await people.register();
    const foreign = await createEstate(stranger.as);
    const viewer = await people.member('group', estate.groupId, 'viewer');
    const all = [
      await follow('/reader/senml/live?name=reach', viewer.as),
      await follow('/reader/senml/live?name=reach', stranger.as),
      await follow('/reader/senml/live?name=reach', await loginAdmin()),
      await follow('/reader/senml/live?name=reach', `Thing ${second.key}`),
    ];
    await publish(estate.key, [{ n: 'reach', v: 1 }]);
    await publish(second.key, [{ n: 'reach', v: 2 }]);
    await publish(foreign.key, [{ n: 'reach', v: 3 }]);
    const wanted = [[1, 2], [3], [1, 2, 3], [2]];
    await eventually(() => {
      expect(all.map((one) => sorted(values(one)))).toEqual(wanted);
    });

    // What an event's id says is no right.
    const after = all[2]?.lastId() ?? '';
    const mine = await follow('/reader/senml/live?name=reach', stranger.as, { after });
    await publish(estate.key, [{ n: 'reach', v: 4 }]);
    await publish(foreign.key, [{ n: 'reach', v: 5 }]);
    await eventually(() => expect(values(mine)).toContain(5));
    expect(values(mine)).not.toContain(4);

    const path = `/reader/senml/live?publisher=${foreign.thingId}`;
    expect((await call('GET', path, { as: owner.as })).status).toBe(403);
    expect(
      (await call('GET', `/reader/senml/live?publisher=${randomUUID()}`, { as: owner.as })).status,
    ).toBe(404);
    expect((await call('GET', '/reader/senml/live')).status).toBe(401);
  });

  it('ends with the permission, and the stream with it', async () => {
    const own = await createEstate(owner.as);
    const key = await call('POST', '/keys', { as: owner.as, body: { type: 2 } });
    const [member, named] = [
      await people.member('group', own.groupId, 'viewer'),
      await people.member('group', own.groupId, 'viewer'),
    ];
    const path = '/reader/senml/live';
    const streams = [
      await follow(path, `Bearer ${textAt(key, 'value')}`),
      await follow(path, `Bearer ${await sign(owner.id, 3)}`),
      await follow(path, member.as),
      await follow(`${path}?publisher=${own.thingId}`, named.as),
      await follow(path, `Thing ${own.key}`),
      await follow(`${path}?publisher=${own.thingId}`, owner.as),
    ];
    expect(streams.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const stays = await follow(path);
    await call('DELETE', `/keys/${textAt(key, 'id')}`, { as: owner.as });
    await call('PATCH', `/groups/${own.groupId}/memberships`, {
      as: owner.as,
      body: { member_ids: [member.id, named.id] },
    });
    await Promise.all(streams.slice(0, 4).map((one) => one.ended));
    await call('DELETE', `/things/${own.thingId}`, { as: owner.as });
    await Promise.all(streams.map((one) => one.ended));
    await publish(estate.key, [{ n: 'still', v: 1 }]);
    await eventually(() => expect(stays.events.at(-1)?.message.name).toBe('still'));
  });
});

describe('streams', () => {
  it('have a limit for each caller; one that ends makes room', async () => {
    const person = await people.register();
    const path = '/reader/senml/live';
    const all: Following[] = [];
    for (let i = 0; i < 10; i++) all.push(await follow(path, person.as));
    const refused = await call('GET', path, { as: person.as });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2']);
    expect((await follow(path)).status).toBe(200);
    all[0]?.leave();
    await eventually(async () => {
      expect((await follow(path, person.as)).status).toBe(200);
    });
  });

  it('have a limit for each org, for all its callers; those of another org go on', async () => {
    const { server, tokens, close } = buildApi({}, {}, '/nowhere', {
      budgets: { streams: { max: 4, perOrgMax: 2 } },
    });
    const apiUrl = await server.listen({ host: '127.0.0.1', port: 0 });
    const [member, stranger] = [
      await people.member('org', estate.orgId, 'viewer'),
      await people.register(),
    ];
    const statusOf = async ({ id }: { id: string }) => {
      const as = `Bearer ${await tokens.issue({ userId: id, generation: 0 })}`;
      return (await follow('/reader/senml/live', as, { apiUrl })).status;
    };
    expect([await statusOf(owner), await statusOf(member)]).toEqual([200, 200]);
    expect([await statusOf(owner), await statusOf(member)]).toEqual([429, 429]);
    expect(await statusOf(stranger)).toBe(200);
    await close();
  });

  it('end in order when the server stops', async () => {
    const { server, tokens, close } = buildApi();
    const apiUrl = await server.listen({ host: '127.0.0.1', port: 0 });
    const as = `Bearer ${await tokens.issue({ userId: owner.id, generation: 0 })}`;
    const streams = [
      await follow('/reader/senml/live', as, { apiUrl }),
      await follow('/reader/json/live', as, { apiUrl }),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await close();
    await Promise.all(streams.map((one) => one.ended));
  });
});
