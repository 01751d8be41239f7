import { parse } from 'csv-parse/sync';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../../infra/runtime/stores/cluster.ts';
import { type Built, buildApi } from '../../support/api/build.ts';
import { createEstate, createThings, People, type Person } from '../../support/api/people.ts';
import { contradictionsOf } from '../../support/messages/contradictions.ts';
import { type Gate, openGate } from '../../support/services/before-statements.ts';
import { system } from '../../support/system.ts';

/*
 * Messages arrive, or are deleted, while a page is read: before its first statement, before its second, and so on.
 */

const Generation = Type.Object({ generation: Type.Integer() });
const Page = Type.Object({
  total: Type.Integer(),
  limit: Type.Integer(),
  offset: Type.Integer(),
  messages: Type.Array(Type.Unknown()),
  next: Type.Optional(Type.String()),
});

let people: People;
let owner: Person;
let gate: Gate;
let api: Built;
let origin: string;
let store: ClickHouseClient;
let as: string;
let things: string[];

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  const { profileId } = await createEstate(owner.as);
  const named = ['a', 'b', 'c'].map((name) => ({ name, type: 'device' }));
  things = (await createThings(owner.as, profileId, named)).map(({ id }) => id);
  gate = await openGate(system().clickhouseUrl);
  store = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
  api = buildApi({ clickhouseUrl: gate.url });
  origin = await api.server.listen({ host: '127.0.0.1', port: 0 });
});

beforeEach(async () => {
  const [row] = await people.rows(
    'SELECT token_generation AS generation FROM users WHERE id = $1',
    [owner.id],
  );
  const { generation } = Value.Parse(Generation, row);
  as = `Bearer ${await api.tokens.issue({ userId: owner.id, generation })}`;
});

afterAll(async () => {
  await api.close();
  await gate.close();
  await store.close();
  await people.close();
});

const base = 1_700_000_000;
/** Messages that came so far: each has a number of its own, and a time by it. */
let count = 0;

/** Each thing gets the newest message and the oldest one, of both formats. */
async function arrive(): Promise<void> {
  const at = (things_: string[], sign: number) =>
    things_.map((publisher) => ({ publisher, number: sign * ++count }));
  const rows = [...at(things, 1), ...at(things, -1)];
  const common = { protocol: 'http', log: 'test', batch: count };
  const time = (number: number) => `${base + number * 3_600}000000000`;
  await store.insert({
    table: 'senml',
    columns: ['publisher', 'protocol', 'name', 'time', 'kind', 'given', 'log', 'batch'],
    values: rows.map(({ publisher, number }) => ({
      ...common,
      publisher,
      name: 'n',
      time: time(number),
      kind: 'value',
      given: number,
    })),
    format: 'JSONEachRow',
  });
  await store.insert({
    table: 'json',
    columns: ['publisher', 'protocol', 'created', 'payload', 'log', 'batch'],
    values: rows.map(({ publisher, number }) => ({
      ...common,
      publisher,
      created: time(number),
      // Each time a member comes that no message had before.
      payload: JSON.stringify({ name: 'n', number, [`new${count}`]: true }),
    })),
    format: 'JSONEachRow',
  });
}

/** Only what is older than `base` stays. */
async function leave(): Promise<void> {
  for (const [table, time] of [
    ['senml', 'time'],
    ['json', 'created'],
  ] as const) {
    await store.command({
      query: `DELETE FROM ${onShards(store.cluster, table)}
              WHERE publisher IN {things:Array(UUID)} AND ${time} > {from:Int64}`,
      query_params: { things, from: `${base}000000000` },
      clickhouse_settings: { lightweight_deletes_sync: '2' },
    });
  }
}

async function ask(path: string) {
  const answer = await api.server.inject({ url: path, headers: { authorization: as } });
  expect([path, answer.statusCode, answer.body.slice(0, 200)]).toEqual([
    path,
    200,
    expect.anything(),
  ]);
  return Value.Parse(Page, answer.json());
}

/** Asks as often as the query has statements, and once more; each time it happens before another one. */
async function askAround(path: string, happening: () => Promise<void>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let others = 0, isDone = false; !isDone; others++) {
    const hasHappened = gate.before(others, happening);
    seen.push(await ask(path));
    isDone = !hasHappened();
  }
  return seen;
}
type Seen = Static<typeof Page>;

