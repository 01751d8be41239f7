import { randomUUID } from 'node:crypto';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { system } from '../system.ts';
import { at, call, json } from './http.ts';
import { createEstate, type Estate, loginAdmin, People } from './people.ts';

let admin: string;
let estate: Estate;
let other: Estate;

const evil = '=HYPERLINK("http://x","y")';

async function publish(key: string, type: string, body: unknown): Promise<void> {
  const answer = await call('POST', '/http/messages', {
    as: `Thing ${key}`,
    body,
    headers: { 'content-type': type },
  });
  expect(answer.status).toBe(202);
}

async function total(format: 'senml' | 'json', publisher: string): Promise<number> {
  const path = `/reader/${format}?publisher=${publisher}`;
  return Number(at(await call('GET', path, { as: admin }), 'total'));
}

beforeAll(async () => {
  admin = await loginAdmin();
  estate = await createEstate(admin);
  other = await createEstate(admin);
  await publish(estate.key, 'application/senml+json', [
    { bn: 'dev:', bt: 1_700_000_000, n: 'a', u: 'Cel', v: -1.5 },
    { n: 'b', t: 0.123456789, vs: evil, s: 2.5, ut: 60 },
    { n: 'c', t: 1, vb: false },
    { n: 'd', t: 2, vd: '-w' },
  ]);
  await publish(estate.key, 'application/json', [
    {
      name: 'x',
      value: 12_345_678_901_234_567_890n.toString(),
      deep: { a: [1, { b: 2 }], c: null },
    },
    { name: '+1', flag: true, n: 1e-7 },
  ]);
  await publish(other.key, 'application/senml+json', [{ n: 'foreign', v: 1 }]);
  await eventually(async () => (await total('senml', estate.thingId)) === 4, 20_000);
  await eventually(async () => (await total('json', estate.thingId)) === 2, 20_000);
  await eventually(async () => (await total('senml', other.thingId)) === 1, 20_000);
});

