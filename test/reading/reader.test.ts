import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { at, call, json } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';

let admin: string;
let people: People;
let owner: Person;
let estate: Estate;
let second: { id: string; key: string };
let foreign: Estate;

/** Ten records at three moments, in both things of the estate, and one of a stranger's. */
const base = 1_700_000_000;

async function publish(key: string, type: string, raw: string, subtopic = ''): Promise<void> {
  const answer = await call('POST', `/http/messages${subtopic}`, {
    as: `Thing ${key}`,
    raw,
    headers: { 'content-type': type },
  });
  expect(answer.status).toBe(202);
}

const senml = 'application/senml+json';

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  foreign = await createEstate((await people.register()).as);
  const made = await createThings(owner.as, estate.profileId, [{ name: 'second', type: 'sensor' }]);
  second = made[0] ?? { id: '', key: '' };

  await publish(
    estate.key,
    senml,
    `[{"bn":"dev:","bt":${base},"n":"tiny","u":"Cel","v":1e-7},
      {"n":"huge","v":1e300,"s":12.5},
      {"n":"minus","v":-0.0},
      {"n":"text","vs":"h\\u00e9 \\"/\\n\\u2028"},
      {"n":"bool","vb":false,"ut":60},
      {"n":"data","vd":"aGkgCg"},
      {"n":"later","t":0.123456,"v":0.1}]`,
    '/a/b',
  );
  await publish(
    second.key,
    senml,
    `[{"n":"t","t":${base},"v":1},{"n":"t","t":${base},"v":1},{"n":"t","t":${base + 1},"v":2}]`,
  );
  await publish(foreign.key, senml, `[{"n":"secret","t":${base},"v":1}]`);
  await publish(
    estate.key,
    'application/json',
    '{"a": 12345678901234567890, "b": 1.0, "c": {"d": [1e-7, null, "é\\u0001"]}}',
  );
  await eventually(async () => {
    const counts = await Promise.all(
      ['senml', 'json'].map(async (format) =>
        at(await call('GET', `/reader/${format}`, { as: owner.as }), 'total'),
      ),
    );
    const path = `/reader/senml?publisher=${foreign.thingId}`;
    counts.push(at(await call('GET', path, { as: admin }), 'total'));
    return String(counts) === '10,1,1';
  });
});

afterAll(() => people.close());

const read = (query: string, as: string = owner.as) => call('GET', `/reader/senml${query}`, { as });

