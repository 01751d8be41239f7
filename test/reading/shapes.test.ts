import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Answer, at, call, json } from '../support/api/http.ts';
import { createEstate, type Estate, loginAdmin } from '../support/api/people.ts';

const hour = 3_600_000_000_000n;
const base = 1_700_006_400; // a Wednesday, midnight in UTC
const baseNanos = BigInt(base) * 1_000_000_000n;

let admin: string;
let estate: Estate;

async function publish(type: string, body: unknown): Promise<void> {
  const headers = { 'content-type': type };
  const answer = await call('POST', '/http/messages', {
    as: `Thing ${estate.key}`,
    body,
    headers,
  });
  expect(answer.status).toBe(202);
}

function ask(format: string, asked: Record<string, string | number | bigint>): Promise<Answer> {
  const query = new URLSearchParams({ publisher: estate.thingId });
  for (const [name, value] of Object.entries(asked)) query.set(name, String(value));
  return call('GET', `/reader/${format}?${query.toString()}`, { as: admin });
}

function messages(answer: Answer): Record<string, unknown>[] {
  expect(answer.status, answer.text).toBe(200);
  return Object(json(answer)).messages;
}

const spikes = [123, 321];
const curve = Array.from({ length: 500 }, (_, i) =>
  spikes.includes(i) ? 100 : Math.round(1_000 * Math.sin(i / 40)) / 1_000,
);

beforeAll(async () => {
  admin = await loginAdmin();
  estate = await createEstate(admin);
  const steps = [
    [0, 10],
    [1, 20],
    [4, 50],
    [5, 60],
  ] as const;
  await publish(
    'application/senml+json',
    steps.map(([h, v]) => ({ bt: base, n: 'steps', u: 'Cel', t: h * 3_600 + 60, v })),
  );
  await publish('application/senml+json', [
    { n: 'months', t: Date.UTC(2024, 0, 15) / 1_000, v: 1 },
    { n: 'months', t: Date.UTC(2024, 3, 15) / 1_000, v: 4 },
  ]);
  await publish(
    'application/senml+json',
    curve.map((v, i) => ({ bt: base, n: 'curve', t: i, v })),
  );
  await eventually(async () => at(await ask('senml', {}), 'total') === 506);
});

describe('gaps between buckets', () => {
  const hours = { name: 'steps', agg_type: 'avg', agg_interval: 'hour', dir: 'asc' };

  const values = async (asked: Record<string, string | number | bigint>) =>
    messages(await ask('senml', { ...hours, ...asked })).map((message) => message['value']);

  it('are not filled by default', async () => {
    expect(await values({})).toEqual([10, 20, 50, 60]);
    expect(await values({ agg_fill: 'none' })).toEqual([10, 20, 50, 60]);
  });

  it('are filled with null, zero, the value before, or one on the line between', async () => {
    expect(await values({ agg_fill: 'null' })).toEqual([10, 20, null, null, 50, 60]);
    expect(await values({ agg_fill: 'zero' })).toEqual([10, 20, 0, 0, 50, 60]);
    expect(await values({ agg_fill: 'previous' })).toEqual([10, 20, 20, 20, 50, 60]);
    expect(await values({ agg_fill: 'linear' })).toEqual([10, 20, 30, 40, 50, 60]);
  });

  it('are counted and paged like other buckets, with the same labels', async () => {
    const answer = await ask('senml', { ...hours, agg_fill: 'null', limit: 1, offset: 2 });
    expect(at(answer, 'total')).toBe(6);
    const common = { publisher: estate.thingId, protocol: 'http', name: 'steps', unit: 'Cel' };
    expect(messages(answer)).toEqual([{ ...common, time: base + 7_200, value: null }]);
  });

  it('reach from `from` to `to`', async () => {
    const range = { from: baseNanos - 2n * hour, to: baseNanos + 6n * hour, agg_fill: 'previous' };
    expect(await values(range)).toEqual([null, null, 10, 20, 20, 20, 50, 60, 60]);
  });

  it('are months of a time zone as well', async () => {
    const answer = await ask('senml', {
      name: 'months',
      agg_type: 'max',
      agg_interval: 'month',
      agg_fill: 'linear',
      tz: 'Europe/Berlin',
      dir: 'asc',
    });
    const starts = ['2023-12-31T23', '2024-01-31T23', '2024-02-29T23', '2024-03-31T22'];
    expect(messages(answer).map(({ time }) => Number(time) * 1_000)).toEqual(
      starts.map((start) => Date.parse(`${start}:00:00Z`)),
    );
  });

  it('are filled in each field of a payload', async () => {
    const at0 = { time: 0, a: 1, b: 5 };
    await publish('application/json', [at0]);
    await eventually(async () => at(await ask('json', {}), 'total') === 1);
    const [first] = messages(await ask('json', {}));
    const created = BigInt(String(first?.['created']));
    const answer = await ask('json', {
      agg_type: 'sum',
      agg_interval: 'hour',
      agg_field: 'a',
      agg_fill: 'zero',
      from: created - hour,
      to: created,
      dir: 'asc',
    });
    expect(messages(answer).map(({ payload }) => payload)).toEqual([{ a: 0 }, { a: 1 }]);
  });

  it('are refused when there are too many; without messages there are no gaps', async () => {
    const endless = await ask('senml', { ...hours, agg_interval: 'microsecond', agg_fill: 'zero' });
    expect(endless.status).toBe(400);
    expect(endless.text).toContain('agg_fill');
    expect((await ask('senml', { ...hours, agg_fill: 'much' })).status).toBe(400);
    expect(await values({ name: 'nothing', agg_fill: 'zero' })).toEqual([]);
  });
});

