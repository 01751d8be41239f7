import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Header,
  type Piece,
  writeEnd,
  writeHead,
  writePieceHead,
} from '../../../api/messages/backup/format.ts';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../../infra/runtime/stores/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { system } from '../../support/system.ts';
import { at, call, textAt } from '../../support/api/http.ts';
import { inParallel } from '../../support/api/parallel.ts';
import { createEstate, type Estate, loginAdmin, People } from '../../support/api/people.ts';

const columns = {
  senml:
    'publisher, subtopic, protocol, name, unit, time, kind, scale, mantissa, exact, text, sum, update_time, log, batch',
  json: 'publisher, subtopic, protocol, created, payload, log, batch',
} as const;
type Format = keyof typeof columns;
/** As long as messages may take from an edge to the store. */
const storedMsMax = 60_000;
const formats: Format[] = ['senml', 'json'];

let admin: string;
let one: Estate;
let other: Estate;
let clickhouse: ClickHouseClient;

beforeAll(async () => {
  admin = await loginAdmin();
  one = await createEstate(admin);
  other = await createEstate(admin);
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
});

afterAll(() => clickhouse.close());

beforeEach(wipe);

async function wipe(): Promise<void> {
  const deleting = formats.map((format) =>
    // 503: an edge still holds messages; it says when to come again.
    eventually(async () => {
      expect((await call('DELETE', `/reader/${format}`, { as: admin })).status).toBe(204);
    }, storedMsMax),
  );
  await Promise.all(deleting);
}

async function publish(key: string, type: string, body: unknown): Promise<void> {
  const headers = { 'content-type': type };
  const answer = await call('POST', '/http/messages/of/ours', {
    as: `Thing ${key}`,
    body,
    headers,
  });
  expect(answer.status).toBe(202);
}

const record = [{ n: 'a', u: 'Cel', t: 1_700_000_000, v: 20.25 }];

/** Messages of both formats and every kind of value, some of them equal. */
async function publishSome({ key }: Estate): Promise<void> {
  const kinds = [
    { bn: 'k:', bt: 1_700_000_000, n: 'number', v: -0.1, s: 1e300 },
    { n: 'text', vs: 'ü\n"\\' },
    { n: 'bool', vb: true, ut: 60 },
    { n: 'data', vd: 'AQI' },
    { n: 'old', t: -1_690_000_000, v: 9_007_199_254_740_994 },
  ];
  await Promise.all([
    publish(key, 'application/senml+json', kinds),
    publish(key, 'application/senml+json', [...record, ...record]),
    publish(key, 'application/json', [
      { a: { b: [1, null] } },
      { a: 12_345_678_901_234_567_890n.toString() },
    ]),
  ]);
}

async function rowsOf<Row>(query: string): Promise<Row[]> {
  const result = await clickhouse.query({ query, format: 'JSONEachRow' });
  return result.json<Row>();
}

/** How many rows the store has, and what they are, identity and all. */
async function stored(where = 'true'): Promise<Record<string, unknown>> {
  const parts = formats.map(
    (format) =>
      `(SELECT (count(), sum(sipHash64(toString(tuple(${columns[format]}))))) FROM ${format} WHERE ${where}) AS ${format}`,
  );
  const [row] = await rowsOf<Record<string, unknown>>(`SELECT ${parts.join(', ')}`);
  return row ?? {};
}

async function backup(): Promise<Buffer> {
  return eventually(tryBackup, storedMsMax);
}

async function tryBackup(): Promise<Buffer> {
  const answer = await request(`${system().apiUrl}/reader/backup`, {
    headers: { authorization: admin },
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('application/octet-stream');
  expect(answer.headers['content-disposition']).toMatch(
    /^attachment; filename="messages-[\d-]+\.backup"$/,
  );
  return Buffer.from(await answer.body.arrayBuffer());
}

function restore(file: Buffer | string, type = 'application/octet-stream', as = admin) {
  return call('POST', '/reader/restore', { as, raw: file, headers: { 'content-type': type } });
}

async function mustRestore(file: Buffer | string, type?: string): Promise<void> {
  const answer = await restore(file, type);
  expect([answer.status, answer.text]).toEqual([201, '']);
}

async function leftTables(): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    `SELECT name FROM system.tables WHERE match(name, '^(backup|restore)_') AND database = currentDatabase()`,
  );
  return rows.map(({ name }) => name);
}

