import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { longSteps } from '../../api/console/page/chart/holes.ts';
import { openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, at, call, json } from '../support/api/http.ts';
import { createEstate, createThings, createdAt, loginAdmin } from '../support/api/people.ts';
import { system } from '../support/system.ts';

/** A message as it was sent: its second, and the value of its series. */
type Sent = { second: number; value: unknown };
/** A change: from when until when a value was so. */
type Change = { second: number; until: number; value: unknown };

const begin = 1_700_000_000;
/** Numbers that are one, and values that only look like another. */
const values = {
  senml: [
    { v: 0 },
    { v: 1 },
    { v: 1.5 },
    { vs: '1' },
    { vs: '' },
    { vs: 'on' },
    { vb: true },
    { vb: false },
    { vd: 'AQ' },
  ],
  json: [0, 1, 1.5, '1', '', 'on', true, false, [1], { a: 1 }],
};

/** A device that sends every so often, is silent at times, and sends one message twice. */
function seriesOf(kinds: readonly unknown[]) {
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.constant(1) },
    { weight: 2, arbitrary: fc.constantFrom(2, 3, 4, 30) },
    { weight: 1, arbitrary: fc.constant(0) },
  );
  const message = fc.record({
    step,
    isOther: fc.integer({ max: 4 }),
    value: fc.constantFrom(...kinds),
  });
  const phase = fc.record({
    every: fc.constantFrom(1, 10, 600),
    messages: fc.array(message, { minLength: 1, maxLength: 40 }),
  });
  return fc.array(phase, { minLength: 1, maxLength: 3 }).map((phases): Sent[] => {
    let [second, value] = [begin, kinds[0]];
    return phases.flatMap(({ every, messages }) =>
      messages.map(({ step: steps, isOther, value: other }) => {
        second += steps * every;
        // Of one time it is not told which came first.
        if (steps > 0 && isOther === 0) value = other;
        return { second, value };
      }),
    );
  });
}

/** The answer of the reader, by the rule of the console's charts. */
function changesOf(sent: readonly Sent[]): Change[] {
  const ends = new Map(
    longSteps(
      sent.map(({ second }) => second),
      3,
    ).map(([from, to]) => [to, from]),
  );
  const changes: Change[] = [];
  for (const [i, { second, value }] of sent.entries()) {
    const [before, last] = [sent[i - 1], changes.at(-1)];
    const silentFrom = before?.second === second ? undefined : ends.get(second);
    if (last !== undefined) last.until = silentFrom ?? second;
    const isSame = JSON.stringify(before?.value) === JSON.stringify(value);
    if (last === undefined || !isSame || silentFrom !== undefined) {
      changes.push({ second, until: second, value });
    }
  }
  return changes;
}

const drawn = {
  senml: fc.sample(seriesOf(values.senml), { numRuns: 12, seed: 7 }),
  json: fc.sample(seriesOf(values.json), { numRuns: 8, seed: 8 }),
};
const formats = ['senml', 'json'] as const;
type Format = (typeof formats)[number];

let admin: string;
let things: Record<Format, { id: string; key: string }>;
let profiles: Record<Format, string>;

beforeAll(async () => {
  admin = await loginAdmin();
  const { groupId, profileId } = await createEstate(admin);
  const transformer = { time_field: 'at', time_format: 'unix' };
  const config = { content_type: 'application/json', transformer };
  const ofJson = await createdAt(`/groups/${groupId}/profiles`, admin, [{ name: 'json', config }]);
  profiles = { senml: profileId, json: ofJson };
  things = { senml: await newThing('senml'), json: await newThing('json') };
  const records = drawn.senml.flatMap((sent, i) =>
    // A sum alone is no value, and another name is another series.
    sent.flatMap(({ second, value }) => [
      { n: `s${i}`, t: second, ...Object(value) },
      { n: `s${i}`, t: second, s: 1 },
      { n: `s${i}x`, t: second, vb: true },
    ]),
  );
  const payloads = drawn.json.flatMap((sent, i) =>
    sent.flatMap(({ second, value }) => [
      { at: second, deep: { [`s${i}`]: value } },
      { at: second, deep: { [`s${i}`]: null } },
      { at: second, deep: { x: second } },
    ]),
  );
  await publish('senml', records);
  await publish('json', payloads);
  await areStored('senml', records.length);
  await areStored('json', payloads.length);
});

