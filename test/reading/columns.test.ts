import { randomUUID } from 'node:crypto';
import { RecordBatchReader } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Answer, at, call, json, textAt } from '../support/api/http.ts';
import { createEstate, createThings, type Estate, loginAdmin } from '../support/api/people.ts';
import { download as downloadAs, inDuckDb } from './exported.ts';

let admin: string;
let estate: Estate;
let evil: { id: string; key: string };

const evilName = `=1+1 "${randomUUID()}", \`\\`;

async function publish(key: string, type: string, body: unknown): Promise<void> {
  const headers = { 'content-type': type };
  const answer = await call('POST', '/http/messages', { as: `Thing ${key}`, body, headers });
  expect(answer.status).toBe(202);
}

async function stored(format: string, publisher: string): Promise<unknown> {
  return at(await call('GET', `/reader/${format}?publisher=${publisher}`, { as: admin }), 'total');
}

beforeAll(async () => {
  admin = await loginAdmin();
  estate = await createEstate(admin);
  const [made] = await createThings(admin, estate.profileId, [{ name: evilName, type: 'device' }]);
  if (made === undefined) throw new Error('no thing was made');
  evil = made;
  await publish(estate.key, 'application/senml+json', [
    { bt: 1_700_000_000, n: 'a', u: 'Cel', v: -1.5 },
    { n: 'b', t: 0.123456789, vs: '=1+1' },
    { n: 'c', t: 1, vb: false },
  ]);
  await publish(evil.key, 'application/senml+json', [{ n: 'a', t: 1_700_000_002, v: 7 }]);
  await publish(estate.key, 'application/json', [
    { rpm: 5, motor: { 'on.off': true, text: '"=1' }, created: 'mine', big: 1 },
    { rpm: 6.5, motor: { text: '@', list: [1, { a: 'b' }] } },
  ]);
  await eventually(async () => (await stored('senml', estate.thingId)) === 3, 20_000);
  await eventually(async () => (await stored('json', estate.thingId)) === 2, 20_000);
  await eventually(async () => (await stored('senml', evil.id)) === 1, 20_000);
});

const asked = (query: string) => `publisher=${estate.thingId}&${query}`;
const file = (format: string, query: string) =>
  downloadAs(admin, `/reader/${format}/export?${query}`);

describe('the columns of an export', () => {
  it('stand in a CSV in the order in which they were named', async () => {
    const senml = await file('senml', asked('convert=csv&dir=asc&columns=time,name,value'));
    expect(senml.text).toBe(
      '"time","name","value"\n1700000000,"a",-1.5\n1700000000.123456789,"b",\n1700000001,"c",\n',
    );
    const texts = await file('senml', asked('convert=csv&dir=asc&columns=string_value, unit'));
    expect(texts.text).toBe(`"string_value","unit"\n,"Cel"\n"'=1+1",\n,\n`);
  });

  it('are paths of a payload, and what has the name of another column', async () => {
    const columns = 'motor.text,rpm,payload.created,motor.on.off,motor.list,nothing';
    const { text } = await file('json', asked(`convert=csv&columns=${columns}`));
    const rows: string[][] = parse(text);
    expect(rows[0]).toEqual(columns.split(','));
    expect(rows.slice(1).toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))).toEqual([
      [`"=1`, '5', 'mine', 'true', '', ''],
      [`'@`, '6.5', '', '', '[1,{"a":"b"}]', ''],
    ]);
  });

  it('are the members of flat objects in JSON, without those that a message lacks', async () => {
    const senml = await file('senml', asked('dir=asc&columns=value,name,bool_value'));
    expect(JSON.parse(senml.text)).toEqual([
      { value: -1.5, name: 'a' },
      { name: 'b' },
      { name: 'c', bool_value: false },
    ]);
    expect(senml.text).toContain('{"value":-1.5,"name":"a"}');
    const columns = 'rpm,motor.text,motor.on.off,payload.created';
    const lines = await file('json', asked(`convert=ndjson&columns=${columns}`));
    const objects = lines.text.trim().split('\n').toSorted();
    expect(objects).toEqual([
      String.raw`{"rpm":5,"motor.text":"\"=1","motor.on.off":true,"payload.created":"mine"}`,
      '{"rpm":6.5,"motor.text":"@"}',
    ]);
  });

  it('have their types in Parquet and Arrow: numbers where all are numbers', async () => {
    const columns = 'rpm,motor.text,created,motor.list';
    const parquet = await file('json', asked(`convert=parquet&columns=${columns}`));
    const types = await inDuckDb(parquet.bytes, 'a.parquet', (name) => `DESCRIBE FROM ${name}`);
    expect(types.map((row) => row.slice(0, 2))).toEqual([
      ['rpm', 'DOUBLE'],
      ['motor.text', 'VARCHAR'],
      ['created', expect.stringContaining('TIMESTAMP')],
      ['motor.list', 'VARCHAR'],
    ]);
    const arrow = await file('senml', asked('convert=arrows&columns=time,name,value&dir=asc'));
    const reader = RecordBatchReader.from(arrow.bytes).open();
    expect(reader.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'time Timestamp<NANOSECOND, UTC>',
      'name Utf8',
      'value Float64',
    ]);
  });

  it('may be the name of the thing, which no spreadsheet runs', async () => {
    const group = `publisher=${evil.id}&columns=thing_name,value`;
    const csv = await file('senml', `convert=csv&${group}`);
    expect(parse(csv.text)).toEqual([
      ['thing_name', 'value'],
      [`'${evilName}`, '7'],
    ]);
    const ndjson = await file('senml', `convert=ndjson&${group}`);
    expect(JSON.parse(ndjson.text)).toEqual({ thing_name: evilName, value: 7 });
    const ofJson = await file('json', asked('convert=ndjson&columns=thing_name'));
    expect(new Set(ofJson.text.trim().split('\n'))).toEqual(new Set(['{"thing_name":"thing"}']));
  });

  it('are those of aggregates as well', async () => {
    const hour = 'agg_type=max&agg_interval=hour';
    const csv = await file('senml', asked(`convert=csv&${hour}&columns=value,name`));
    expect(csv.text).toBe('"value","name"\n-1.5,"a"\n');
    const ofJson = asked(`${hour}&agg_field=rpm&columns=rpm,protocol`);
    expect(JSON.parse((await file('json', ofJson)).text)).toEqual([{ rpm: 6.5, protocol: 'http' }]);
  });
});

