import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { follow } from '../support/api/events.ts';
import { call } from '../support/api/http.ts';
import { loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { connectMqtt, endMqttClients } from '../support/messages/mqtt.ts';
import { OpenStream } from '../support/messages/streams.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

type Format = 'senml' | 'json';
const protocols = ['http', 'ws', 'mqtt'];
const formats: readonly Format[] = ['senml', 'json'];
const types = { senml: 'application/senml+json', json: 'application/json' } as const;
/** By each protocol one message of two records, and of each format; sent together, so that they share a batch. */
const bodies = {
  senml: (protocol: string) => [
    { bn: protocol, n: ':a', v: 1 },
    { n: ':b', v: 2 },
  ],
  json: (protocol: string) => [{ by: protocol }, { by: protocol }],
};

let fleet: Fleet;
let thing: Thing;
let as: string;
let receiver: Receiver;
let streams: OpenStream[] = [];
let mqtt: Awaited<ReturnType<typeof connectMqtt>>;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  thing = await fleet.thing();
  receiver = await openReceiver();
  await fleet.call('POST', `/svcwebhooks/things/${thing.id}/webhooks`, [
    { name: 'w', url: receiver.url('/w') },
  ]);
  as = await loginAdmin();
  streams = await Promise.all(
    formats.map((format) =>
      OpenStream.open(system().ingestUrl, thing.key, { contentType: types[format] }),
    ),
  );
  mqtt = await connectMqtt(thing.key, 5);
  await eventually(async () => {
    await Promise.all([...formats.map(post), ...formats.map(send), ...formats.map(publish)]);
    return new Set(forwarded()).size === 3;
  });
  await eventually(async () => {
    for (const format of formats) {
      const found = await Promise.all(protocols.map((protocol) => read(format, { protocol })));
      const counts = new Set(found.map(({ length }) => length));
      if (counts.size > 1 || counts.has(0) || counts.has(1)) return false;
    }
    return true;
  });
});

afterAll(async () => {
  for (const stream of streams) stream.close();
  endMqttClients();
  await receiver.close();
  await fleet.close();
});

async function post(format: Format): Promise<void> {
  const { status } = await fleet.publish(thing.key, bodies[format]('http'), {
    contentType: types[format],
  });
  if (status !== 202) throw new Error(`answered ${status}`);
}

async function send(format: Format, at: number): Promise<void> {
  const stream = streams[at];
  if (stream === undefined) throw new Error('there is no stream');
  stream.socket.send(JSON.stringify(bodies[format]('ws')));
  await stream.answered(stream.ack + 1);
}

async function publish(format: Format): Promise<void> {
  const body = JSON.stringify(bodies[format]('mqtt'));
  const properties = { contentType: types[format] };
  await mqtt.client.publishAsync('m', body, { qos: 1, properties });
}

/** The protocols that deliveries came with. */
const forwarded = (): string[] =>
  receiver.at('/w').map(({ headers }) => String(headers['millrace-protocol']));

/** The protocol of each message, and what its body says that it is. */
async function read(format: Format, filter: Record<string, string>): Promise<string[][]> {
  const query = { publisher: thing.id, limit: '1000', ...filter };
  if (format === 'json') {
    const { messages } = await fleet.page('json', query);
    return messages.map(({ protocol, payload }) => [protocol, String(payload['by'])]);
  }
  const { messages } = await fleet.page('senml', query);
  return messages.map(({ protocol, name }) => [protocol, name.replace(/:.*/, '')]);
}

describe('the protocol by which a message came', () => {
  it.each(formats)('is read back with it and found by its filter (%s)', async (format) => {
    const all = await read(format, {});
    for (const [protocol, told] of all) expect(protocol).toBe(told);
    for (const protocol of protocols) {
      const found = await read(format, { protocol });
      expect(new Set(found.flat())).toEqual(new Set([protocol]));
    }
    expect(await read(format, { protocol: 'coap' })).toEqual([]);
  });

  it.each(formats)('stands in an export (%s)', async (format) => {
    const path = `/reader/${format}/export?publisher=${thing.id}&convert=csv&protocol=ws`;
    const [head, ...lines] = (await call('GET', path, { as })).text.trimEnd().split('\n');
    expect(head).toContain('"protocol"');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const line of lines) expect(line).toContain(`"${thing.id}","ws",`);
  });

  it('is told to webhooks', () => {
    for (const { headers, body } of receiver.at('/w')) {
      expect(body.toString()).toContain(`"${String(headers['millrace-protocol'])}"`);
    }
    expect(new Set(forwarded())).toEqual(new Set(protocols));
  });

  it('is told by a live stream, and chosen there', async () => {
    const following = await follow(`/reader/senml/live?publisher=${thing.id}&protocol=ws`, as);
    await eventually(async () => {
      await Promise.all([post('senml'), send('senml', 0)]);
      expect(following.events.length).toBeGreaterThan(0);
    });
    following.leave();
    for (const { text } of following.events) expect(text).toContain('"protocol":"ws"');
  });
});
