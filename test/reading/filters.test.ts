import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Answer, at, call, json } from '../support/api/http.ts';
import { createEstate, createThings, type Estate, loginAdmin } from '../support/api/people.ts';
import { aggregate, type Published, type Question, select } from './model.ts';

let admin: string;
let estate: Estate;
const records: Published[] = [];

const names = ['t', 'h', 'p'];
const subtopics = ['', 'a.b'];

/** Unique moments, some a nanosecond apart where a double can't tell them, over some forty years. */
const moment = fc.oneof(
  fc.bigInt({ min: 1_700_000_000_000_000_000n, max: 1_700_000_000_000_000_050n }),
  fc.bigInt({ min: 1_699_990_000n, max: 1_700_090_000n }).map((second) => second * 1_000_000_000n),
  fc.bigInt({ min: 300_000_000n, max: 1_800_000_000n }).map((second) => second * 1_000_000_000n),
);
const value = fc.oneof(
  fc.record({ value: fc.integer({ min: -20, max: 20 }).map((all) => all / 4) }),
  fc.record({ string_value: fc.constantFrom('', 'on', "o'ff", 'é"\\') }),
  fc.record({ bool_value: fc.boolean() }),
  fc.record({ data_value: fc.constantFrom('aGk', 'AA') }),
);

/** SenML whose time is whole nanoseconds: seconds in the base, the rest beside it. */
function senml(record: Published): object {
  const seconds = record.time / 1_000_000_000n;
  const nanos = Number(record.time % 1_000_000_000n);
  return {
    n: record.name,
    bt: Number(seconds),
    t: nanos / 1e9,
    ...(record.value === undefined ? {} : { v: record.value }),
    ...(record.string_value === undefined ? {} : { vs: record.string_value }),
    ...(record.bool_value === undefined ? {} : { vb: record.bool_value }),
    ...(record.data_value === undefined ? {} : { vd: record.data_value }),
  };
}

beforeAll(async () => {
  admin = await loginAdmin();
  estate = await createEstate(admin);
  const [second] = await createThings(admin, estate.profileId, [
    { name: 'second', type: 'sensor' },
  ]);
  const things = [
    { id: estate.thingId, key: estate.key },
    { id: second?.id ?? '', key: second?.key ?? '' },
  ];
  const drawn = fc.sample(fc.tuple(moment, fc.constantFrom(...names), value), {
    numRuns: 400,
    seed: 4,
  });
  const taken = new Set<bigint>();
  for (const [index, [time, name, given]] of drawn.entries()) {
    if (taken.has(time)) continue;
    taken.add(time);
    const thing = things[index % 2];
    const subtopic = subtopics[index % 3 === 0 ? 1 : 0] ?? '';
    records.push({ publisher: thing?.id ?? '', subtopic, name, time, ...given });
  }
  for (const thing of things) {
    for (const subtopic of subtopics) {
      const pack = records.filter((one) => one.publisher === thing.id && one.subtopic === subtopic);
      const answer = await call('POST', `/http/messages${subtopic === '' ? '' : '/a/b'}`, {
        as: `Thing ${thing.key}`,
        body: pack.map(senml),
        headers: { 'content-type': 'application/senml+json' },
      });
      if (answer.status !== 202) throw new Error(answer.text);
    }
  }
  await eventually(async () => {
    const totals = await Promise.all(things.map(({ id }) => total({ publisher: id })));
    return totals.reduce((all, one) => all + one, 0) === records.length;
  }, 20_000);
});

const reader = '/reader/senml';

function queryOf(asked: Record<string, unknown>): string {
  const given = Object.entries(asked).filter(([, one]) => one !== undefined);
  return new URLSearchParams(
    Object.fromEntries(given.map(([name, one]) => [name, String(one)])),
  ).toString();
}

async function total(asked: Record<string, unknown>): Promise<number> {
  return Number(at(await call('GET', `${reader}?${queryOf(asked)}`, { as: admin }), 'total'));
}

