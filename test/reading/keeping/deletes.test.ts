import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { at, call, json } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';
import { type Published, type Question, select } from '../model.ts';

let admin: string;
let owner: Person;
let estate: Estate;
let second: { id: string; key: string };
let records: Published[] = [];

const base = 1_700_000_000n;
const values: readonly Partial<Published>[] = [
  { value: 0 },
  { value: -2.5 },
  { value: 3 },
  { string_value: "o'ff" },
  { string_value: 'é"\\n\n' },
  { bool_value: false },
  { bool_value: true },
  { data_value: 'aGk' },
];
const documents = [
  { name: 'a', motor: { rpm: 1 } },
  { name: "b'", 'motor.rpm': 2 },
  { name: 'a', counter: '12345678901234567890' },
  { name: 'c' },
];

function senml({ name, time, ...given }: Published): object {
  return {
    n: name,
    t: Number(time / 1_000_000_000n),
    ...(given.value === undefined ? {} : { v: given.value }),
    ...(given.string_value === undefined ? {} : { vs: given.string_value }),
    ...(given.bool_value === undefined ? {} : { vb: given.bool_value }),
    ...(given.data_value === undefined ? {} : { vd: given.data_value }),
  };
}

async function publish(key: string, path: string, type: string, raw: string): Promise<void> {
  const answer = await call('POST', `/http/messages${path}`, {
    as: `Thing ${key}`,
    raw,
    headers: { 'content-type': type },
  });
  expect(answer.status).toBe(202);
}

beforeAll(async () => {
  admin = await loginAdmin();
  const people = new People();
  owner = await people.register();
  await people.close();
  estate = await createEstate(owner.as);
  const [made] = await createThings(owner.as, estate.profileId, [{ name: '2', type: 'sensor' }]);
  second = made ?? { id: '', key: '' };
  let seconds = base;
  for (const { id, key } of [{ id: estate.thingId, key: estate.key }, second]) {
    for (const subtopic of ['', 'a.b']) {
      const pack = ['t', "h'"].flatMap((name) =>
        values.map((value): Published => {
          seconds += 1n;
          const time = seconds * 1_000_000_000n;
          // Names in SenML know no quotes; subtopics and texts do.
          return { publisher: id, subtopic, name: name.replace("'", ':'), time, ...value };
        }),
      );
      records.push(...pack);
      const path = subtopic === '' ? '' : '/a/b';
      await publish(key, path, 'application/senml+json', JSON.stringify(pack.map(senml)));
    }
    const raw = JSON.stringify(documents).replace(/"(\d{20})"/, '$1');
    await publish(key, '', 'application/json', raw);
  }
  await eventually(async () => {
    const counts = await Promise.all([left('senml'), left('json')]);
    return counts.map((all) => all.length).join() === `${records.length},${2 * documents.length}`;
  }, 30_000);
});

/** What is left, oldest first. */
async function left(format: string): Promise<unknown[]> {
  const answer = await call('GET', `/reader/${format}?limit=1000&dir=asc`, { as: owner.as });
  return Object(json(answer)).messages;
}

async function secondsLeft(): Promise<bigint[]> {
  return (await left('senml')).map((message) => BigInt(Object(message).time));
}

function remove(path: string, asked: object, as = owner.as) {
  const query = new URLSearchParams();
  for (const [name, one] of Object.entries(asked)) query.set(name, String(one));
  return call('DELETE', `${path}?${query.toString()}`, { as });
}

describe('a deletion that is not understood deletes nothing', () => {
  it.each([
    ['nme=t', 'nme is not known; did you mean name?'],
    ['dir=asc', 'dir is not known'],
    ['agg_type=max', 'agg_type is not known'],
    ['email=x', 'email is not known'],
    ['metadata=%7B%7D', 'metadata is not known'],
    ['limit=10', 'limit: a deletion has none'],
    ['offset=5&limit=10', 'offset must be one of 0'],
    ['agg_value=2', 'agg_value must be one of 1'],
    ['comparator=gt', 'comparator: v is missing'],
    ['publisher=', 'publisher is empty'],
    ['name=t&name=h', 'name must be string'],
    ['from=yesterday', 'from is none of: integer nanoseconds, ISO 8601'],
    ['filter=motor', 'filter: is of JSON messages'],
    ['v=x', 'v must be number'],
  ])('%s', async (query, detail) => {
    for (const path of ['/reader/senml', `/reader/senml/${estate.thingId}`]) {
      const answer = await call('DELETE', `${path}?${query}`, { as: owner.as });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(at(answer, 'error')).toContain(`malformed entity specification: ${detail}`);
    }
    expect(await left('senml')).toHaveLength(records.length);
  });

  it('another publisher than the path’s, a filter of SenML for JSON, a body', async () => {
    const path = `/reader/senml/${estate.thingId}`;
    expect((await remove(path, { publisher: second.id })).status).toBe(400);
    for (const name of ['v', 'vs', 'vb', 'vd']) {
      expect((await remove('/reader/json', { [name]: name === 'vb' ? true : 1 })).status).toBe(400);
    }
    const body = { name: 't' };
    expect((await call('DELETE', path, { as: owner.as, body })).status).toBe(400);
    expect([(await left('senml')).length, (await left('json')).length]).toEqual([
      records.length,
      2 * documents.length,
    ]);
  });
});