/** The bytes of an export, as they came. */
async function download(path: string, headers: Record<string, string> = {}) {
  const answer = await request(`${system().apiUrl}${path}`, {
    headers: { authorization: admin, ...headers },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return {
    status: answer.statusCode,
    headers: answer.headers,
    bytes,
    text: bytes.toString('utf8'),
  };
}

const mine = () => `publisher=${estate.thingId}`;

describe('GET /reader/<format>/export', () => {
  it('is JSON unless asked otherwise: the messages as the reader gives them', async () => {
    for (const format of ['senml', 'json'] as const) {
      const file = await download(`/svcthings/reader/${format}/export?${mine()}&dir=asc`);
      expect(file.status).toBe(200);
      expect(file.headers['content-type']).toBe('application/json');
      const name = `attachment; filename="messages-${format}.json"`;
      expect(file.headers['content-disposition']).toBe(name);
      const page = await call('GET', `/reader/${format}?${mine()}&dir=asc`, { as: admin });
      const read: unknown[] = Object(json(page)).messages;
      const byText = (all: unknown[]) => all.map((one) => JSON.stringify(one)).toSorted();
      expect(byText(JSON.parse(file.text))).toEqual(byText(read));
    }
  });

  it('is CSV with the columns of the contract, and no cell a spreadsheet would run', async () => {
    const file = await download(`/reader/senml/export?${mine()}&convert=csv&dir=asc`);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    const id = estate.thingId;
    expect(file.text).toBe(
      [
        '"subtopic","publisher","protocol","name","unit","value","string_value","bool_value","data_value","sum","time","update_time"',
        `"","${id}","http","dev:a","Cel",-1.5,,,,,1700000000,`,
        `"","${id}","http","dev:b","",,"'=HYPERLINK(""http://x"",""y"")",,,2.5,1700000000.123456789,60`,
        `"","${id}","http","dev:c","",,,false,,,1700000001,`,
        `"","${id}","http","dev:d","",,,,"'-w",,1700000002,`,
        '',
      ].join('\n'),
    );
  });

  it('has a column for each path of the payloads in a CSV of JSON messages', async () => {
    const file = await download(`/reader/json/export?${mine()}&convert=csv`);
    const [head, ...rows] = file.text.trimEnd().split('\n');
    expect(head).toBe(
      '"created","subtopic","publisher","protocol","deep.a","flag","n","name","value"',
    );
    const cells = rows.map((row) => row.split(`"${estate.thingId}","http",`)[1] ?? '');
    expect(new Set(cells)).toEqual(
      new Set([`,"true","1e-7","'+1",`, `"[1,{""b"":2}]",,,"x","12345678901234567890"`]),
    );
  });

  it('as CSV is its header alone where nothing matches', async () => {
    const none = `publisher=${estate.thingId}&from=1&to=2&convert=csv`;
    for (const format of ['json', 'senml']) {
      const file = await call('GET', `/reader/${format}/export?${none}`, { as: admin });
      expect(file.status).toBe(200);
      expect(file.text).toMatch(/^"(created|subtopic)","[^\n]*\n$/);
    }
  });

  it('takes whatever a payload names its members', async () => {
    const odd = await createEstate(admin);
    const payload = {
      protocol: 'x',
      publisher: 1,
      created: 'now',
      '': 'empty',
      '=a': '=b',
      'back`tick\\"': '{p0:String}',
      a: { 'b.c': 1, d: [] },
      z: true,
      [`${'deep.'.repeat(40)}end`]: 1,
    };
    await publish(odd.key, 'application/json', [payload]);
    await eventually(async () => (await total('json', odd.thingId)) === 1, 20_000);
    const file = await download(`/reader/json/export?publisher=${odd.thingId}&convert=csv`);
    expect(file.status).toBe(200);
    const [head = '', row = '', rest] = file.text.split('\n');
    expect(rest).toBe('');
    for (const name of [`"'=a"`, '"a.b.c"', '"z"', 'back`tick']) expect(head).toContain(name);
    for (const cell of [`"'=b"`, '"{p0:String}"', '"true"', '"empty"']) {
      expect(row).toContain(cell);
    }
    const path = `/reader/json?publisher=${odd.thingId}&filter=a.b.c`;
    expect(at(await call('GET', path, { as: admin }), 'total')).toBe(1);
  });

  it('is of the first type that a client names, and JSON for one that names none of ours', async () => {
    const typeOf = async (accept: string) =>
      (await download(`/reader/senml/export?${mine()}`, { accept })).headers['content-type'];
    expect(await typeOf('application/json, text/csv;q=0.1')).toBe('application/json');
    expect(await typeOf('text/html, text/csv')).toBe('text/csv; charset=utf-8');
    expect(await typeOf('text/csv;q=0')).toBe('application/json');
    expect(await typeOf('*/*')).toBe('application/json');
  });

  it('is NDJSON, Parquet and Arrow as well, by name or by Accept', async () => {
    const ndjson = await download(`/reader/senml/export?${mine()}`, {
      accept: 'application/x-ndjson',
    });
    expect(
      ndjson.text
        .trimEnd()
        .split('\n')
        .map((line) => Object(JSON.parse(line)).name),
    ).toHaveLength(4);
    const parquet = await download(`/reader/senml/export?${mine()}&convert=parquet`);
    expect(parquet.headers['content-type']).toBe('application/vnd.apache.parquet');
    expect(parquet.bytes.subarray(0, 4).toString()).toBe('PAR1');
    expect(parquet.bytes.subarray(-4).toString()).toBe('PAR1');
    const arrow = await download(`/reader/senml/export?${mine()}&convert=arrow`);
    expect(arrow.headers['content-type']).toBe('application/vnd.apache.arrow.stream');
    expect(arrow.bytes.readInt32LE(0)).toBe(-1);
    expect((await download('/reader/senml/export?convert=xml')).status).toBe(400);
  });

  it('is compressed where a client asks for it', async () => {
    const path = `/reader/senml/export?${mine()}&convert=csv`;
    const plain = await download(path);
    const gzip = await download(path, { 'accept-encoding': 'gzip, deflate' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
    const zstd = await download(path, { 'accept-encoding': 'zstd;q=1, gzip;q=0' });
    expect(zstd.headers['content-encoding']).toBe('zstd');
    expect(zstdDecompressSync(zstd.bytes)).toEqual(plain.bytes);
  });

  it('ends at the reach of who asks, and holds what the filters leave', async () => {
    const people = new People();
    const viewer = await people.member('group', estate.groupId, 'viewer');
    const all = await call('GET', '/reader/senml/export', { as: viewer.as });
    expect(JSON.parse(all.text)).toHaveLength(4);
    expect(
      (await call('GET', `/reader/senml/export?publisher=${other.thingId}`, { as: viewer.as }))
        .status,
    ).toBe(403);
    const thing = await call('GET', '/reader/senml/export?v=-2&comparator=ge', {
      as: `Thing ${estate.key}`,
    });
    expect(JSON.parse(thing.text)).toEqual([expect.objectContaining({ name: 'dev:a' })]);
    const outsider = await people.register();
    expect((await call('GET', '/reader/json/export', { as: outsider.as })).text.trim()).toBe('[]');
    await people.close();
  });
});

describe('DELETE /reader/<format>', () => {
  it('removes a range of a publisher, its ends included, and nothing else', async () => {
    const path = `/svcthings/reader/senml/${estate.thingId}`;
    const from = '1700000000123456789';
    const to = '1700000001000000000';
    const answer = await call('DELETE', `${path}?from=${from}&to=${to}`, { as: admin });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const left = await call('GET', `/reader/senml?${mine()}&dir=asc`, { as: admin });
    const names: unknown[] = Object(json(left)).messages.map((one: unknown) => Object(one).name);
    expect(names).toEqual(['dev:a', 'dev:d']);
    expect(await total('senml', other.thingId)).toBe(1);
    const again = await call('DELETE', `${path}?from=${from}&to=${to}`, { as: admin });
    expect(again.status).toBe(204);
  });

  it('takes an admin of the group', async () => {
    const people = new People();
    const editor = await people.member('group', other.groupId, 'editor');
    const groupAdmin = await people.member('group', other.groupId, 'admin');
    const path = `/reader/senml/${other.thingId}`;
    expect((await call('DELETE', path)).status).toBe(401);
    expect((await call('DELETE', path, { as: editor.as })).status).toBe(403);
    expect((await call('DELETE', '/reader/senml', { as: editor.as })).status).toBe(204);
    expect(await total('senml', other.thingId)).toBe(1);
    expect((await call('DELETE', `/reader/senml/${randomUUID()}`, { as: admin })).status).toBe(404);
    expect((await call('DELETE', '/reader/senml', { as: groupAdmin.as })).status).toBe(204);
    expect(await total('senml', other.thingId)).toBe(0);
    expect(await total('senml', estate.thingId)).toBe(2);
    await people.close();
  });

  it('of a thing is its own', async () => {
    expect((await call('DELETE', '/reader/json', { as: `Thing ${other.key}` })).status).toBe(204);
    expect(await total('json', estate.thingId)).toBe(2);
    expect((await call('DELETE', '/reader/json', { as: `Thing ${estate.key}` })).status).toBe(204);
    expect(await total('json', estate.thingId)).toBe(0);
    expect(await total('senml', estate.thingId)).toBe(2);
  });
});
