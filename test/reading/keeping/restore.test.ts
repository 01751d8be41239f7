import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLike } from '../../../api/messages/backup/statements.ts';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { newHome, run } from '../../cli/running/millrace.ts';
import { eventually } from '../../support/eventually.ts';
import { system } from '../../support/system.ts';
import { type Answer, at, call } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
} from '../../support/api/people.ts';

let admin: string;
let people: People;
let clickhouse: ClickHouseClient;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
});

afterAll(async () => {
  await people.close();
  await clickhouse.close();
});

function restore(raw: string | Buffer): Promise<Answer> {
  const headers = { 'content-type': 'application/octet-stream' };
  return call('POST', '/reader/restore', { as: admin, raw, headers });
}

function leftOut({ status, text, headers }: Answer): unknown {
  expect([status, text]).toEqual([201, '']);
  return headers['millrace-messages-left-out'];
}

async function stored(format: 'senml' | 'json', publisher: string): Promise<number> {
  const result = await clickhouse.query({
    query: `SELECT count() FROM {format:Identifier} WHERE publisher = {publisher:UUID}`,
    query_params: { format, publisher },
    format: 'TabSeparated',
  });
  return Number(await result.text());
}

/** A thing that was deleted, and whose id is known. */
async function goneThing({ profileId }: Estate): Promise<string> {
  const [thing] = await createThings(admin, profileId, [{ name: randomUUID(), type: 'device' }]);
  if (thing === undefined) throw new Error('no thing was made');
  expect((await call('DELETE', `/things/${thing.id}`, { as: admin })).status).toBe(204);
  return thing.id;
}

/** A file of the platform's older kind: of each publisher a SenML message and two of JSON. */
function older(publishers: string[]): string {
  const common = (publisher: string) => `"publisher":"${publisher}","protocol":"mqtt"`;
  const senml = publishers.map(
    (one) => `{"name":"t","time":1700000000000000000,"value":1,${common(one)}}`,
  );
  const json = publishers.flatMap((one) =>
    ['{"a":1}', '{"a":2}'].map(
      (payload) => `{"created":1700000000000000000,"payload":${payload},${common(one)}}`,
    ),
  );
  return `{"json_messages":[${json.join()}],"senml_messages":[${senml.join()}]}`;
}

async function backup(): Promise<Buffer> {
  const answer = await eventually(async () => {
    const got = await request(`${system().apiUrl}/reader/backup`, {
      headers: { authorization: admin },
    });
    expect(got.statusCode).toBe(200);
    return got;
  }, 60_000);
  return Buffer.from(await answer.body.arrayBuffer());
}

describe('a backup from when texts had dictionaries', () => {
  it('restores into a store whose texts have none', async () => {
    const estate = await createEstate(admin);
    const asTexts = (type: string) =>
      clickhouse.command({
        query: `ALTER TABLE senml MODIFY COLUMN subtopic ${type}, MODIFY COLUMN unit ${type}`,
      });
    await asTexts('LowCardinality(String)');
    let file: Buffer;
    try {
      expect(leftOut(await restore(older([estate.thingId])))).toBe('0');
      file = await backup();
    } finally {
      await asTexts('String');
    }
    await eventually(async () => {
      const path = `/reader/senml/${estate.thingId}`;
      expect((await call('DELETE', path, { as: admin })).status).toBe(204);
    }, 60_000);
    expect(await stored('senml', estate.thingId)).toBe(0);
    expect((await restore(file)).status).toBe(201);
    expect(await stored('senml', estate.thingId)).toBe(1);
  });
});