describe('a deletion', () => {
  const all = '/reader/senml';
  const iso = (seconds: bigint) => new Date(Number(base + seconds) * 1_000).toISOString();

  it('of SenML has every filter of the reader, and removes only what matches all of them', async () => {
    const one = `${all}/${estate.thingId}`;
    const asked: readonly (readonly [string, Record<string, unknown>, Question])[] = [
      [all, { name: 'nothing' }, { name: 'nothing' }],
      [one, { v: -1, comparator: 'lt', name: 't' }, { v: -1, comparator: 'lt', name: 't' }],
      [all, { v: 0, publisher: second.id }, { v: 0, publisher: second.id }],
      [one, { vs: "o'ff", subtopic: 'a.b' }, { vs: "o'ff", subtopic: 'a.b' }],
      [all, { vs: 'é"\\n\n' }, { vs: 'é"\\n\n' }],
      [all, { vb: false, name: 'h:' }, { vb: false, name: 'h:' }],
      [one, { vd: 'aGk', protocol: 'http' }, { vd: 'aGk' }],
      [all, { vd: 'aGk', protocol: 'mqtt' }, { name: 'nothing' }],
      [
        all,
        { publisher: second.id, from: iso(40n), to: `${base + 42n}000000000` },
        { publisher: second.id, from: (base + 40n) * 10n ** 9n, to: (base + 42n) * 10n ** 9n },
      ],
      // As the platform's client has it.
      [
        one,
        { offset: 0, limit: 100, agg_value: 1, v: 3, comparator: 'ge' },
        { v: 3, comparator: 'ge' },
      ],
      [one, { subtopic: 'a.b', publisher: estate.thingId }, { subtopic: 'a.b' }],
    ];
    for (const [path, query, question] of asked) {
      const answer = await remove(path, query);
      expect([query, answer.status, answer.text]).toEqual([query, 204, '']);
      const meant = path === all ? question : { ...question, publisher: estate.thingId };
      const gone = new Set(select(records, meant));
      records = records.filter((record) => !gone.has(record));
      const expected = records.map(({ time }) => time / 1_000_000_000n);
      expect([query, await secondsLeft()]).toEqual([query, expected]);
      const total = await call('GET', '/reader/senml?limit=1', { as: owner.as });
      expect(at(total, 'total')).toBe(expected.length);
    }
    expect(records.length).toBeGreaterThan(10);
    expect(await left('json')).toHaveLength(2 * documents.length);
  });

  it('of JSON does so too', async () => {
    const one = `/reader/json/${estate.thingId}`;
    const names = async () =>
      (await left('json'))
        .map(
          (message) =>
            `${Object(message).publisher === second.id ? 2 : 1}${Object(message).payload.name}`,
        )
        .toSorted();
    expect((await remove(one, { name: "b'" })).status).toBe(204);
    expect(await names()).toEqual(['1a', '1a', '1c', '2a', '2a', "2b'", '2c']);
    expect((await remove('/reader/json', { filter: 'motor.rpm', name: 'a' })).status).toBe(204);
    expect(await names()).toEqual(['1a', '1c', '2a', "2b'", '2c']);
    expect((await remove('/reader/json', { filter: 'counter', publisher: second.id })).status).toBe(
      204,
    );
    expect(await names()).toEqual(['1a', '1c', "2b'", '2c']);
    expect(await secondsLeft()).toHaveLength(records.length);
  });

  it('of a thing by its own key, and of the platform admin, is filtered as well', async () => {
    const own = `Thing ${second.key}`;
    expect((await remove(all, { name: 't' }, own)).status).toBe(204);
    records = records.filter(({ publisher, name }) => publisher !== second.id || name !== 't');
    expect(await secondsLeft()).toEqual(records.map(({ time }) => time / 1_000_000_000n));
    expect((await remove(all, { publisher: estate.thingId }, own)).status).toBe(403);
    expect((await remove(all, { publisher: second.id }, admin)).status).toBe(204);
    records = records.filter(({ publisher }) => publisher !== second.id);
    expect(await secondsLeft()).toEqual(records.map(({ time }) => time / 1_000_000_000n));
    expect(records.length).toBeGreaterThan(0);
  });
});