describe('GET /reader/senml', () => {
  it('returns records unchanged, without absent fields', async () => {
    const answer = await read(`?publisher=${estate.thingId}&dir=asc`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const common = { publisher: estate.thingId, protocol: 'http', subtopic: 'a.b', time: base };
    expect(json(answer)).toEqual({
      offset: 0,
      limit: 10,
      format: 'senml',
      total: 7,
      messages: [
        { ...common, name: 'dev:bool', bool_value: false, update_time: 60 },
        { ...common, name: 'dev:data', data_value: 'aGkgCg' },
        { ...common, name: 'dev:huge', value: 1e300, sum: 12.5 },
        { ...common, name: 'dev:minus', value: -0 },
        { ...common, name: 'dev:text', string_value: 'hé "/\n\u2028' },
        { ...common, name: 'dev:tiny', unit: 'Cel', value: 1e-7 },
        { ...common, name: 'dev:later', value: 0.1, time: base + 0.123456 },
      ],
    });
    expect(answer.text).toContain(`"time":${base}.123456,`);
  });

  it('has pages in one total order, newest first by default', async () => {
    const whole = await read('?limit=1000');
    const messages = at(whole, 'messages');
    expect(messages).toHaveLength(10);
    expect(at(whole, 'messages', 0, 'time')).toBe(base + 1);
    const pages = await Promise.all(
      Array.from({ length: 10 }, (_, i) => read(`?limit=1&offset=${i}`)),
    );
    expect(pages.map((page) => at(page, 'messages', 0))).toEqual(messages);
    expect(pages.map((page) => at(page, 'total'))).toEqual(Array(10).fill(10));
    const turned = at(await read('?limit=1000&dir=asc'), 'messages');
    expect(Array.isArray(turned) ? turned.toReversed() : turned).toEqual(messages);
    expect(json(await read('?offset=10'))).toMatchObject({ total: 10, messages: [] });
  });

  it('includes from and to, to the nanosecond', async () => {
    const total = async (query: string) => at(await read(query), 'total');
    const at0 = `${base}000000000`;
    const later = `${base}123456000`;
    expect(await total(`?from=${later}&to=${later}`)).toBe(1);
    expect(await total(`?from=${base}123456001`)).toBe(1);
    expect(await total(`?to=${base}123455999`)).toBe(8);
    expect(await total(`?from=${at0}&to=${at0}`)).toBe(8);
    expect(await total('?from=9223372036854775807')).toBe(0);
    expect(await total('?from=0')).toBe(10);
  });

  it('refuses invalid queries', async () => {
    const bad = [
      'limit=0',
      'limit=1001',
      'limit=1.5',
      'limit=x',
      'limit=true',
      'limit=1&limit=2',
      'offset=-1',
      'offset=1e3',
      'offset=99999999999999999999',
      'dir=up',
      'dir=asc&dir=desc',
      'publisher=x',
      'publisher=%00',
      'from=1.5',
      'from=x',
      'from=9223372036854775808',
      'to=1&to=1',
    ];
    for (const query of bad) {
      const answer = await read(`?${query}`);
      expect([query, answer.status]).toEqual([query, 400]);
      expect(at(answer, 'error')).toMatch(/^malformed entity specification: /);
    }
    const good = await read('?total=0&total=1&limit=&offset=&dir=&from=&to=&publisher=&tree=%27');
    expect(json(good)).toMatchObject({ limit: 10, offset: 0, total: 10 });
  });

  it('accepts times of ISO 8601 with a zone, to the nanosecond, in a query and in a body', async () => {
    const iso = '2023-11-14T22:13:20';
    const asked = {
      [`${iso}Z`]: 8,
      [`${iso}.123456Z`]: 1,
      '2023-11-14T23:13:20+01:00': 8,
      '2023-11-14t16:43:20.000000000-0530': 8,
      '2023-11-14T22:13Z': 0,
    };
    for (const [time, total] of Object.entries(asked)) {
      const plain = await read(`?from=${time}&to=${time}`);
      const escaped = await read(`?${new URLSearchParams({ from: time, to: time }).toString()}`);
      const body = { from: time, to: time };
      const search = await call('POST', '/reader/senml/search', { as: owner.as, body });
      expect([time, ...[plain, escaped, search].map((one) => at(one, 'total'))]).toEqual([
        time,
        total,
        total,
        total,
      ]);
    }
    const filled = `agg_type=count&agg_interval=hour&agg_fill=zero`;
    const day = `from=2023-11-14T00:00:00Z&to=2023-11-14T23:59:59Z`;
    expect(at(await read(`?${filled}&${day}`), 'total')).toBe(24);
  });

  it('accepts dates, which begin in the zone of the query, and times relative to now', async () => {
    const total = async (query: string) => at(await read(query), 'total');
    const [before, all] = [0, 10];
    expect(await total('?from=2023-11-14&to=2023-11-15')).toBe(all);
    expect(await total('?to=2023-11-14')).toBe(before);
    // There it is the 15th already.
    expect(await total('?from=2023-11-15&tz=Asia/Tokyo')).toBe(all);
    expect(await total('?to=2023-11-15&tz=America/New_York')).toBe(all);
    expect(await total('?from=-24h&to=now')).toBe(0);
    expect(await total('?from=-18000d')).toBe(all);
    const body = { from: '2023-11-15', tz: 'Asia/Tokyo', to: 'now' };
    const search = await call('POST', '/reader/senml/search', { as: owner.as, body });
    expect(at(search, 'total')).toBe(all);
  });

  it('names what is no time, and a number in another unit than nanoseconds', async () => {
    const refused: Record<string, string> = {
      'from=1795341376':
        'from: 1795341376 is in 1970: from is in nanoseconds; did you mean seconds?',
      'to=1795341376000':
        'to: 1795341376000 is in 1970: to is in nanoseconds; did you mean milliseconds?',
      'from=-9223372036854775808':
        'from: -9223372036854775808 is before 1970: from is in nanoseconds',
      'from=2023-11-14T22:13:20':
        'from: 2023-11-14T22:13:20 has no zone: write 2023-11-14T22:13:20Z for UTC, or 2023-11-14T22:13:20+01:00',
      'from=2023-02-29': 'from: 2023-02-29 is no day that there is',
      'from=2023-11-14&tz=Mars': 'from: 2023-11-14 has no begin: tz is no time zone',
    };
    for (const [query, problem] of Object.entries(refused)) {
      const answers = [await read(`?${query}`)];
      const body: Record<string, unknown> = Object.fromEntries(new URLSearchParams(query));
      answers.push(await call('POST', '/reader/senml/search', { as: owner.as, body }));
      answers.push(await call('GET', `/reader/senml/export?${query}`, { as: owner.as }));
      for (const answer of answers) {
        expect([answer.status, at(answer, 'error')]).toEqual([
          400,
          `malformed entity specification: ${problem}`,
        ]);
      }
    }
    const others = {
      from: ['/reader/senml/live', `/orgs/${estate.orgId}/audit`],
      silent_since: ['/things'],
      messages_since: ['/things'],
    };
    for (const [name, paths] of Object.entries(others)) {
      for (const path of paths) {
        const answer = await call('GET', `${path}?${name}=1795341376`, { as: owner.as });
        expect([path, answer.status]).toEqual([path, 400]);
        expect(at(answer, 'error')).toContain(`${name}: 1795341376 is in 1970`);
      }
    }
  });

  it('accepts the platform’s name for the aggregated members', async () => {
    const body = { agg_type: 'max', agg_interval: 'day', agg_fields: ['b'] };
    const search = await call('POST', '/reader/json/search', { as: owner.as, body });
    expect(at(search, 'messages', 0, 'payload')).toEqual({ b: 1 });
  });
});

describe('GET /reader/json', () => {
  it('returns the payload unchanged, and created in whole nanoseconds', async () => {
    const answer = await call('GET', '/svcthings/reader/json', { as: owner.as });
    expect(answer.status).toBe(200);
    expect(at(answer, 'format')).toBe('json');
    expect(answer.text).toMatch(/"created":\d{19},/);
    expect(answer.text).toContain('12345678901234567890');
    expect(at(answer, 'messages', 0)).toEqual({
      publisher: estate.thingId,
      protocol: 'http',
      created: expect.any(Number),
      payload: {
        a: Number('12345678901234567890'),
        b: 1,
        c: { d: [1e-7, null, 'é\u0001'] },
      },
    });
  });
});

describe('the reach of a reader', () => {
  it('is their groups', async () => {
    const viewer = await people.member('group', estate.groupId, 'viewer');
    expect(at(await read('', viewer.as), 'total')).toBe(10);
    const outsider = await people.register();
    expect(json(await read('', outsider.as))).toEqual({
      offset: 0,
      limit: 10,
      format: 'senml',
      total: 0,
      messages: [],
    });
    const orgAdmin = await people.member('org', estate.orgId, 'admin');
    expect(at(await read('', orgAdmin.as), 'total')).toBe(0);
    expect((await read('?limit=1000')).text).not.toContain('secret');
  });

  it('is everything for the platform admin', async () => {
    const answer = await read(`?publisher=${foreign.thingId}`, admin);
    expect(at(answer, 'messages', 0, 'name')).toBe('secret');
    expect(Number(at(await read('', admin), 'total'))).toBeGreaterThanOrEqual(11);
  });

  it('has no things of others: 403, and 404 for absent ones', async () => {
    expect((await read(`?publisher=${foreign.thingId}`)).status).toBe(403);
    expect((await read(`?publisher=${randomUUID()}`)).status).toBe(404);
    expect((await call('GET', '/reader/senml')).status).toBe(401);
    expect((await read('', 'Thing nobody')).status).toBe(401);
  });

  it('is itself for a thing', async () => {
    const as = `Thing ${second.key}`;
    expect(at(await read('', as), 'total')).toBe(3);
    expect(at(await read(`?publisher=${second.id.toUpperCase()}`, as), 'total')).toBe(3);
    expect((await read(`?publisher=${estate.thingId}`, as)).status).toBe(403);
    expect((await read(`?publisher=${randomUUID()}`, as)).status).toBe(403);
  });

  it('holds for more things than fit into a URL', async () => {
    const many = await createEstate(owner.as);
    const things = Array.from({ length: 2_000 }, (_, i) => ({ name: `t${i}`, type: 'device' }));
    await createThings(owner.as, many.profileId, things);
    expect(at(await read(''), 'total')).toBe(10);
  });
});