describe('what an aggregate says of its messages', () => {
  const halves = { agg_type: 'count', agg_interval: 'minute', agg_value: 30, dir: 'asc' };
  const twoHours = { ...halves, from: baseNanos, to: baseNanos + 2n * hour - 1n };
  const common = () => ({ publisher: estate.thingId, protocol: 'http' });
  const steps = { name: 'steps', unit: 'Cel' };

  it('holds for all of them: a name and a unit in which they differ are left out', async () => {
    expect(messages(await ask('senml', twoHours))).toEqual([
      { ...common(), time: base, value: 501 },
      { ...common(), ...steps, time: base + 3_600, value: 1 },
    ]);
    const filled = await ask('senml', { ...halves, agg_fill: 'zero', to: baseNanos + 4n * hour });
    const said = messages(filled).map(({ name, unit }) => [name, unit]);
    const both = [steps.name, steps.unit];
    // Before a gap, the half hour of both names; after it, one of only one.
    expect(said).toEqual(
      [[], [], ...Array.from({ length: 7 }, () => both)].map(([n, u]) => [n, u]),
    );
  });

  it('is the same in a file', async () => {
    const file = async (convert: string) => {
      const query = new URLSearchParams({ publisher: estate.thingId, convert });
      for (const [name, value] of Object.entries(twoHours)) query.set(name, String(value));
      return (await call('GET', `/reader/senml/export?${query.toString()}`, { as: admin })).text;
    };
    expect(JSON.parse(await file('json'))).toEqual(messages(await ask('senml', twoHours)));
    expect((await file('csv')).split('\n').slice(1, 3)).toEqual([
      `,"${estate.thingId}","http",,,501,,,,,${base},`,
      `,"${estate.thingId}","http","steps","Cel",1,,,,,${base + 3_600},`,
    ]);
  });

  it('is of one name with agg_field; `value`, as clients of the platform send it, is of all', async () => {
    const named = { ...common(), ...steps, value: 1 };
    for (const agg_field of ['steps', 'value']) {
      const [first, second] = messages(await ask('senml', { ...twoHours, agg_field }));
      expect(first).toMatchObject(agg_field === 'steps' ? named : { value: 501 });
      expect(second).toMatchObject(named);
    }
    const points = messages(await ask('senml', { points: 4, agg_field: 'steps' }));
    expect(points.map(({ name }) => name)).toEqual(Array(4).fill('steps'));
    const body = { agg_fields: ['steps', 'curve'], agg_type: 'max', agg_interval: 'day' };
    const two = await call('POST', '/reader/senml/search', { as: admin, body });
    expect([two.status, two.text]).toEqual([400, expect.stringContaining('agg_field')]);
  });

  it('has a thing and a subtopic of JSON messages only if all have them', async () => {
    const [one, other] = [await createEstate(admin), await createEstate(admin)];
    const sent = [
      [one.key, '/label/a'],
      [one.key, '/label/b'],
      [other.key, '/label/a'],
    ] as const;
    for (const [key, subtopic] of sent) {
      const as = `Thing ${key}`;
      const answer = await call('POST', `/http/messages${subtopic}`, { as, body: { level: 1 } });
      expect(answer.status).toBe(202);
    }
    const of = async (query: string) => {
      const asked = `agg_type=count&agg_interval=year&agg_field=level&${query}`;
      const [first] = messages(await call('GET', `/reader/json?${asked}`, { as: admin }));
      const { created: _created, ...rest } = first ?? {};
      return rest;
    };
    const publisher = one.thingId;
    await eventually(async () => {
      expect(await of('subtopic=label.a')).toEqual({
        protocol: 'http',
        subtopic: 'label.a',
        payload: { level: 2 },
      });
      expect(await of(`publisher=${publisher}`)).toEqual({
        publisher,
        protocol: 'http',
        payload: { level: 2 },
      });
    });
    const csv = `convert=csv&agg_type=count&agg_interval=year&agg_field=level&subtopic=label.a`;
    const file = await call('GET', `/reader/json/export?${csv}`, { as: admin });
    expect(file.text.split('\n')[1]).toMatch(/^\d+,"label\.a",,"http",2$/);
  });
});