describe('the messages of a thing that is gone', () => {
  it('are left out of a restore and counted, and those of others come back', async () => {
    const estate = await createEstate(admin);
    const gone = await goneThing(estate);
    const never = randomUUID();
    const file = older([gone, estate.thingId, never]);
    expect(leftOut(await restore(file))).toBe('6');
    for (const [publisher, factor] of [
      [estate.thingId, 1],
      [gone, 0],
      [never, 0],
    ] as const) {
      expect(await stored('senml', publisher)).toBe(factor);
      expect(await stored('json', publisher)).toBe(2 * factor);
    }
    // Once more: the others are there already.
    expect(leftOut(await restore(file))).toBe('6');
    expect(await stored('json', estate.thingId)).toBe(2);
    expect(leftOut(await restore(older([estate.thingId])))).toBe('0');
  });

  it('are not shown to whoever restores a backup that has them', async () => {
    const estate = await createEstate(admin);
    expect(leftOut(await restore(older([estate.thingId])))).toBe('0');
    const file = await backup();
    for (const format of ['senml', 'json']) {
      const path = `/reader/${format}/${estate.thingId}`;
      await eventually(async () => {
        expect((await call('DELETE', path, { as: admin })).status).toBe(204);
      }, 60_000);
    }
    expect((await call('DELETE', `/things/${estate.thingId}`, { as: admin })).status).toBe(204);
    // As once its messages are erased.
    await people.rows('DELETE FROM erased_things WHERE thing_id = $1', [estate.thingId]);
    const again = [{ id: estate.thingId, name: 'another', type: 'device' }];
    const path = `/profiles/${estate.profileId}/things`;
    expect((await call('POST', path, { as: admin, body: again })).status).toBe(409);
    expect(Number(leftOut(await restore(file)))).toBeGreaterThanOrEqual(3);
    expect(await stored('senml', estate.thingId)).toBe(0);
    expect(await stored('json', estate.thingId)).toBe(0);
  });

  it('are left out as well where an interrupted restore is completed', async () => {
    const estate = await createEstate(admin);
    const gone = await goneThing(estate);
    const id = randomUUID().replaceAll('-', '');
    const table = `restore_${id}_json`;
    const meanwhile = new Client({ connectionString: system().databaseUrl });
    await meanwhile.connect();
    await meanwhile.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', ['restore']);
    await createLike(clickhouse, table, 'json');
    await clickhouse.insert({
      table,
      values: [gone, estate.thingId].map((publisher) => ({
        publisher,
        protocol: 'http',
        created: '1',
        payload: '{}',
        log: id,
      })),
      format: 'JSONEachRow',
    });
    await people.rows('INSERT INTO restores (id, formats) VALUES ($1, $2)', [id, ['json']]);
    await meanwhile.end();
    await eventually(async () => expect(await stored('json', estate.thingId)).toBe(1), 30_000);
    await eventually(async () => {
      expect(await people.rows('SELECT FROM restores WHERE id = $1', [id])).toEqual([]);
    });
    expect(await stored('json', gone)).toBe(0);
  });

  it('are reported by the client', async () => {
    const estate = await createEstate(admin);
    const home = newHome(system().apiUrl);
    writeFileSync(join(home.dir, 'file'), older([await goneThing(estate), estate.thingId]));
    const ended = await run(home, ['messages', 'restore', 'file', admin.replace('Bearer ', '')]);
    expect(ended.code).toBe(0);
    expect(ended.error).toContain('3 messages were left out: their things are gone');
  });
});

describe('a payload that was printed on several lines', () => {
  it('is stored on one, with all its digits, and read as every other', async () => {
    const { thingId } = await createEstate(admin);
    const payload = `{\r
      "large": 123456789012345678901234567890,
      "exact": 0.10,
      "text": "a\\n  b",
      "list": [
        1,
        { "deep": null }
      ]
    }`;
    const file = `{"json_messages": [
      {"created": 1700000000000000000, "publisher": "${thingId}", "protocol": "http",
       "payload": ${payload}}]}`;
    expect(leftOut(await restore(file))).toBe('0');
    const page = await call('GET', `/reader/json?publisher=${thingId}`, { as: admin });
    expect(at(page, 'messages', 0, 'payload')).toEqual(JSON.parse(payload));
    expect(page.text).toContain('123456789012345678901234567890');
    expect(page.text).toContain('0.10');
    const path = `/reader/json/export?convert=ndjson&publisher=${thingId}`;
    const lines = (await call('GET', path, { as: admin })).text.trim().split('\n');
    expect(lines.map((line) => Object(JSON.parse(line)).payload)).toEqual([JSON.parse(payload)]);
  });
});

describe('a SenML name that no device may send', () => {
  it('is refused in a file of the older kind, by its place in it', async () => {
    const { thingId } = await createEstate(admin);
    const file = older([thingId]).replace('"name":"t"', '"name":"a\\tb"');
    const answer = await restore(file);
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toContain('senml_messages.0 name must match');
    expect(await stored('json', thingId)).toBe(0);
  });

  it('that is in the store already reads back in pages that are JSON, and their cursors go on after it', async () => {
    const { thingId } = await createEstate(admin);
    const names = ['a\tb', 'a\nb', 'a\r\n\tb', '"a"', 'a\\tb', 'ä\u2028/'];
    const values = ['1', '2'].flatMap((time) =>
      names.map((name) => ({
        publisher: thingId,
        protocol: 'mqtt',
        name,
        time: `170000000000000000${time}`,
        kind: 'value',
        given: 1,
        log: thingId,
      })),
    );
    const columns: [string, ...string[]] = [
      'publisher',
      'protocol',
      'name',
      'time',
      'kind',
      'given',
      'log',
    ];
    await clickhouse.insert({ table: 'senml', columns, values, format: 'JSONEachRow' });
    const read: unknown[] = [];
    for (const first of ['', '&from=0']) {
      let cursor = '';
      for (let page = 0; page < values.length; page += 5) {
        const path = `/reader/senml?publisher=${thingId}&limit=5${first}${cursor}`;
        const answer = await call('GET', path, { as: admin });
        expect([answer.status, at(answer, 'total')]).toEqual([200, values.length]);
        const messages = at(answer, 'messages');
        if (Array.isArray(messages)) read.push(...messages.map(({ name }) => name));
        cursor = `&cursor=${String(at(answer, 'next'))}`;
      }
    }
    expect(read).toHaveLength(2 * values.length);
    for (const name of names) expect(read.filter((one) => one === name)).toHaveLength(4);
  });
});