/** Times as the reader writes them, in whole nanoseconds: a double would lose them. */
function timesIn(text: string): bigint[] {
  return [...text.matchAll(/"time":(-?\d+)(?:\.(\d+))?/g)].map(([, seconds = '', rest = '']) => {
    const size = BigInt(seconds.replace('-', '') + rest.padEnd(9, '0'));
    return seconds.startsWith('-') ? -size : size;
  });
}

/** Other ones each time; `npm run test:faults` has more. */
const numRuns = process.env['LONG'] === undefined ? 25 : 500;

const descending = (a: bigint, b: bigint) => (a < b ? 1 : -1);

const bound = fc.option(
  fc.oneof(
    fc.constantFrom(1_700_000_000_000_000_010n, 1_700_000_000_000_000_011n),
    fc.nat(10_000).map((index) => records[index % records.length]?.time ?? 0n),
  ),
  { nil: undefined },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined, freq: 1 });
const question = fc.record({
  publisher: fc.constant(undefined),
  subtopic: optional(fc.constantFrom('a.b', 'nowhere')),
  name: optional(fc.constantFrom(...names, 'x')),
  from: bound,
  to: bound,
  kind: fc.oneof(
    fc.constant({}),
    fc.record({
      v: fc.integer({ min: -21, max: 21 }).map((all) => all / 4),
      comparator: fc.constantFrom('eq', 'lt', 'le', 'gt', 'ge'),
    }),
    fc.record({ vs: fc.constantFrom('on', "o'ff", 'é"\\', 'x') }),
    fc.record({ vb: fc.boolean() }),
    fc.record({ vd: fc.constantFrom('aGk', 'AA', 'x') }),
  ),
});

describe('filters', () => {
  it('select what a model in memory selects, newest first', async () => {
    await fc.assert(
      fc.asyncProperty(question, fc.nat(1), async ({ kind, ...rest }, which) => {
        const publisher = which === 0 ? estate.thingId : records[1]?.publisher;
        const asked: Question = { ...rest, ...kind, publisher };
        const expected = select(records, asked).map((record) => record.time);
        const answer = await call('GET', `${reader}?limit=1000&${queryOf(asked)}`, { as: admin });
        expect(answer.status).toBe(200);
        expect(timesIn(answer.text)).toEqual(expected.toSorted(descending));
        expect(at(answer, 'total')).toBe(expected.length);
      }),
      { numRuns },
    );
  });

  it('select the things of a group, and put their values together', async () => {
    const { groupId } = estate;
    await eventually(async () => (await total({ group_id: groupId })) === records.length);
    const asked = { group_id: groupId, name: 't', agg_type: 'sum', agg_interval: 'year' };
    const answer = await call('GET', `${reader}?${queryOf({ ...asked, limit: 1_000 })}`, {
      as: admin,
    });
    const sums = [...answer.text.matchAll(/"value":(-?[\d.e]+)/g)].map(([, one]) => Number(one));
    const values = records.flatMap(({ name, value: one }) =>
      name === 't' && one !== undefined ? [one] : [],
    );
    const sum = (all: number[]) => all.reduce((before, one) => before + one, 0);
    expect(sum(sums)).toBeCloseTo(sum(values));
    const other = await createEstate(admin);
    expect(await total({ group_id: other.groupId })).toBe(0);
    expect(await total({ group_id: other.groupId, publisher: estate.thingId })).toBe(0);
  });

  it('accept the values 0 and false', async () => {
    const publisher = estate.thingId;
    for (const asked of [{ v: 0 }, { vb: false }]) {
      const expected = select(records, { publisher, ...asked }).length;
      expect(expected).toBeGreaterThan(0);
      expect(await total({ publisher, ...asked })).toBe(expected);
    }
  });

  it('refuse invalid values, with the name of the filter', async () => {
    const bad = {
      v: ['x', '1e400', '0x1', ''],
      comparator: ['ne', 'EQ'],
      vb: ['yes', '1'],
      agg_type: ['median'],
      agg_interval: ['fortnight'],
      agg_value: ['0', '-1', '1.5'],
      cursor: ['x', 'e30'],
    };
    for (const [name, values] of Object.entries(bad)) {
      for (const one of values.filter((text) => text !== '')) {
        const answer = await call('GET', `${reader}?${queryOf({ [name]: one })}`, { as: admin });
        expect([name, one, answer.status]).toEqual([name, one, 400]);
        expect(at(answer, 'error')).toContain(name);
      }
    }
    const day = 'agg_type=max&agg_interval=day';
    for (const rest of ['tz=Mars/Olympus', 'tz=%2B02:00', 'agg_value=213503']) {
      const answer = await call('GET', `${reader}?${day}&${rest}`, { as: admin });
      expect([rest, answer.status]).toEqual([rest, 400]);
    }
    const berlin = await call('GET', `${reader}?${day}&tz=europe/berlin`, { as: admin });
    expect(berlin.status).toBe(200);
    const forged = (place: string[]) =>
      Buffer.from(JSON.stringify({ dir: 'asc', place, given: 1 })).toString('base64url');
    for (const place of [
      ['99999999999999999999', estate.thingId, 'a', '1'],
      ['1', estate.thingId, 'a', '-1'],
      ['1', estate.thingId, '\0', '1'],
      ['1', 'x', 'a', '1'],
      ['1', estate.thingId, '1'],
    ]) {
      const answer = await call('GET', `${reader}?cursor=${forged(place)}`, { as: admin });
      expect([place, answer.status]).toEqual([place, 400]);
    }
  });
});