const contradictions = (seen: readonly Seen[]) =>
  seen.flatMap(({ messages, ...page }) => contradictionsOf({ ...page, rows: messages.length }));

const queries = [
  ['everything in reach', 'senml?'],
  ['everything in reach', 'json?'],
  ['one thing', 'senml?publisher='],
  ['one name', 'senml?name=n'],
  ['a thing from a time on', `json?from=${base}000000000&publisher=`],
] as const;
const pathOf = (query: string, window: string) => {
  const publisher = query.endsWith('publisher=') ? things[1] : '';
  const field = query.startsWith('json') && window.startsWith(byHour) ? '&agg_field=number' : '';
  return `/reader/${query}${publisher}&${window}${field}`;
};

const arriving = ['limit=1000', 'limit=4&offset=2&dir=asc', 'limit=5&offset=1000'];
const byHour = 'agg_type=count&agg_interval=hour';
const buckets = [`${byHour}&limit=1000`, `${byHour}&offset=1000`];

/** `npm run test:faults` asks each query in every window; else it is asked in some, and those differ from query to query. */
const isLong = process.env['LONG'] !== undefined;
const oneOf = (all: readonly string[], nth: number) =>
  isLong ? all : all.slice(nth % all.length).slice(0, 1);
const withPlace = queries.map(([name, query], nth) => [name, query, nth] as const);

describe.each(withPlace)('total and messages of %s, %s', (_name, query, nth) => {
  it('agree, whatever arrives while they are read', async () => {
    for (const window of [...oneOf(arriving, nth), ...oneOf(buckets, nth)]) {
      const path = pathOf(query, window);
      expect([path, contradictions(await askAround(path, arrive))]).toEqual([path, []]);
    }
  });

  // Deletions are slow: without LONG both formats have one.
  it.runIf(isLong || nth < 2)(
    'agree, whatever is deleted while they are read, and no page ends early',
    async () => {
      const path = pathOf(query, 'limit=5');
      await arrive();
      const seen = await askAround(path, async () => {
        await leave();
        await arrive();
      });
      expect([path, contradictions(seen)]).toEqual([path, []]);
    },
  );
});

it.each(queries)('what the total counts is on the page: %s, %s', async (_name, query) => {
  const path = pathOf(query, 'limit=3');
  const seen = await askAround(path, arrive);
  const last = await ask(path);
  const counting = seen.filter(({ total }) => total === last.total);
  expect(counting.map(({ messages }) => messages)).toEqual(counting.map(() => last.messages));
});

it.each(['senml', 'json'])(
  'pages of %s lead on by cursors, whatever comes and goes between two statements',
  async (format) => {
    const short = format === 'senml' ? [leave] : [arrive];
    for (const happening of isLong ? [arrive, leave] : short) {
      for (let others = 0, isDone = false; !isDone; others++) {
        await arrive();
        await arrive();
        const first = await ask(`/reader/${format}?limit=3`);
        const hasHappened = gate.before(others, happening);
        const second = await ask(`/reader/${format}?limit=4&cursor=${first.next}`);
        isDone = !hasHappened();
        expect(second.messages).toHaveLength(4);
        expect(second.total).toBeGreaterThanOrEqual(4);
        expect(second.next).toBeTypeOf('string');
      }
    }
  },
);

it('a CSV of JSON messages has a column for each member of its rows, whatever arrives meanwhile', async () => {
  const url = `/reader/json/export?convert=csv&publisher=${things[0]}`;
  for (let others = 0, isDone = false; !isDone; others++) {
    const hasHappened = gate.before(others, arrive);
    const answer = await request(`${origin}${url}`, { headers: { authorization: as } });
    const file = await answer.body.text();
    isDone = !hasHappened();
    expect([answer.statusCode, file.slice(0, 300)]).toEqual([200, expect.anything()]);
    const rows: Record<string, string>[] = parse(file, { columns: true });
    expect(rows.length).toBeGreaterThan(0);
    const news = (row: Record<string, string>) =>
      Object.entries(row).filter(([name, cell]) => name.startsWith('new') && cell !== '');
    expect(rows.map((row) => news(row).length)).toEqual(rows.map(() => 1));
  }
});
