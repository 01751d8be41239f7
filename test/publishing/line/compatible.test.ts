import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, type Thing } from '../../support/fleet.ts';
import { eventually } from '../../support/eventually.ts';
import { system } from '../../support/system.ts';
import { InfluxDb, isInstalled } from './influxdb.ts';
import { recorded } from './recorded.ts';
import { errorOf, write } from './write.ts';

let fleet: Fleet;
let thing: Thing;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  thing = await fleet.thing();
});

afterAll(() => fleet.close());

/** Each body has a measurement of its own: InfluxDB remembers the type of a field. */
async function answersTo(url: string, headers: Record<string, string>): Promise<string[]> {
  const answers: string[] = [];
  for (const [at, [body]] of recorded.entries()) {
    const answer = await write(url, body.replaceAll('M', `m${at}`), headers);
    expect(answer.status).toBe(answer.text === '' ? 204 : 400);
    answers.push(errorOf(answer).replaceAll(`m${at}`, 'M'));
  }
  return answers;
}

describe('answers to writes', () => {
  it('are those that InfluxDB gave, but for the differences that the guide names', async () => {
    const url = `${system().ingestUrl}/write?db=d`;
    const answers = await answersTo(url, { authorization: `Token ${thing.key}` });
    expect(answers).toEqual(recorded.map(([, influxDb, ours = influxDb]) => ours));
  });

  it.runIf(isInstalled)('are still those of the InfluxDB that is installed', async () => {
    const influxDb = await InfluxDb.start();
    try {
      const answers = await answersTo(`${influxDb.url}/write?db=d`, {});
      expect(answers).toEqual(recorded.map(([, error]) => error));
    } finally {
      await influxDb.stop();
    }
  });
});

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Requests as the sources of these clients make them. */
const clients: Record<string, (key: string) => Parameters<typeof write>> = {
  'Telegraf, outputs.influxdb': (key) => [
    '/write?db=telegraf',
    gzipSync('cpu,cpu=cpu0,host=mill usage_idle=98.5,usage_user=0.5 1700000000000000000\n'),
    {
      'user-agent': 'Telegraf/1.33.0 Go/1.23.4',
      'content-type': 'text/plain; charset=utf-8',
      'content-encoding': 'gzip',
      authorization: basic('internal', key),
    },
  ],
  'Telegraf, outputs.influxdb_v2': (key) => [
    '/api/v2/write?bucket=any&org=any',
    gzipSync('mem,host=mill used_percent=51.25,total=8000000000i 1700000000000000000\n'),
    {
      'user-agent': 'Telegraf/1.33.0 Go/1.23.4',
      'content-type': 'text/plain; charset=utf-8',
      'content-encoding': 'gzip',
      authorization: `Token ${key}`,
    },
  ],
  'Home Assistant, version 1': (key) => [
    '/write?db=home_assistant&precision=ms',
    '°C,domain=sensor,entity_id=hall friendly_name_str="Hall",value=21.5 1700000000000\n',
    {
      'user-agent': 'python-requests/2.32.3',
      'content-type': 'application/octet-stream',
      accept: 'application/x-msgpack',
      'accept-encoding': 'gzip, deflate',
      authorization: basic('internal', key),
    },
  ],
  'Home Assistant when it starts': (key) => [
    '/write?db=home_assistant',
    '\n',
    {
      'content-type': 'application/octet-stream',
      accept: 'application/x-msgpack',
      authorization: basic('internal', key),
    },
  ],
  'Home Assistant, version 2': (key) => [
    '/api/v2/write?org=any&bucket=Home%20Assistant&precision=ns',
    '%,domain=sensor,entity_id=hall value=51.0 1700000000000000000',
    {
      'user-agent': 'influxdb-client-python/1.48.0',
      'content-type': 'text/plain',
      'content-encoding': 'identity',
      accept: 'application/json',
      authorization: `Token ${key}`,
    },
  ],
  "Arduino's client, version 1": (key) => [
    `/write?db=any&u=internal&p=${key}&precision=s`,
    'wifi_status,device=ESP32,SSID=home rssi=-61i 1700000000\n',
    { 'user-agent': 'influxdb-client-arduino/3.13.2 (ESP32 4.4)', 'content-type': 'text/plain' },
  ],
  "Arduino's client, version 2": (key) => [
    '/api/v2/write?org=any&bucket=any&precision=ms',
    'wifi_status,device=ESP32,SSID=home rssi=-61i 1700000000000\n',
    {
      'user-agent': 'influxdb-client-arduino/3.13.2 (ESP32 4.4)',
      'content-type': 'text/plain',
      authorization: `Token ${key}`,
    },
  ],
  'evcc, and whoever else has the Go client': (key) => [
    '/api/v2/write?bucket=evcc&org=&precision=ns',
    'chargePower,loadpoint=Garage value=11040 1700000000000000000\n',
    {
      'user-agent': 'influxdb-client-go/2.14.0 (linux; amd64)',
      'accept-encoding': 'gzip',
      authorization: `Token internal:${key}`,
    },
  ],
};

describe('requests of known clients', () => {
  it.each(Object.keys(clients))('are taken: %s', async (name) => {
    const of = await fleet.thing();
    const [path, body, headers] = clients[name]?.(of.key) ?? ['', ''];
    for (const url of [system().ingestUrl, system().apiUrl]) {
      expect(await write(`${url}${path}`, body, headers)).toMatchObject({ status: 204, text: '' });
    }
    const records = name.includes('starts') ? 0 : 2;
    await eventually(async () => (await fleet.stored(of.id)) >= records);
  });

  it("Arduino's client finds the server by a ping that wants to know more, or by its health", async () => {
    const { ingestUrl } = system();
    for (const path of ['/ping?verbose=true&u=internal&p=x', '/health']) {
      const { statusCode, body } = await request(`${ingestUrl}${path}`);
      expect(statusCode).toBe(200);
      await body.dump();
    }
  });
});
