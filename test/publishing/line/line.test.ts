import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/api/http.ts';
import { loginAdmin } from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { Fleet, type Thing } from '../../support/fleet.ts';
import { system } from '../../support/system.ts';
import { openReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { errorOf, write } from './write.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Writes as the thing. */
const send = (
  thing: Thing,
  body: string | Uint8Array,
  query = '',
  headers: Record<string, string> = {},
) =>
  write(`${system().ingestUrl}/write?db=any${query}`, body, {
    authorization: `Token ${thing.key}`,
    ...headers,
  });

/** Records that are stored of a thing, once there are so many. */
async function stored(thing: Thing, count: number) {
  await eventually(async () => (await fleet.stored(thing.id)) >= count);
  return fleet.readSenml(thing.id);
}

async function sendAndRead(body: string | Uint8Array, count: number, query = '', config = {}) {
  const thing = await fleet.thing(config);
  expect(await send(thing, body, query)).toMatchObject({ status: 204, text: '' });
  return (await stored(thing, count)).map(({ publisher, ...record }) => {
    expect(publisher).toBe(thing.id);
    return record;
  });
}

describe('line protocol', () => {
  it('is stored as records of the thing: measurement and field, tags, value and time', async () => {
    const at = 1_700_000_000;
    const lines = [
      `weather,room=hall,unit=Cel,floor=2 temperature=21.5,open=t,state="calm" ${at}000000000`,
      `weather,room=hall,unit=Cel,floor=2 value=-3i ${at}500000000`,
      `noise value=4.25 ${at + 1}250000000`,
    ];
    const common = { protocol: 'line', subtopic: 'floor=2.room=hall', unit: 'Cel' };
    const records = await sendAndRead(lines.join('\n'), 5);
    expect(records).toHaveLength(5);
    expect(records).toEqual(
      expect.arrayContaining([
        { ...common, name: 'weather.temperature', time: at, value: 21.5 },
        { ...common, name: 'weather.open', time: at, bool_value: true },
        { ...common, name: 'weather.state', time: at, string_value: 'calm' },
        { ...common, name: 'weather', time: at + 0.5, value: -3 },
        { protocol: 'line', name: 'noise', time: at + 1.25, value: 4.25 },
      ]),
    );
  });

  it('keeps names and texts with escapes, quotes and other alphabets', async () => {
    const lines = String.raw`
# what Home Assistant calls its measurements
°C,entity_id=living\ room,domain=sensor value=21.5,friendly\ name="The \"big\" room\\hall" 1700000000000000000
my\,name,a\=b=x\,y.z v\,1=1i 1700000000000000000
text s="two
lines, a=b" 1700000000000000000`;
    const records = await sendAndRead(lines, 4);
    const facts = records.map(({ name, subtopic, value, string_value: text }) => [
      name,
      subtopic ?? '',
      value ?? text,
    ]);
    expect(new Set(facts)).toEqual(
      new Set([
        ['°C', 'domain=sensor.entity_id=living%20room', 21.5],
        [
          '°C.friendly name',
          'domain=sensor.entity_id=living%20room',
          String.raw`The "big" room\hall`,
        ],
        ['my,name.v,1', 'a%3Db=x,y%2Ez', 1],
        ['text.s', '', 'two\nlines, a=b'],
      ]),
    );
  });

  it.each([
    ['', '1700000000123456789', 1_700_000_000.1234567],
    ['n', '1700000000123456789', 1_700_000_000.1234567],
    ['ns', '1700000000123456789', 1_700_000_000.1234567],
    ['u', '1700000000123456', 1_700_000_000.123456],
    ['us', '1700000000123456', 1_700_000_000.123456],
    ['µ', '1700000000123456', 1_700_000_000.123456],
    ['ms', '1700000000123', 1_700_000_000.123],
    ['s', '1700000000', 1_700_000_000],
    ['m', '28333333', 1_699_999_980],
    ['h', '472222', 1_699_999_200],
    ['ms', '-1500', -1.5],
  ])('counts time in the precision %j: %s', async (precision, time, seconds) => {
    const query = `&precision=${encodeURIComponent(precision)}`;
    const [record] = await sendAndRead(`t value=1 ${time}`, 1, query);
    expect(record?.time).toBe(seconds);
  });

  it('takes the time of receipt for a line without one', async () => {
    const before = Date.now() - 1;
    const [record] = await sendAndRead('t value=1', 1);
    expect(record?.time).toBeGreaterThanOrEqual(before / 1e3);
    expect(record?.time).toBeLessThanOrEqual(Date.now() / 1e3);
  });

  it('takes gzip, and no more than the limit of bodies when it is inflated', async () => {
    const records = await sendAndRead('t value=1 1\nt value=2 2', 2);
    expect(records).toHaveLength(2);
    const thing = await fleet.thing();
    const gzip = { 'content-encoding': 'gzip' };
    const zipped = gzipSync('t value=1 1\nt value=2 2');
    expect(await send(thing, zipped, '', gzip)).toMatchObject({ status: 204 });
    expect(await stored(thing, 2)).toHaveLength(2);
    const bomb = gzipSync('\n'.repeat(8 * 1024 ** 2));
    expect(await send(thing, bomb, '', gzip)).toMatchObject({ status: 413 });
    expect(await send(thing, zipped.subarray(0, 20), '', gzip)).toMatchObject({ status: 400 });
    expect(await send(thing, zipped, '', { 'content-encoding': 'br' })).toMatchObject({
      status: 415,
    });
  });

  it('keeps the good lines of a body, and says what is wrong with the others', async () => {
    const thing = await fleet.thing();
    const answer = await send(thing, 't value=1 1\nt value=\nt value=2 2\nt value=x 3');
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toBe(
      "partial write: unable to parse 't value=': missing field value\n" +
        "unable to parse 't value=x 3': invalid boolean dropped=0",
    );
    expect(await stored(thing, 2)).toHaveLength(2);
    const none = await send(thing, 't');
    expect(none.status).toBe(400);
    expect(errorOf(none)).toBe("unable to parse 't': missing fields");
    expect(await send(thing, '')).toMatchObject({ status: 204 });
    expect(await send(thing, '# nothing\n\n')).toMatchObject({ status: 204 });
  });

  it("has only the tags that the thing's profile names", async () => {
    const line = 't,room=hall,host=a,subtopic=pumps.one,thing=x,group=y value=1 1';
    const [all] = await sendAndRead(line, 1);
    expect(all?.subtopic).toBe('pumps.one.host=a.room=hall');
    const [some] = await sendAndRead(line, 1, '', { line: { tags: ['room'] } });
    expect(some?.subtopic).toBe('pumps.one.room=hall');
    const [none] = await sendAndRead('t,room=hall value=1 1', 1, '', { line: { tags: [] } });
    expect(none?.subtopic).toBeUndefined();
  });

  it('refuses a line whose tags are longer than a subtopic', async () => {
    const thing = await fleet.thing();
    const answer = await send(thing, `t,room=${'x'.repeat(300)} value=1`);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toContain('tags: the subtopic has more than 254 characters');
  });
});

describe('who writes', () => {
  let thing: Thing;
  const externalKey = randomUUID();

  beforeAll(async () => {
    thing = await fleet.thing({}, externalKey);
  });

  const forms: [string, () => { query?: string; authorization?: string }][] = [
    ['u and p', () => ({ query: `&u=internal&p=${thing.key}` })],
    ['p alone', () => ({ query: `&p=${thing.key}` })],
    ['u and p, external', () => ({ query: `&u=external&p=${externalKey}` })],
    ['Basic', () => ({ authorization: basic('any name', thing.key) })],
    ['Basic without a name', () => ({ authorization: basic('', thing.key) })],
    ['Basic, external', () => ({ authorization: basic('external', externalKey) })],
    ['Token', () => ({ authorization: `Token ${thing.key}` })],
    ['Token with a name', () => ({ authorization: `token home:${thing.key}` })],
    ['Token, external', () => ({ authorization: `Token external:${externalKey}` })],
    ['Thing', () => ({ authorization: `Thing ${thing.key}` })],
    ['External', () => ({ authorization: `External ${externalKey}` })],
  ];

  it.each(forms)('is known by %s', async (_, form) => {
    const { query = '', authorization } = form();
    for (const path of ['/write?db=d', '/api/v2/write?org=o&bucket=b']) {
      const url = `${system().ingestUrl}${path}${query}`;
      const answer = await write(url, '', authorization === undefined ? {} : { authorization });
      expect(answer).toMatchObject({ status: 204 });
    }
  });

  it.each([
    ['nothing', '', ''],
    ['an unknown key', '', `Token ${randomUUID()}`],
    ['a wrong password', `&u=a&p=${randomUUID()}`, ''],
    ['another scheme', '', 'Digest x'],
  ])('is not known by %s', async (_, query, authorization) => {
    const url = `${system().ingestUrl}/write?db=d${query}`;
    const answer = await write(url, 't value=1', authorization === '' ? {} : { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('Basic');
    expect(errorOf(answer)).not.toBe('');
  });

  it('is no page of another origin with what its browser remembers', async () => {
    const authorization = basic('any', thing.key);
    const origin = 'https://elsewhere.example';
    const url = `${system().ingestUrl}/write`;
    expect(await write(url, 't value=1', { authorization, origin })).toMatchObject({ status: 403 });
  });
});

describe('answers', () => {
  it('have the shape of the version that is written to', async () => {
    const thing = await fleet.thing();
    const headers = { authorization: `Token ${thing.key}` };
    const one = await write(`${system().ingestUrl}/write`, 'x', headers);
    expect(JSON.parse(one.text)).toMatchObject({
      error: "unable to parse 'x': missing fields",
      code: 'malformed',
    });
    const two = await write(`${system().ingestUrl}/api/v2/write`, 'x', headers);
    expect(JSON.parse(two.text)).toMatchObject({
      code: 'invalid',
      message: "unable to parse 'x': missing fields",
    });
    const wrong = await write(`${system().ingestUrl}/write?precision=d`, 't value=1', headers);
    expect(wrong.status).toBe(400);
    expect(errorOf(wrong)).toContain('precision');
    const large = 't value=1\n'.repeat(200_000);
    expect(await write(`${system().ingestUrl}/write`, large, headers)).toMatchObject({
      status: 413,
    });
    const got = await request(`${system().ingestUrl}/write`);
    expect(got.statusCode).toBe(405);
    expect(got.headers['allow']).toBe('POST');
    await got.body.dump();
  });

  it('a ping tells a version of InfluxDB', async () => {
    for (const { ingestUrl, apiUrl } of [system()]) {
      for (const url of [ingestUrl, apiUrl]) {
        for (const method of ['GET', 'HEAD', 'POST'] as const) {
          const pinged = await request(`${url}/ping`, { method });
          expect(pinged.statusCode).toBe(204);
          expect(pinged.headers['x-influxdb-version']).toBe('1.8.10');
          await pinged.body.dump();
        }
        const verbose = await request(`${url}/ping?verbose=true`);
        expect(await verbose.body.json()).toEqual({ version: '1.8.10' });
      }
    }
  });

  it("come by the API's port as well", async () => {
    const thing = await fleet.thing();
    const { apiUrl } = system();
    const url = `${apiUrl}/write?db=d&u=x&p=${thing.key}`;
    expect(await write(url, 't value=1 1')).toMatchObject({ status: 204 });
    const headers = { authorization: `Token ${thing.key}`, 'content-encoding': 'gzip' };
    const zipped = gzipSync('t value=1 2');
    expect(await write(`${apiUrl}/api/v2/write?bucket=b`, zipped, headers)).toMatchObject({
      status: 204,
    });
    expect(await stored(thing, 2)).toHaveLength(2);
    const refused = await write(`${apiUrl}/write`, 't value=1');
    expect(refused.status).toBe(401);
  });
});

describe('webhooks', () => {
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await openReceiver();
  });

  afterAll(() => receiver.close());

  it('get a SenML pack for each series of a body', async () => {
    const thing = await fleet.thing();
    await fleet.call('POST', `/svcwebhooks/things/${thing.id}/webhooks`, [
      { name: 'w', url: receiver.url('/line') },
    ]);
    const lines =
      'a,room=x,unit=Cel value=1,text="t" 1700000000000000001\nb,room=y ok=f 1700000000000000000\n' +
      'a,room=x,unit=Cel value=2 1700000001000000000';
    await eventually(async () => {
      await send(thing, lines);
      return receiver.at('/line').length >= 2;
    });
    const got = receiver.at('/line').map(({ headers, body }) => {
      expect(headers['millrace-protocol']).toBe('line');
      expect(headers['content-type']).toBe('application/senml+json');
      return [decodeURIComponent(String(headers['millrace-subtopic'])), body.toString()];
    });
    expect(got).toContainEqual([
      'room=x',
      '[{"n":"a","u":"Cel","t":1700000000.000000001,"v":1},' +
        '{"n":"a.text","u":"Cel","t":1700000000.000000001,"vs":"t"},' +
        '{"n":"a","u":"Cel","t":1700000001,"v":2}]',
    ]);
    expect(got).toContainEqual(['room=y', '[{"n":"b.ok","t":1700000000,"vb":false}]']);
  });
});

describe('the protocol `line`', () => {
  it('is a filter, and stands in an export', async () => {
    const thing = await fleet.thing();
    await send(thing, 't,room=hall value=1 1');
    await fleet.publish(thing.key, [{ n: 't', v: 2 }]);
    await stored(thing, 2);
    const filter = { publisher: thing.id, protocol: 'line' };
    const { messages } = await fleet.page('senml', filter);
    expect(messages.map(({ value }) => value)).toEqual([1]);
    const found = await fleet.page('senml', { ...filter, name: 't', subtopic: 'room=hall' });
    expect(found.total).toBe(1);
    const path = `/reader/senml/export?publisher=${thing.id}&convert=csv&protocol=line`;
    const { text } = await call('GET', path, { as: await loginAdmin() });
    expect(text.trimEnd().split('\n')).toHaveLength(2);
    expect(text).toContain(`"${thing.id}","line"`);
  });
});