describe('aggregation', () => {
  const types = ['min', 'max', 'avg', 'sum', 'count', 'first', 'last'];
  const intervals = [
    'microsecond',
    'millisecond',
    'second',
    'minute',
    'hour',
    'day',
    'week',
    'month',
    'year',
  ];

  it('gives one row for each bucket that is not empty, as a model in memory does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...types),
        fc.constantFrom(...intervals),
        fc.constantFrom(1, 2, 5),
        async (agg_type, agg_interval, agg_value) => {
          const publisher = estate.thingId;
          const asked = { publisher, agg_type, agg_interval, agg_value, limit: 1_000 };
          const mine = select(records, { publisher });
          const expected = aggregate(mine, agg_type, agg_interval, agg_value);
          const answer = await call('GET', `${reader}?${queryOf(asked)}`, { as: admin });
          expect(answer.status).toBe(200);
          const starts = [...expected.keys()].toSorted(descending);
          expect(timesIn(answer.text)).toEqual(starts);
          expect(at(answer, 'total')).toBe(expected.size);
          const messages: unknown[] = Object(json(answer)).messages;
          for (const [index, start] of starts.entries()) {
            expect(Object(messages[index]).value).toBeCloseTo(expected.get(start) ?? Number.NaN, 9);
          }
        },
      ),
      { numRuns },
    );
  });

  it('begins days by the clock of a time zone', async () => {
    const asked = {
      publisher: estate.thingId,
      agg_type: 'count',
      agg_interval: 'day',
      tz: 'America/New_York',
      limit: 1_000,
    };
    const answer = await call('GET', `${reader}?${queryOf(asked)}`, { as: admin });
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: asked.tz, timeStyle: 'medium' });
    const days = new Intl.DateTimeFormat('sv-SE', { timeZone: asked.tz, dateStyle: 'short' });
    const mine = select(records, { publisher: estate.thingId });
    const starts = timesIn(answer.text).map((time) => new Date(Number(time / 1_000_000n)));
    expect(new Set(starts.map((start) => clock.format(start)))).toEqual(new Set(['00:00:00']));
    const expected = new Set(mine.map(({ time }) => days.format(Number(time / 1_000_000n))));
    expect(new Set(starts.map((start) => days.format(start)))).toEqual(expected);
  });
});

function nextOf(answer: Answer): string | undefined {
  const next = at(answer, 'next');
  return typeof next === 'string' ? next : undefined;
}

