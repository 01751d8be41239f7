import { randomUUID } from 'node:crypto';
import { RecordBatchReader } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { at, call, json } from '../support/api/http.ts';
import { createEstate, createThings, type Estate, loginAdmin } from '../support/api/people.ts';
import { download as downloadAs, inDuckDb } from './exported.ts';

let admin: string;

let estate: Estate;

const begin = 1_700_000_400;
const tag = randomUUID().slice(0, 8);

async function publish(key: string, type: string, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': type };
  const answer = await call('POST', `/http/messages${path}`, { as: `Thing ${key}`, body, headers });
  expect(answer.status).toBe(202);
}

beforeAll(async () => {
  admin = await loginAdmin();
  estate = await createEstate(admin);
  const [one, two, evil] = await createThings(admin, estate.profileId, [
    { name: `cold-room-1 ${tag}`, type: 'device' },
    { name: `cold-room-2 ${tag}`, type: 'device' },
    { name: '=cmd', type: 'device' },
  ]);
  if (one === undefined || two === undefined || evil === undefined) throw new Error('none made');
  const senml = 'application/senml+json';
  await publish(one.key, senml, '', [
    { bt: begin, n: `t${tag}`, u: 'Cel', v: 1 },
    { n: `t${tag}`, u: 'Cel', t: 60, v: 3 },
    { n: `t${tag}`, u: 'Cel', t: 3_600, v: 5 },
  ]);
  await publish(two.key, senml, '/west', [{ bt: begin, n: `t${tag}`, u: 'Cel', v: -2 }]);
  await publish(evil.key, senml, '', [
    { bt: begin + 60, n: `t${tag}`, vs: '=1+1' },
    { t: 1, n: `t${tag}`, vb: true },
  ]);
  await publish(estate.key, 'application/json', '', [{ a: { b: 1 }, c: 'text' }, { a: { b: 2 } }]);
  const stored = async (query: string) =>
    at(await call('GET', `/reader/${query}`, { as: admin }), 'total');
  await eventually(async () => (await stored(`senml?name=t${tag}`)) === 6, 20_000);
  await eventually(async () => (await stored(`json?publisher=${estate.thingId}`)) === 2, 20_000);
});

const wide = (query: string) =>
  downloadAs(admin, `/reader/senml/export?shape=wide&name=t${tag}&dir=asc&${query}`);

const heads = () => [
  `=cmd t${tag}`,
  `cold-room-1 ${tag} t${tag} (Cel)`,
  `cold-room-2 ${tag} west t${tag} (Cel)`,
];

describe('a wide file', () => {
  it('has a row for each time and a column for each series, with its thing, name and unit', async () => {
    const file = await wide('convert=csv');
    const [first, ...rows]: string[][] = parse(file.text);
    expect(first).toEqual(['time', `'${heads()[0]}`, ...heads().slice(1)]);
    expect(rows).toEqual([
      [`${begin}`, '', '1', '-2'],
      [`${begin + 60}`, `'=1+1`, '3', ''],
      [`${begin + 61}`, '1', '', ''],
      [`${begin + 3_600}`, '', '5', ''],
    ]);
    expect(file.headers['content-disposition']).toContain(
      `filename="senml messages t${tag} wide.csv"`,
    );
  });

  it('has one for each interval, with its gaps filled, and times as they are asked for', async () => {
    const half = 'agg_type=avg&agg_interval=minute&agg_value=30';
    const plain: string[][] = parse((await wide(`convert=csv&${half}`)).text);
    expect(plain).toEqual([
      ['time', ...heads().slice(1)],
      [`${begin - 1_200}`, '2', '-2'],
      [`${begin + 2_400}`, '5', ''],
    ]);
    const filled: string[][] = parse(
      (await wide(`convert=csv&${half}&agg_fill=previous&time_format=rfc3339&bom=true`)).text,
      { bom: true },
    );
    expect(filled.slice(1)).toEqual([
      ['2023-11-14T22:00:00.000000000Z', '2', '-2'],
      ['2023-11-14T22:30:00.000000000Z', '2', '-2'],
      ['2023-11-14T23:00:00.000000000Z', '5', '-2'],
    ]);
  });

  it('is Parquet and Arrow, with types, and JSON without what is not there', async () => {
    const parquet = await wide('convert=parquet');
    const rows = await inDuckDb(parquet.bytes, 'a.parquet', (name) => `DESCRIBE FROM ${name}`);
    expect(rows.map((row) => row.slice(0, 2))).toEqual([
      ['time', expect.stringContaining('TIMESTAMP')],
      [heads()[0], 'VARCHAR'],
      [heads()[1], 'DOUBLE'],
      [heads()[2], 'DOUBLE'],
    ]);
    const arrow = RecordBatchReader.from((await wide('convert=arrows')).bytes).open();
    expect(arrow.schema.fields.map(({ name }) => name)).toEqual(['time', ...heads()]);
    const objects: unknown = JSON.parse((await wide('convert=json')).text);
    expect(objects).toMatchObject([
      { time: begin, [heads()[1] ?? '']: 1, [heads()[2] ?? '']: -2 },
      { time: begin + 60, [heads()[0] ?? '']: '=1+1', [heads()[1] ?? '']: 3 },
      { time: begin + 61 },
      { time: begin + 3_600 },
    ]);
  });

  it('of JSON messages has a series for each path that is named and somewhere a number', async () => {
    const mine = `publisher=${estate.thingId}&shape=wide&convert=csv`;
    const exact = await downloadAs(admin, `/reader/json/export?${mine}&columns=a.b,c,d`);
    const [first, ...rows]: string[][] = parse(exact.text);
    expect(first).toEqual(['created', 'thing a.b']);
    expect(rows.map(([, value]) => value)).toEqual(['1']);
    const sums = 'agg_type=sum&agg_interval=day&agg_field=a.b&agg_field=c';
    const summed: string[][] = parse(
      (await downloadAs(admin, `/reader/json/export?${mine}&${sums}`)).text,
    );
    expect(summed.map(([, value]) => value)).toEqual(['thing a.b', '3']);
  });

  it('has only what its caller may see, and names only that', async () => {
    const file = await downloadAs(
      `Thing ${estate.key}`,
      `/reader/senml/export?shape=wide&convert=csv&name=t${tag}`,
    );
    expect(file.text).toBe('"time"\n');
  });

  it('is refused where it would have too many columns, or nothing says which', async () => {
    const many = Array.from({ length: 1_001 }, (_, n) => ({ n: `n${n}`, v: 1 }));
    const other = await createEstate(admin);
    await publish(other.key, 'application/senml+json', '', many);
    const of = `publisher=${other.thingId}`;
    await eventually(async () => {
      expect(at(await call('GET', `/reader/senml?${of}`, { as: admin }), 'total')).toBe(1_001);
    }, 20_000);
    const refusals: [string, string][] = [
      [`senml/export?shape=wide&${of}`, 'shape: wide has at most 1000 columns'],
      [`senml/export?shape=wide&${of}&columns=time`, 'columns: with shape=wide'],
      [`json/export?shape=wide&${of}`, 'columns: shape=wide needs paths of the payload'],
      [`json/export?shape=wide&${of}&columns=created,a`, 'columns: shape=wide needs paths'],
    ];
    for (const [path, words] of refusals) {
      const answer = await call('GET', `/reader/${path}`, { as: admin });
      expect([path, answer.status, String(Object(json(answer)).error)]).toEqual([
        path,
        400,
        expect.stringContaining(words),
      ]);
    }
  });
});