describe('points', () => {
  it('are as many messages as requested, with the ends and the spikes', async () => {
    const answer = await ask('senml', { name: 'curve', points: 20, dir: 'asc' });
    const found = messages(answer);
    expect(found).toHaveLength(20);
    expect(at(answer, 'total')).toBe(20);
    const seconds = found.map(({ time }) => Number(time) - base);
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
    expect(found.map(({ value }) => value)).toEqual(seconds.map((second) => curve[second]));
    expect(seconds).toEqual(expect.arrayContaining([0, ...spikes, 499]));
    const backwards = messages(await ask('senml', { name: 'curve', points: 20 }));
    expect(backwards).toEqual(found.toReversed());
  });

  it('are all messages where there are fewer', async () => {
    expect(messages(await ask('senml', { name: 'steps', points: 10 }))).toHaveLength(4);
    expect(messages(await ask('senml', { name: 'nothing', points: 10 }))).toEqual([]);
  });

  it('of a payload are of one field', async () => {
    const found = messages(await ask('json', { points: 3, agg_field: 'b' }));
    expect(found.map(({ payload }) => Object(payload).b)).toEqual([5]);
    expect((await ask('json', { points: 3 })).status).toBe(400);
  });

  it('cannot be combined with buckets', async () => {
    const asked = { points: 5, agg_type: 'min', agg_interval: 'hour' };
    expect((await ask('senml', asked)).status).toBe(400);
    expect((await ask('senml', { points: 2 })).status).toBe(400);
  });
});

describe('the latest', () => {
  it('are the newest message of each name, or of each subtopic', async () => {
    const found = messages(await ask('senml', { latest: 'true' }));
    expect(found.map(({ name, time, value }) => [name, time, value])).toEqual([
      ['curve', base + 499, curve[499]],
      ['months', Date.UTC(2024, 3, 15) / 1_000, 4],
      ['steps', base + 5 * 3_600 + 60, 60],
    ]);
    const before = messages(await ask('senml', { latest: 'true', to: baseNanos + hour }));
    expect(before.map(({ name, value }) => [name, value])).toEqual([
      ['curve', curve[499]],
      ['steps', 10],
    ]);
    const one = await ask('senml', { latest: 'true', limit: 1 });
    expect([at(one, 'total'), messages(one)]).toEqual([1, found.slice(0, 1)]);
    expect(messages(await ask('json', { latest: 'true' }))).toEqual(
      messages(await ask('json', { limit: 1 })),
    );
  });

  it('can not be combined with what asks for something else', async () => {
    for (const other of [{ points: 3 }, { offset: 1 }, { agg_type: 'avg', agg_interval: 'hour' }]) {
      const answer = await ask('senml', { latest: 'true', ...other });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('latest')]);
    }
  });
});