describe('cursors', () => {
  it('visit everything once, with any page size, in both directions', async () => {
    for (const [dir, limit] of [
      ['desc', 7],
      ['asc', 50],
    ] as const) {
      const times: bigint[] = [];
      let next: string | undefined = '';
      while (next !== undefined) {
        const asked = { publisher: estate.thingId, limit, dir, cursor: next };
        const answer = await call('GET', `${reader}?${queryOf(asked)}`, { as: admin });
        expect(answer.status).toBe(200);
        times.push(...timesIn(answer.text));
        next = nextOf(answer);
        if (next !== undefined) {
          expect(answer.headers['link']).toContain(`cursor=${next}`);
          expect(answer.headers['link']).toMatch(/^<\/reader\/senml\?.*>; rel="next"$/);
        }
      }
      const expected = select(records, { publisher: estate.thingId }).map(({ time }) => time);
      const sorted = expected.toSorted(descending);
      expect(times).toEqual(dir === 'asc' ? sorted.toReversed() : sorted);
    }
  });

  it('skip none of the records that are equal in everything', async () => {
    const [thing] = await createThings(admin, estate.profileId, [{ name: 'same', type: 'sensor' }]);
    const same = { n: 'same', t: 1_700_000_000, v: 1 };
    const answer = await call('POST', '/http/messages', {
      as: `Thing ${thing?.key}`,
      body: [...Array.from({ length: 11 }, () => same), { ...same, v: 2 }],
      headers: { 'content-type': 'application/senml+json' },
    });
    expect(answer.status).toBe(202);
    const publisher = thing?.id;
    await eventually(async () => (await total({ publisher })) === 12, 20_000);
    const values: number[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const page = await call(
        'GET',
        `${reader}?${queryOf({ publisher, limit: 3, cursor: next })}`,
        {
          as: admin,
        },
      );
      const messages: unknown[] = Object(json(page)).messages;
      values.push(...messages.map((message) => Number(Object(message).value)));
      next = nextOf(page);
    }
    const skipping = `${reader}?${queryOf({ publisher, limit: 5, offset: 4 })}`;
    const cursor = nextOf(await call('GET', skipping, { as: admin }));
    const rest = await call('GET', `${reader}?${queryOf({ publisher, cursor })}`, { as: admin });
    expect(Object(json(rest)).messages).toHaveLength(3);
    expect(values.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 11 }, () => 1), 2]);
  });
});

describe('POST /reader/<format>/search', () => {
  it('answers one query with the envelope of the reader, times beyond 2^53 included', async () => {
    const raw = `{"publisher":"${estate.thingId}","from":1700000000000000010,"to":1700000000000000030,"limit":1000}`;
    const answer = await call('POST', '/svcthings/reader/senml/search', { as: admin, raw });
    const expected = select(records, {
      publisher: estate.thingId,
      from: 1_700_000_000_000_000_010n,
      to: 1_700_000_000_000_000_030n,
    });
    expect(answer.status).toBe(200);
    expect(timesIn(answer.text)).toEqual(expected.map(({ time }) => time).toSorted(descending));
    expect(json(answer)).toMatchObject({ limit: 1_000, offset: 0, format: 'senml' });
  });

  it('answers an array of queries with an array, with errors in their places', async () => {
    const body = [
      { publisher: estate.thingId, name: 't' },
      { publisher: '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11' },
    ];
    const answer = await call('POST', '/reader/senml/search', { as: admin, body });
    expect(answer.status).toBe(200);
    const expected = select(records, { publisher: estate.thingId, name: 't' }).length;
    expect(at(answer, 0, 'total')).toBe(expected);
    expect(at(answer, 1)).toEqual({
      total: 0,
      messages: [],
      error: 'entity not found: thing',
      code: 'not_found',
    });
  });

  it('accepts an empty body, and refuses what is not a query', async () => {
    expect((await call('POST', '/reader/json/search', { as: admin, raw: '' })).status).toBe(200);
    for (const raw of ['[]', '1', '{"limit":0}', '{"from":"x"}', '{"limit":1', '{"v":"1"}']) {
      const answer = await call('POST', '/reader/senml/search', { as: admin, raw });
      expect([raw, answer.status]).toEqual([raw, 400]);
    }
  });
});