const noThing = { id: '', key: '' };

const typeOf = {
  senml: { 'content-type': 'application/senml+json' },
  json: { 'content-type': 'application/json' },
};

async function publish(format: Format, body: unknown, thing = things[format]): Promise<void> {
  const sent = { as: `Thing ${thing.key}`, body, headers: typeOf[format] };
  const answer = await call('POST', '/http/messages', sent);
  if (answer.status !== 202) throw new Error(answer.text);
}

async function areStored(format: Format, total: number, thing = things[format]): Promise<void> {
  await eventually(async () => {
    const read = await call('GET', `/reader/${format}?publisher=${thing.id}`, { as: admin });
    return at(read, 'total') === total;
  });
}

type Asked = Record<string, string | number>;

function ask(format: Format, asked: Asked): Promise<Answer> {
  const query = new URLSearchParams({ publisher: things[format].id, changes: 'true' });
  for (const [name, value] of Object.entries(asked)) query.set(name, String(value));
  return call('GET', `/reader/${format}?${query.toString()}`, { as: admin });
}

const nameOf = {
  senml: (i: number) => ({ name: `s${i}` }),
  json: (i: number) => ({ agg_field: `deep.s${i}` }),
};

/** A change as it reads back, as the model has it. */
function changeIn(format: Format, message: Record<string, unknown>, i: number): Change {
  const { time, created, until, payload } = message;
  const [second, end] =
    format === 'senml' ? [time, until] : [created, until].map((ns) => Number(ns) / 1e9);
  return {
    second: Number(second),
    until: Number(end),
    value: format === 'senml' ? senmlValue(message) : Object(payload).deep[`s${i}`],
  };
}

function senmlValue({ value, string_value, bool_value, data_value }: Record<string, unknown>) {
  const all = { v: value, vs: string_value, vb: bool_value, vd: data_value };
  return Object.fromEntries(Object.entries(all).filter(([, one]) => one !== undefined));
}

const messagesIn = (answer: Answer): Record<string, unknown>[] => {
  expect(answer.status, answer.text).toBe(200);
  return Object(json(answer)).messages;
};

/** All changes of a series, by pages of so many, and what each page says beside them. */
async function readAll(format: Format, i: number, asked: Asked) {
  const changes: Change[] = [];
  const totals = new Set<unknown>();
  let cursor: Asked = {};
  for (;;) {
    const page = await ask(format, { ...nameOf[format](i), ...asked, ...cursor });
    changes.push(...messagesIn(page).map((message) => changeIn(format, message, i)));
    totals.add(at(page, 'total'));
    if (changes.length > Number(at(page, 'total'))) throw new Error('pages go on for ever');
    const next = at(page, 'next');
    if (typeof next !== 'string') return { changes, totals: [...totals] };
    cursor = { cursor: next };
  }
}

describe.each(formats)('changes of %s', (format) => {
  it.each(drawn[format].map((_, i) => i))(
    'are those of the model, by pages of any size (%i)',
    async (i) => {
      const expected = changesOf(drawn[format][i] ?? []);
      for (const [limit, dir] of [
        [1_000, 'asc'],
        [1 + (i % 4), 'desc'],
        [expected.length, 'desc'],
      ] as const) {
        const { changes, totals } = await readAll(format, i, { limit, dir });
        expect(dir === 'asc' ? changes : changes.toReversed()).toEqual(expected);
        expect(totals).toEqual([expected.length]);
      }
    },
  );
});