/** A file of these pieces whose checksum fits. */
function forge(header: Header, pieces: Piece[]): Buffer {
  const bytes = Buffer.concat([
    writeHead(header),
    ...pieces.flatMap((piece) => [writePieceHead(piece), piece.data]),
    writeEnd(),
  ]);
  return Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]);
}

/** The header of a good file, and where its pieces begin. */
function headerOf(file: Buffer): Header {
  return JSON.parse(file.toString('utf8').split('\n')[1] ?? '');
}

describe('a backup', () => {
  it('brings back, after everything was deleted, exactly what there was', async () => {
    await publishSome(one);
    await publishSome(other);
    const file = await backup();
    const before = await stored();
    expect(before).toMatchObject({ senml: [14, expect.anything()], json: [4, expect.anything()] });
    expect(headerOf(file).counts).toEqual({ senml: 14, json: 4 });
    await wipe();
    expect((await stored())['senml']).toEqual([0, 0]);
    await mustRestore(file);
    expect(await stored()).toEqual(before);
  });

  it('restored once more adds nothing', async () => {
    await publishSome(one);
    const file = await backup();
    const before = await stored();
    await mustRestore(file);
    await mustRestore(file);
    expect(await stored()).toEqual(before);
    expect(await leftTables()).toEqual([]);
  });

  it('of payloads as long as messages may be, in many partitions, restores as well', async () => {
    await clickhouse.command({
      query: `INSERT INTO json (publisher, protocol, created, payload, log, batch)
              SELECT {id:UUID}, 'http', (number % 99 * 31557600 + 946684800) * 1000000000,
                     concat('{"a":"', repeat(toString(number), 200000), '"}'), 'long', number
              FROM numbers(600)`,
      query_params: { id: one.thingId },
      clickhouse_settings: { max_partitions_per_insert_block: '0', max_block_size: '20' },
    });
    const before = await stored();
    const file = await backup();
    await wipe();
    await mustRestore(file);
    expect(await stored()).toEqual(before);
  });

  it('keeps two equal records that were both acknowledged, in one message or in two', async () => {
    await publish(one.key, 'application/senml+json', [...record, ...record]);
    await publish(one.key, 'application/senml+json', record);
    const file = await backup();
    await wipe();
    await mustRestore(file);
    await mustRestore(file);
    expect((await stored())['senml']).toMatchObject([3, expect.anything()]);
  });

  it('brings back one of two equal records where one is gone', async () => {
    await publish(one.key, 'application/senml+json', [...record, ...record]);
    const file = await backup();
    const before = await stored();
    await clickhouse.command({
      query: `CREATE TABLE twin ENGINE = Memory AS SELECT ${columns.senml} FROM senml LIMIT 1`,
    });
    await wipe();
    await clickhouse.command({
      query: `INSERT INTO senml (${columns.senml}) SELECT ${columns.senml} FROM twin`,
    });
    await clickhouse.command({ query: 'DROP TABLE twin SYNC' });
    await mustRestore(file);
    expect(await stored()).toEqual(before);
  });

  it('brings back what was deleted of one thing, and touches nothing else', async () => {
    await publishSome(one);
    await publishSome(other);
    const file = await backup();
    const before = await stored();
    for (const format of formats) {
      await call('DELETE', `/reader/${format}/${one.thingId}`, { as: admin });
    }
    await publish(other.key, 'application/senml+json', [{ n: 'later', v: 1 }]);
    await mustRestore(file);
    await eventually(async () => {
      expect(await stored(`publisher = '${one.thingId}'`)).not.toMatchObject({ senml: [0, 0] });
    });
    const later = `publisher = '${other.thingId}' AND name = 'later'`;
    await eventually(async () => (await rowsOf(`SELECT 1 FROM senml WHERE ${later}`)).length === 1);
    await clickhouse.command({
      query: `DELETE FROM ${onShards(clickhouse.cluster, 'senml')} WHERE ${later}`,
    });
    expect(await stored()).toEqual(before);
  });

  it('does not stand in the way of the same record acknowledged anew', async () => {
    await publish(one.key, 'application/senml+json', record);
    const file = await backup();
    await wipe();
    await publish(one.key, 'application/senml+json', record);
    await mustRestore(file);
    await eventually(async () => {
      const path = `/reader/senml?publisher=${one.thingId}`;
      expect(at(await call('GET', path, { as: admin }), 'total')).toBe(2);
    });
  });

  it('of an empty store restores as well', async () => {
    const file = await backup();
    expect(headerOf(file).counts).toEqual({ senml: 0, json: 0 });
    await mustRestore(file);
    expect(await stored()).toMatchObject({ senml: [0, 0], json: [0, 0] });
  });

  it('holds all that was acknowledged before, while more and more arrives, and so does a restore', async () => {
    await publishSome(one);
    let stop = false;
    let sent = 0;
    const stream = (async () => {
      while (!stop) {
        await publish(other.key, 'application/senml+json', [{ n: 'live', v: sent }]);
        sent += 1;
      }
    })();
    await eventually(() => sent > 5);
    const atLeast = sent;
    const file = await backup();
    expect(headerOf(file).counts.senml).toBeGreaterThanOrEqual(7 + atLeast);
    await call('DELETE', `/reader/senml/${one.thingId}`, { as: admin });
    await mustRestore(file);
    stop = true;
    await stream;
    await eventually(async () => {
      const [row] = await rowsOf<{ live: number; once: number }>(
        `SELECT countIf(name = 'live') AS live, uniqExactIf(value, name = 'live') AS once FROM senml`,
      );
      expect([Number(row?.live), Number(row?.once)]).toEqual([sent, sent]);
    });
    expect(await stored(`publisher = '${one.thingId}'`)).toMatchObject({
      senml: [7, expect.anything()],
    });
  });

  it('is dropped when its client leaves', async () => {
    await publishSome(one);
    const leaving = new AbortController();
    const answer = await request(`${system().apiUrl}/reader/backup`, {
      headers: { authorization: admin },
      signal: leaving.signal,
    });
    answer.body.on('error', () => undefined);
    leaving.abort();
    await eventually(async () => expect(await leftTables()).toEqual([]));
  });

  it('is the platform admin’s alone, and so is restoring', async () => {
    const people = new People();
    const owner = await people.register();
    expect((await call('GET', '/reader/backup', { as: owner.as })).status).toBe(403);
    expect((await restore('{}', 'application/json', owner.as)).status).toBe(403);
    expect((await call('GET', '/reader/backup', { as: `Thing ${one.key}` })).status).toBe(401);
    expect((await call('GET', '/reader/backup')).status).toBe(401);
    await people.close();
  });
});

