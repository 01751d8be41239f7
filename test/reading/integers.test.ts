import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { system } from '../support/system.ts';
import { at, call, json } from '../support/api/http.ts';
import { createEstate, type Estate, loginAdmin } from '../support/api/people.ts';

const edges = [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 10n ** 18n, 10n ** 30n];
const integer = fc.constantFrom(...edges, 0n, 7n).chain((size) => fc.constantFrom(size, -size));
/** Texts that look like what is looked for, and what ends texts. */
const note = fc.array(fc.constantFrom('"', '\\', ',', '[', ': ', '😀', `${10n ** 25n}`, '}'));
const message = fc.record({
  temp: fc.option(integer, { nil: undefined }),
  list: fc.array(integer, { maxLength: 4 }),
  deep: integer,
  note: note.map((parts) => `n${parts.join('')}`),
});
type Message = { temp: bigint | undefined; list: bigint[]; deep: bigint; note: string };

const messages: Message[] = [
  { temp: 5n, list: [2n ** 64n], deep: 1n, note: 'n' },
  { temp: undefined, list: [], deep: -(2n ** 63n) - 1n, note: 'n' },
  ...fc.sample(message, 60),
];

/** As an edge writes it: integers with all their digits. */
function payloadOf({ temp, list, deep, note: text }: Message): string {
  const first = temp === undefined ? '' : `"temp":${temp},`;
  return `{${first}"list":[${list.join(',')}],"deep":{"x":${deep}},"note":${JSON.stringify(text)}}`;
}

let admin: string;
let estate: Estate;
let clickhouse: ClickHouseClient;
const begin = 1_700_000_000_000_000_000n;

beforeAll(async () => {
  admin = await loginAdmin();
  estate = await createEstate(admin);
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
  await clickhouse.insert({
    table: 'json',
    columns: ['publisher', 'protocol', 'created', 'payload'],
    values: messages.map((one, i) => ({
      publisher: estate.thingId,
      protocol: 'http',
      created: String(begin + BigInt(i)),
      payload: payloadOf(one),
    })),
    format: 'JSONEachRow',
  });
});

afterAll(() => clickhouse.close());

const read = (query: string) =>
  call('GET', `/reader/json?publisher=${estate.thingId}&limit=1000&dir=asc&${query}`, {
    as: admin,
  });

describe('integers beyond 64 bits, anywhere in a payload,', () => {
  it('keep every digit', async () => {
    const { text } = await read('');
    for (const one of messages) expect(text).toContain(`"payload":${payloadOf(one)}}`);
  });

  it('do not hide other members from filters', async () => {
    const having = messages.filter(({ temp }) => temp !== undefined);
    expect(at(await read('filter=temp'), 'total')).toBe(having.length);
    expect(at(await read('filter=deep.x'), 'total')).toBe(messages.length);
    expect(at(await read('filter=none'), 'total')).toBe(0);
  });

  it('are a number in aggregates and points', async () => {
    const numbers = messages.flatMap(({ temp }) => (temp === undefined ? [] : [Number(temp)]));
    const buckets = await read('agg_type=max&agg_interval=year&agg_field=temp');
    expect(at(buckets, 'messages', 0, 'payload', 'temp')).toBe(Math.max(...numbers));
    const counts = await read('agg_type=count&agg_interval=year&agg_field=temp');
    expect(at(counts, 'messages', 0, 'payload', 'temp')).toBe(numbers.length);
    const points = await read('points=1000&agg_field=deep.x');
    expect(Object(json(points)).messages).toHaveLength(messages.length);
  });

  it('keep every digit in CSV, and change no text', async () => {
    const path = `/reader/json/export?publisher=${estate.thingId}&convert=csv&dir=asc`;
    const { text } = await call('GET', path, { as: admin });
    const rows: Record<string, string>[] = parse(text, { columns: true });
    const expected = messages.map(({ temp, list, deep, note: words }) => ({
      temp: String(temp ?? ''),
      list: list.length === 0 ? '[]' : `[${list.join(',')}]`,
      'deep.x': String(deep),
      note: words,
    }));
    expect(
      rows.map(({ temp, list, 'deep.x': x, note: words }) => ({
        temp,
        list,
        'deep.x': x,
        note: words,
      })),
    ).toEqual(expected);
  });
});

describe('members with dots in their names, within objects as well,', () => {
  const payloads = [
    '{"56.0":{"x":2}}',
    '{"a":{"b.c":{"d":3}},"next":1}',
    '{"o.p":{"q.r":4},"large":123456789012345678901234567890}',
    '{"s.t":{"u":{"v.w":5}}}',
    '{"deep":{"plain":{"y":6}}}',
  ];
  const values = { '56.0.x': 2, 'a.b.c.d': 3, 'o.p.q.r': 4, 's.t.u.v.w': 5, 'deep.plain.y': 6 };
  let dotted: Estate;
  const ask = (query: string) =>
    call('GET', `/reader/json${query}&publisher=${dotted.thingId}`, { as: admin });

  beforeAll(async () => {
    dotted = await createEstate(admin);
    await clickhouse.insert({
      table: 'json',
      columns: ['publisher', 'protocol', 'created', 'payload'],
      values: payloads.map((payload, i) => ({
        publisher: dotted.thingId,
        protocol: 'http',
        created: String(begin + BigInt(i)),
        payload,
      })),
      format: 'JSONEachRow',
    });
  });

  it('are found by the names that CSV gives them', async () => {
    const { text } = await ask('/export?convert=csv&dir=asc');
    const rows: Record<string, string>[] = parse(text, { columns: true });
    for (const [name, value] of Object.entries(values)) {
      expect(rows.flatMap((row) => (row[name] === '' ? [] : [row[name]]))).toEqual([`${value}`]);
      expect([name, at(await ask(`?filter=${name}`), 'total')]).toEqual([name, 1]);
      const buckets = await ask(`?agg_type=max&agg_interval=year&agg_field=${name}`);
      expect(at(buckets, 'messages', 0, 'payload')).toEqual({ [name]: value });
      expect(at(await ask(`?points=3&agg_field=${name}`), 'total')).toBe(1);
    }
    expect(at(await ask('?filter=56.0.y'), 'total')).toBe(0);
    expect(at(await ask('?filter=56.x'), 'total')).toBe(0);
  });
});