describe('a change', () => {
  it('tells until when it was so: up to the next one, or up to a silence or the end', async () => {
    const minutes = [0, 1, 2, 3, 4, 5, 60, 61, 62, 63, 64, 65];
    const door = (minute: number) => minute === 2 || minute === 3 || minute > 63;
    const fridge = await newThing('senml');
    const records = minutes.map((m) => ({ n: 'door', t: begin + m * 60, vb: door(m) }));
    await publish('senml', records, fridge);
    await areStored('senml', records.length, fridge);
    const read = async (asked: Asked) =>
      ask('senml', { publisher: fridge.id, name: 'door', ...asked });
    const told = (answer: Answer) =>
      messagesIn(answer).map(({ time, until, bool_value: is }) =>
        [time, until].map((second) => (Number(second) - begin) / 60).concat(is === true ? 1 : 0),
      );
    const all = await read({ dir: 'asc', limit: 10 });
    expect(told(all)).toEqual([
      [0, 2, 0],
      [2, 4, 1],
      [4, 5, 0],
      // The same again, after 55 minutes of which nothing is known.
      [60, 64, 0],
      [64, 65, 1],
    ]);
    expect([at(all, 'total'), at(all, 'usual_step'), at(all, 'next')]).toEqual([5, 60, undefined]);
    const { time: _time, until: _until, ...rest } = messagesIn(all)[0] ?? {};
    expect(rest).toEqual({
      publisher: fridge.id,
      protocol: 'http',
      name: 'door',
      bool_value: false,
    });
    // The first of a range is one, and the last holds until its end.
    const range = { from: `${begin + 60}000000000`, to: `${begin + 180}000000000` };
    expect(told(await read({ ...range, dir: 'asc' }))).toEqual([
      [1, 2, 0],
      [2, 3, 1],
    ]);
    const after = await read({ limit: 5 });
    const beyond = await read({ limit: 5, cursor: String(at(after, 'next')) });
    expect([messagesIn(beyond), at(beyond, 'total')]).toEqual([[], 5]);
    const one = await read({ offset: 3, limit: 1 });
    expect([told(one), at(one, 'total')]).toEqual([[[2, 4, 1]], 5]);
  });

  it('is of numbers by their value and to the digit, and of what is no number by its type', async () => {
    const meter = await newThing('json');
    const long = '123456789012345678901234567890';
    const payloads = [
      '1',
      '1.0',
      '1e0',
      '"1"',
      'null',
      '"1"',
      long,
      `${long.slice(0, -1)}1`,
      `"${long}"`,
      '{"a":1}',
      '{"a":[]}',
      '0',
      '-0.0',
      'false',
      'true',
    ];
    const body = `[${payloads.map((one, i) => `{"at":${begin + i},"x":{"y":${one}}}`).join()}]`;
    const sent = { as: `Thing ${meter.key}`, raw: body, headers: typeOf.json };
    expect((await call('POST', '/http/messages', sent)).status).toBe(202);
    await areStored('json', payloads.length, meter);
    const read = await ask('json', {
      publisher: meter.id,
      agg_field: 'x.y',
      limit: 20,
      dir: 'asc',
    });
    const changed = messagesIn(read).map(
      ({ created }) => Math.round(Number(created) / 1e9) - begin,
    );
    expect(changed).toEqual([0, 3, 6, 7, 8, 9, 10, 11, 13, 14]);
  });
});

async function newThing(format: Format) {
  const [made] = await createThings(admin, profiles[format], [
    { name: randomUUID(), type: 'device' },
  ]);
  return made ?? noThing;
}