describe('a file that is no whole backup', () => {
  /** Every one is refused with a reason, and nothing changes. */
  async function mustAllBeRefused(
    files: [what: string, file: Buffer][],
    atOnce = 1,
  ): Promise<void> {
    const before = await stored();
    const taken: string[] = [];
    await inParallel(atOnce, files, async ([what, file]) => {
      const { status, text } = await restore(file);
      if (status !== 400 || !/^\{"error":"malformed entity specification: the file: ./.test(text)) {
        taken.push(`${what}: ${status} ${text}`);
      }
    });
    expect(taken).toEqual([]);
    expect(await stored()).toEqual(before);
    expect(await leftTables()).toEqual([]);
  }

  async function goodFile(): Promise<Buffer> {
    await publishSome(one);
    const file = await backup();
    await wipe();
    return file;
  }

  it('is refused wherever a bit is flipped, and wherever it is cut', async () => {
    const file = await goodFile();
    const flips = Array.from({ length: 700 }, (_, i): [string, Buffer] => {
      const place = Math.floor((i * file.length) / 700);
      const flipped = Buffer.from(file);
      flipped.writeUInt8(flipped.readUInt8(place) ^ (1 << (i % 8)), place);
      return [`flipped at ${place}`, flipped];
    });
    const cuts = Array.from({ length: 250 }, (_, i): [string, Buffer] => {
      const bytes = Math.floor((i * file.length) / 250);
      return [`cut to ${bytes}`, file.subarray(0, bytes)];
    });
    await mustAllBeRefused([...flips, ...cuts], 8);
  });

  it('is refused if it is of another kind or version, or goes on', async () => {
    const file = await goodFile();
    const another = Buffer.from(file);
    another.write('2', 'millrace-backup '.length);
    await mustAllBeRefused([
      ['nothing', Buffer.alloc(0)],
      ['another version', another],
      ['twice', Buffer.concat([file, file])],
      ['a byte more', Buffer.concat([file, Buffer.from('\n')])],
      ['packed', gzipSync(file)],
      ['noise', randomBytes(100_000)],
      ['zeros', Buffer.alloc(1_000_000)],
      ['an executable', Buffer.from('\x7fELF\x02\x01\x01')],
      ['a ZIP', Buffer.from('PK\x03\x04')],
      ['a Parquet', Buffer.from('PAR1')],
      ['a CSV', Buffer.from('"subtopic","publisher"\n')],
      [
        'a line without end',
        Buffer.concat([Buffer.from('millrace-backup 1\n'), Buffer.alloc(5_000_000, 'x')]),
      ],
    ]);
  });

  it('is refused if it holds other messages than it says, though its checksum fits', async () => {
    const file = await goodFile();
    const header = headerOf(file);
    const [senml, json] = readPieces(file);
    if (senml === undefined || json === undefined) throw new Error('no pieces');
    const counts = (senmls: number, jsons: number) => ({
      ...header,
      counts: { senml: senmls, json: jsons },
    });
    const typed = structuredClone(header);
    typed.columns.senml['time'] = 'UInt64';
    const foreign = structuredClone(header);
    foreign.columns.json['version()'] = 'String';
    const nameless = structuredClone(header);
    delete nameless.columns.json['log'];
    await mustAllBeRefused([
      ['fewer counted', forge(counts(6, 2), [senml, json])],
      ['more counted', forge(counts(8, 2), [senml, json])],
      ['a piece missing', forge(header, [senml])],
      ['a piece twice', forge(counts(14, 2), [senml, { ...senml, rows: 7 }, json].slice(1))],
      ['fewer rows than it says', forge(counts(8, 2), [{ ...senml, rows: 8 }, json])],
      ['more rows than it says', forge(counts(6, 2), [{ ...senml, rows: 6 }, json])],
      ['of the other format', forge(counts(0, 7), [{ ...senml, format: 'json' }])],
      ['another type', forge(typed, [senml, json])],
      ['a foreign column', forge(foreign, [senml, json])],
      ['no identity', forge(nameless, [senml, json])],
      [
        'no Native',
        forge(header, [{ ...senml, data: zstdCompressSync(Buffer.from('no')), rawBytes: 2 }, json]),
      ],
      ['not packed', forge(header, [{ ...senml, data: Buffer.from('no') }, json])],
    ]);
  });

  it('is refused if it unpacks to more than it says', async () => {
    const file = await goodFile();
    const header = headerOf(file);
    const [senml, json] = readPieces(file);
    if (senml === undefined || json === undefined) throw new Error('no pieces');
    const zeros = zstdCompressSync(Buffer.alloc(60_000_000));
    await mustAllBeRefused([
      ['a bomb', forge(header, [{ ...senml, data: zeros }, json])],
      [
        'a bomb that says so',
        forge(header, [{ ...senml, data: zeros, rawBytes: 60_000_000 }, json]),
      ],
      [
        'one larger than a piece',
        forge(header, [{ ...senml, data: zeros, rawBytes: 4_000_000_000 }, json]),
      ],
      ['many rows in one', forge(header, [await manyRows(), json])],
    ]);
  });

  /** A piece of a million rows that says it has seven. */
  async function manyRows(): Promise<Piece> {
    const { stream } = await clickhouse.exec({
      query: `SELECT generateUUIDv4() AS publisher, toInt64(0) AS time FROM numbers(1000000) FORMAT Native`,
    });
    const raw = await buffer(stream);
    return { format: 'senml', rows: 7, rawBytes: raw.length, data: zstdCompressSync(raw) };
  }

  it('is refused with 415 under any other content type', async () => {
    expect((await restore('a,b', 'text/csv')).status).toBe(415);
  });
});

/** The pieces of a good file. */
function readPieces(file: Buffer): Piece[] {
  const pieces: Piece[] = [];
  let place = file.indexOf('\n', file.indexOf('\n') + 1) + 1;
  while (file.toString('latin1', place, place + 1) !== 'E') {
    const format = file.toString('latin1', place, place + 1) === 'S' ? 'senml' : 'json';
    const [rows, rawBytes, bytes] = [1, 5, 9].map((offset) => file.readUInt32BE(place + offset));
    place += 13 + Number(bytes);
    const data = file.subarray(place - Number(bytes), place);
    pieces.push({ format, rows: Number(rows), rawBytes: Number(rawBytes), data });
  }
  return pieces;
}

describe('a file of the platform’s older kind', () => {
  const time = 1_700_000_000_123_456_789n;
  const older = (publisher: string) => {
    const senml = (more: string) =>
      `{"name":"t","protocol":"mqtt","publisher":"${publisher}","time":${time},${more}}`;
    return `{"json_messages":[{"created":${time},"payload":{"a":{"b":"\\u003cx\\u003e"},"n":100000000000000000000,"\\"]}":1},
        "protocol":"http","publisher":"${publisher}","subtopic":"a.b"}],
      "senml_messages":[${[
        senml('"value":21.35,"unit":"Cel","subtopic":"x"'),
        senml('"value":21.35,"unit":"Cel","subtopic":"x"'),
        senml('"value":null,"string_value":"a\\\\\\"}]"'),
        senml('"value":null,"bool_value":false,"update_time":5'),
        senml('"value":null,"data_value":"AQI=","sum":2.5'),
        senml('"value":null,"sum":0'),
      ].join(',\n')}]}\n`;
  };

  it('restores with every value and the whole time, under either content type', async () => {
    await mustRestore(older(one.thingId), 'application/json');
    await mustRestore(older(other.thingId));
    for (const id of [one.thingId, other.thingId]) {
      const page = await call('GET', `/reader/senml?publisher=${id}&dir=asc`, { as: admin });
      expect(at(page, 'total')).toBe(6);
      expect(page.text).toContain('"time":1700000000.123456789');
      const messages: Record<string, unknown>[] = Object(JSON.parse(page.text)).messages;
      const values = messages.map(({ publisher, protocol, name, time: _time, ...rest }) => {
        expect([publisher, protocol, name]).toEqual([id, 'mqtt', 't']);
        return rest;
      });
      const byText = (all: unknown[]) => all.map((value) => JSON.stringify(value)).toSorted();
      expect(byText(values)).toEqual(
        byText([
          { subtopic: 'x', unit: 'Cel', value: 21.35 },
          { subtopic: 'x', unit: 'Cel', value: 21.35 },
          { string_value: 'a\\"}]' },
          { bool_value: false, update_time: 5 },
          { data_value: 'AQI=', sum: 2.5 },
          { sum: 0 },
        ]),
      );
      const json = await call('GET', `/reader/json?publisher=${id}`, { as: admin });
      expect(json.text).toContain(String(time));
      expect(json.text).toContain('"n":100000000000000000000');
      expect(at(json, 'messages', 0, 'payload', 'a', 'b')).toBe('<x>');
      expect(textAt(json, 'messages', 0, 'subtopic')).toBe('a.b');
    }
  });

  it('restored once more adds nothing, and another file adds its own', async () => {
    await mustRestore(older(one.thingId));
    const before = await stored();
    await mustRestore(older(one.thingId));
    expect(await stored()).toEqual(before);
    await mustRestore(`${older(one.thingId)} `);
    expect(await stored()).toMatchObject({
      senml: [12, expect.anything()],
      json: [2, expect.anything()],
    });
  });

  it('comes out of a backup again as it was', async () => {
    await mustRestore(older(one.thingId));
    const [before, file] = [await stored(), await backup()];
    await wipe();
    await mustRestore(file);
    expect(await stored()).toEqual(before);
  });

  it('may have an empty list, or only one', async () => {
    await mustRestore('{"json_messages":[],"senml_messages":[]}', 'application/json');
    await mustRestore('{"senml_messages":[]}', 'application/json');
    await mustRestore(
      older(one.thingId).replace(/"senml_messages":\[[^]*\]\}/, '"senml_messages":[]}'),
    );
    expect(await stored()).toMatchObject({ senml: [0, 0], json: [1, expect.anything()] });
  });

  it('is refused, and named where it is wrong, if it is anything else', async () => {
    const good = older(randomUUID());
    const before = await stored();
    const wrong: [file: string | Buffer, reason: string][] = [
      ['{}', 'there is none'],
      ['{"messages":[]}', 'no list of messages'],
      ['{"senml_messages":[],"senml_messages":[]}', 'no list of messages'],
      ['{"senml_messages":{}}', 'there is none'],
      ['{"senml_messages":[1]}', 'senml_messages.0 is no object'],
      ['{"senml_messages":[{}]}', 'senml_messages.0'],
      ['{"senml_messages":[{"a" 1}]}', 'senml_messages.0 is not JSON'],
      [`${good}x`, 'goes on after its end'],
      [good.slice(0, -10), 'cut off'],
      [good.slice(0, 200), 'cut off'],
      [
        good.replace('"time":1700000000123456789', '"time":"1700000000123456789"'),
        'senml_messages.0 time',
      ],
      [good.replace('"time":1700000000123456789', '"time":1.5'), 'senml_messages.0 time'],
      [
        good.replace('"time":1700000000123456789', '"time":99700000000123456789'),
        'senml_messages.0 time',
      ],
      [good.replace('"time":1700000000123456789', '"time":1.7e18'), 'can not read'],
      [good.replace('"payload":{"a"', '"payload":[],"b":{"a"'), 'json_messages.0'],
      [good.replace('"protocol":"http"', '"protocol":"http","channel":"x"'), 'json_messages.0'],
      [good.replace('"protocol":"http"', '"protocol":"http","batch":1'), 'json_messages.0'],
      [good.replace('"sum":2.5', '"sum":1e999'), 'senml_messages.4 sum'],
      [good.replace('"value":null,"sum":0', '"value":1,"bool_value":true'), 'more than one value'],
      [good.replace(/"publisher":"[^"]*"/, '"publisher":"me"'), 'json_messages.0 publisher'],
      [good.replace('"protocol":"http"', '"protocol":"http","protocol":"mqtt"'), 'can not read'],
      [
        Buffer.concat([
          Buffer.from(good.slice(0, 80)),
          Buffer.from([0xff]),
          Buffer.from(good.slice(80)),
        ]),
        'not UTF-8',
      ],
    ];
    for (const [file, reason] of wrong) {
      const answer = await restore(file, 'application/json');
      expect([answer.status, answer.text], reason).toEqual([400, expect.stringContaining(reason)]);
    }
    expect(await stored()).toEqual(before);
    expect(await leftTables()).toEqual([]);
  });
});