describe('the columns of a page', () => {
  const read = async (format: string, query: string): Promise<unknown> =>
    at(await call('GET', `/reader/${format}?${asked(query)}`, { as: admin }), 'messages');

  it('are the members of its messages, whatever page it is', async () => {
    expect(await read('senml', 'columns=name,value')).toEqual([
      { name: 'c' },
      { name: 'b' },
      { name: 'a', value: -1.5 },
    ]);
    expect(await read('senml', 'columns=name&latest=true')).toHaveLength(3);
    expect(await read('senml', 'columns=value&points=3&name=a')).toEqual([{ value: -1.5 }]);
    const hour = 'agg_type=count&agg_interval=hour&columns=value';
    expect(await read('senml', hour)).toEqual([{ value: 3 }]);
    const found = await read('json', 'columns=rpm,motor.text&from=-1h');
    expect(found).toEqual(expect.arrayContaining([{ rpm: 6.5, 'motor.text': '@' }]));
  });

  it('go on by a cursor, and by a search', async () => {
    const first = await call('GET', `/reader/senml?${asked('columns=name&limit=1')}`, {
      as: admin,
    });
    const next = textAt(first, 'next');
    const body = { publisher: estate.thingId, columns: 'name', limit: 5, cursor: next };
    const second = await call('POST', '/reader/senml/search', { as: admin, body });
    expect(at(second, 'messages')).toEqual([{ name: 'b' }, { name: 'a' }]);
  });
});

describe('columns that there are not', () => {
  const refused = async (path: string) => {
    const answer: Answer = await call('GET', path, { as: admin });
    return [answer.status, String(Object(json(answer)).error)];
  };

  it.each([
    [
      'senml',
      'columns=time,speed',
      'columns: speed is none of subtopic, publisher, protocol, name',
    ],
    ['senml', 'columns=created', 'columns: created is none of'],
    ['senml', 'columns=time,time', 'columns: time is named twice'],
    ['senml', 'columns=time,,name', 'columns: a name is empty'],
    [
      'json',
      `columns=${Array.from({ length: 201 }, (_, i) => i).join(',')}`,
      'columns: more than 200',
    ],
    [
      'json',
      'columns=b&agg_type=max&agg_interval=hour&agg_field=a',
      'columns: b is none of created, subtopic, publisher, protocol, payload, thing_name, a',
    ],
  ])('of %s, by %s, are refused by name', async (format, query, words) => {
    for (const path of [`/reader/${format}`, `/reader/${format}/export`]) {
      expect(await refused(`${path}?${query}`)).toEqual([400, expect.stringContaining(words)]);
    }
  });

  it('on a page: the name of the thing', async () => {
    expect(await refused('/reader/senml?columns=thing_name')).toEqual([
      400,
      'malformed entity specification: columns: only exports have thing_name',
    ]);
  });
});