describe('who asks for changes', () => {
  const series = { senml: { name: 's0' }, json: { agg_field: 'deep.s0' } };

  it.each([
    ['points', 'senml', { points: 5 }],
    ['agg_type', 'senml', { agg_type: 'avg', agg_interval: 'hour' }],
    ['agg_interval', 'json', { agg_interval: 'hour' }],
    ['latest', 'senml', { latest: 'true' }],
    ['columns', 'json', { columns: 'created' }],
    ['v', 'senml', { v: 1, comparator: 'gt' }],
    ['vs', 'senml', { vs: 'on' }],
    ['vb', 'senml', { vb: 'false' }],
    ['vd', 'senml', { vd: 'AQ' }],
    ['name', 'senml', { name: '' }],
    ['name', 'senml', { agg_field: 's1' }],
    ['agg_field', 'json', { agg_field: '' }],
    ['agg_field', 'json', { agg_field: 'a', agg_fields: 'b' }],
    ['publisher', 'senml', { publisher: '' }],
    ['cursor', 'json', { cursor: 'x' }],
  ] as const)('is told that %s is not for them (%s, %o)', async (field, format, other) => {
    const asked = { publisher: things[format].id, ...series[format], ...other };
    const body = Object.fromEntries(
      Object.entries({ ...asked, changes: true }).map(([name, value]) => [
        name,
        value === 'true' ? true : value === 'false' ? false : value,
      ]),
    );
    const answer = await call('POST', `/reader/${format}/search`, { as: admin, body });
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(`\\b${field}\\b`)]);
  });

  it('may be a thing, of its own series, and gets the same by a search', async () => {
    for (const format of formats) {
      const asked = { ...series[format], limit: 1_000 };
      const whole = await ask(format, asked);
      const query = new URLSearchParams({ changes: 'true', ...nameOf[format](0), limit: '1000' });
      const path = `/reader/${format}?${query.toString()}`;
      const own = await call('GET', path, { as: `Thing ${things[format].key}` });
      expect(messagesIn(own)).toEqual(messagesIn(whole));
      const search = { ...asked, changes: true, publisher: things[format].id };
      const found = await call('POST', `/reader/${format}/search`, { as: admin, body: [search] });
      expect(at(found, 0)).toEqual({
        messages: messagesIn(whole),
        total: at(whole, 'total'),
        usual_step: at(whole, 'usual_step'),
      });
    }
    const none = await ask('senml', { name: 'nothing' });
    expect(Object(json(none))).toEqual({
      offset: 0,
      limit: 10,
      format: 'senml',
      messages: [],
      total: 0,
    });
  });

  it('gets what is large or many piece by piece', async () => {
    const loud = await newThing('senml');
    const text = 'x'.repeat(60_000);
    const texts = Array.from({ length: 105 }, (_, i) => `${i} ${text}`);
    for (let i = 0; i < texts.length; i += 15) {
      const some = texts.slice(i, i + 15).map((vs, k) => ({ n: 'long', t: begin + i + k, vs }));
      await publish('senml', some, loud);
    }
    const moment = Array.from({ length: 3_000 }, (_, i) => ({
      n: 'moment',
      t: begin,
      v: i % 2_500,
    }));
    await publish('senml', moment, loud);
    await areStored('senml', texts.length + moment.length, loud);
    const long = await ask('senml', { publisher: loud.id, name: 'long', limit: 105, dir: 'asc' });
    expect(messagesIn(long).map(({ string_value: one }) => one)).toEqual(texts);
    const found: unknown[] = [];
    for (let cursor: Asked = {}; ; ) {
      const page = await ask('senml', {
        publisher: loud.id,
        name: 'moment',
        limit: 999,
        ...cursor,
      });
      found.push(...messagesIn(page).map(({ value }) => value));
      const next = at(page, 'next');
      if (typeof next !== 'string') break;
      cursor = { cursor: next };
    }
    expect(found.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      moment.slice(0, 2_500).map(({ v }) => v),
    );
  });

  it('may name a path as deep as names are long', async () => {
    const deep = await newThing('json');
    const nested = (depth: number): object => (depth === 0 ? { b: 1 } : { a: nested(depth - 1) });
    const body = [
      { at: begin, ...nested(25) },
      { at: begin + 1, 'a.a': { 'a.a.a': { 'a.b': true } } },
      { at: begin + 2, long: 10 ** 20, a: { a: { a: { a: { a: { a: { b: 'on' } } } } } } },
    ];
    await publish('json', body, deep);
    await areStored('json', body.length, deep);
    const found = async (parts: number) => {
      const agg_field = `${'a.'.repeat(parts)}b`;
      const answer = await ask('json', { publisher: deep.id, agg_field, dir: 'asc' });
      return messagesIn(answer).map(({ created }) => Math.round(Number(created) / 1e9) - begin);
    };
    expect(await Promise.all([5, 6, 25, 511].map(found))).toEqual([[], [2], [0], []]);
  });

  it('is told where there are too many messages to compare', async () => {
    const clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 60_000);
    const busy = await newThing('senml');
    await clickhouse.command({
      query: `INSERT INTO senml (publisher, protocol, name, time, kind, given)
              SELECT {thing:UUID}, 'http', 'busy', {begin:Int64} + number, 'value', 1 FROM numbers(5000001)`,
      query_params: { thing: busy.id, begin: `${begin}000000000` },
    });
    await clickhouse.close();
    const asked = { publisher: busy.id, name: 'busy' };
    const answer = await ask('senml', asked);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('shorter time')]);
    const fewer = await ask('senml', { ...asked, to: `${begin}000000099` });
    expect([at(fewer, 'total'), at(fewer, 'messages', 0, 'until')]).toEqual([1, begin + 99e-9]);
    const gone = await call('DELETE', `/reader/senml/${busy.id}`, { as: admin });
    expect(gone.status).toBe(204);
  });
});
