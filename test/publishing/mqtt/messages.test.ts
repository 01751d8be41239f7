import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { Fleet } from '../../support/fleet.ts';
import { connectMqtt, endMqttClients, RawMqtt } from '../../support/messages/mqtt.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../../support/services/own-edge.ts';
import { system } from '../../support/system.ts';
import { openReceiver } from '../../webhooks/receiver.ts';

const good = '[{"n":"a","v":1}]';
const versions = [4, 5] as const;
const qualities = [0, 1, 2] as const;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  endMqttClients();
  await fleet.close();
});

/** The reason code with which a message is refused; 0: it is not. */
async function refusal(publishing: Promise<unknown>): Promise<number> {
  try {
    await publishing;
    return 0;
  } catch (error) {
    return error instanceof Error && 'code' in error ? Number(error.code) : -1;
  }
}

describe.each(versions)('a message over version %i', (version) => {
  it.each(qualities)('of QoS %i is stored with its subtopic and the protocol', async (qos) => {
    const thing = await fleet.thing();
    const { client, end } = await connectMqtt(thing.key, version);
    await client.publishAsync(`things/${thing.id}/messages`, '[{"n":"a","v":1}]', { qos });
    await client.publishAsync(`things/${thing.id}/messages/b/c`, '[{"n":"a","v":2}]', { qos });
    await client.publishAsync('tele/mill/SENSOR', '[{"n":"a","v":3}]', { qos });
    await eventually(async () => {
      const found = await fleet.readSenml(thing.id);
      const told = found.map(({ value, subtopic, protocol }) => ({ value, subtopic, protocol }));
      expect(told.toSorted((a, b) => Number(a.value) - Number(b.value))).toEqual([
        { value: 1, subtopic: undefined, protocol: 'mqtt' },
        { value: 2, subtopic: 'b.c', protocol: 'mqtt' },
        { value: 3, subtopic: 'tele.mill.SENSOR', protocol: 'mqtt' },
      ]);
    });
    await end();
  });

  it('is JSON where it is no SenML, and what the profile says', async () => {
    const [plain, json] = [
      await fleet.thing(),
      await fleet.thing({ content_type: 'application/json' }),
    ];
    const one = await connectMqtt(plain.key, version);
    await one.client.publishAsync('x', '{"x":1}', { qos: 1 });
    await one.client.publishAsync('x', good, { qos: 1 });
    const other = await connectMqtt(json.key, version);
    await other.client.publishAsync('x', good, { qos: 1 });
    await eventually(async () => {
      expect(await fleet.stored(plain.id)).toBe(1);
      expect(await fleet.stored(plain.id, 'json')).toBe(1);
      expect(await fleet.stored(json.id, 'json')).toBe(1);
    });
    await Promise.all([one.end(), other.end()]);
  });

  it('that has many after it is stored once, and so are those', async () => {
    const thing = await fleet.thing();
    const { client, end } = await connectMqtt(thing.key, version);
    const count = 3_000;
    await Promise.all(
      Array.from({ length: count }, (_, v) =>
        client.publishAsync(v % 7 === 0 ? 'x' : 'y', JSON.stringify([{ n: 'a', v }]), {
          qos: v % 50 === 0 ? 2 : 1,
        }),
      ),
    );
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(count));
    await end();
  });

  it('goes to webhooks by itself', async () => {
    const receiver = await openReceiver();
    const own = await fleet.thing({ write: false });
    await fleet.call('POST', `/svcwebhooks/things/${own.id}/webhooks`, [
      { name: 'w', url: receiver.url('/w') },
    ]);
    const { client, end } = await connectMqtt(own.key, version);
    await eventually(async () => {
      await client.publishAsync('a/b', good, { qos: 2 });
      expect(receiver.at('/w').length).toBeGreaterThan(0);
    });
    expect(receiver.at('/w')[0]?.headers['millrace-subtopic']).toBe('a.b');
    await Promise.all([end(), receiver.close()]);
  });

  it('of QoS 2 that is sent again before it is released is stored once', async () => {
    const thing = await fleet.thing();
    const raw = await RawMqtt.connected(thing.key, version, { clientId: `qos2-${version}` });
    const publish = {
      cmd: 'publish',
      topic: 'x',
      payload: good,
      qos: 2,
      messageId: 7,
      retain: false,
    } as const;
    raw.send({ ...publish, dup: false });
    await raw.until('pubrec');
    raw.send({ ...publish, dup: true });
    await raw.until('pubrec', 2);
    raw.send({ cmd: 'pubrel', messageId: 7 });
    await raw.until('pubcomp');
    raw.send({ ...publish, dup: false });
    await raw.until('pubrec', 3);
    raw.send({ cmd: 'pubrel', messageId: 7 }, { cmd: 'pubrel', messageId: 9 });
    await raw.until('pubcomp', 3);
    if (version === 5) expect(raw.of('pubcomp').at(-1)).toMatchObject({ reasonCode: 0x92 });
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(2));
    raw.socket.destroy();
  });

  it('with the mark of a repetition, or to be retained, is taken like all others', async () => {
    const thing = await fleet.thing();
    const raw = await RawMqtt.connected(thing.key, version);
    const publish = { cmd: 'publish', topic: 'x', payload: good, qos: 1, retain: true } as const;
    raw.send({ ...publish, messageId: 1, dup: true });
    await raw.until('puback');
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(1));
    raw.socket.destroy();
  });

  it('is acknowledged in the order in which it came, refused ones among the others', async () => {
    const thing = await fleet.thing();
    const raw = await RawMqtt.connected(thing.key, version);
    const ids = Array.from({ length: 200 }, (_, at) => 1_000 - at);
    raw.send(
      ...ids.map(
        (messageId, at) =>
          ({
            cmd: 'publish',
            topic: 'x',
            payload: at % 3 === 1 ? 'wrong' : good,
            qos: 1,
            messageId,
            retain: false,
            dup: false,
          }) as const,
      ),
    );
    await raw.until('puback', ids.length);
    expect(raw.of('puback').map(({ messageId }) => messageId)).toEqual(ids);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(133));
    raw.socket.destroy();
  });
});

describe('a message of version 5', () => {
  it('says what it is by its content type, which wins over a guess and not over the profile', async () => {
    const [plain, json] = [
      await fleet.thing(),
      await fleet.thing({ content_type: 'application/json' }),
    ];
    // [{0: "a", 2: 5}]
    const cbor = Buffer.from('81a20061610205', 'hex');
    const properties = { contentType: 'application/senml+cbor' };
    const one = await connectMqtt(plain.key, 5);
    await one.client.publishAsync('x', cbor, { qos: 1, properties });
    const other = await connectMqtt(json.key, 5);
    await other.client.publishAsync('x', '{"x":1}', { qos: 1, properties });
    await eventually(async () => {
      expect(await fleet.stored(plain.id)).toBe(1);
      expect(await fleet.stored(json.id, 'json')).toBe(1);
    });
    const raw = await RawMqtt.connected(plain.key, 5);
    const text = { contentType: 'text/plain' };
    const refused = await raw.publish('x', 'x', 1, text);
    expect(refused).toMatchObject({ code: 0x99, words: expect.stringContaining('application/') });
    raw.socket.destroy();
    await Promise.all([one.end(), other.end()]);
  });

  it.each([
    ['a record that is wrong', 'x', '[{"n":"a","v":"x"}]', 0x99, /record 0/],
    ['no JSON', 'x', '{', 0x99, /line 1/],
    ['another thing', `things/${randomUUID()}/messages`, good, 0x87, /another thing/],
    ['a command to nobody', `groups/${randomUUID()}/commands`, '{"command":"a"}', 0x87, /group/],
    ['a command that is none', `groups/${randomUUID()}/commands`, good, 0x99, /object/],
    ['a topic of the broker', '$SYS/x', good, 0x90, /\$/],
    ['a part that is ..', 'a/../b', good, 0x90, /subtopic/],
    ['a wildcard of subtopics', 'a/*', good, 0x90, /subtopic/],
  ])('with %s is refused, and its client is told why', async (_, topic, body, code, words) => {
    const thing = await fleet.thing();
    const raw = await RawMqtt.connected(thing.key, 5);
    for (const qos of [1, 2] as const) {
      const refused = await raw.publish(topic, body, qos);
      expect(refused).toMatchObject({ code, words: expect.stringMatching(words) });
    }
    expect(await raw.publish('x', good, 1)).toEqual({ code: 0, words: '' });
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(1));
    raw.socket.destroy();
  });

  it('is refused without words if its client wants none', async () => {
    const thing = await fleet.thing();
    const raw = await RawMqtt.connected(thing.key, 5, {
      properties: { requestProblemInformation: false },
    });
    raw.send({
      cmd: 'publish',
      topic: 'x',
      payload: '{',
      qos: 1,
      messageId: 1,
      retain: false,
      dup: false,
    });
    const puback = await raw.until('puback');
    expect(puback).toMatchObject({ reasonCode: 0x99 });
    expect(puback).not.toHaveProperty('properties');
    raw.socket.destroy();
  });
});

describe('a message of version 3.1.1', () => {
  it('that can not be taken as it is is acknowledged, so that it is not sent for ever', async () => {
    const thing = await fleet.thing();
    const { client, end } = await connectMqtt(thing.key, 4);
    await client.publishAsync('x', 'wrong', { qos: 1 });
    await client.publishAsync('x', 'wrong', { qos: 2 });
    await client.publishAsync(`things/${randomUUID()}/messages`, good, { qos: 1 });
    await client.publishAsync('x', '[{"n":"a","v":"x"}]', { qos: 0 });
    await client.publishAsync('x', good, { qos: 1 });
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(1));
    // Its owner is told.
    await eventually(async () => {
      const { body } = await fleet.call('GET', `/things/${thing.id}`);
      expect(body).toMatchObject({
        refused: { messages: 4, reason: expect.stringContaining('record 0: v') },
      });
    });
    const { body } = await fleet.call('GET', `/things/${(await fleet.thing()).id}`);
    expect(body).not.toHaveProperty('refused');
    await end();
  });
});

describe('an edge with limits of its own', () => {
  let edge: OwnEdge;

  beforeAll(async () => {
    edge = await startOwnEdge({ THING_RATE_LIMIT: '3', BODY_BYTES_MAX: '4096' });
  });

  afterAll(async () => {
    endMqttClients();
    await fleet.allStored();
    await stopOwnEdge(edge);
  });

  it('tells version 5 of the rate of a thing', async () => {
    const thing = await fleet.thing();
    const { client, end } = await connectMqtt(thing.key, 5, { port: edge.mqttPort });
    const all = await Promise.all(
      Array.from({ length: 5 }, () => refusal(client.publishAsync('x', good, { qos: 1 }))),
    );
    expect(all).toEqual([0, 0, 0, 0x97, 0x97]);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(3));
    await end();
  });

  it('lets version 3.1.1 wait, and acknowledges nothing that it does not keep', async () => {
    const thing = await fleet.thing();
    const { client, end } = await connectMqtt(thing.key, 4, { port: edge.mqttPort });
    const since = performance.now();
    await Promise.all(
      Array.from({ length: 7 }, (_, v) =>
        client.publishAsync('x', JSON.stringify([{ n: 'a', v }]), { qos: 1 }),
      ),
    );
    expect(performance.now() - since).toBeGreaterThan(900);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(7));
    await end();
  });

  it('does not take a client that it lets wait for a silent one', async () => {
    const thing = await fleet.thing();
    const raw = await RawMqtt.connected(thing.key, 4, { keepalive: 1 }, edge.mqttPort);
    const message = { topic: 'x', payload: good, qos: 1, dup: false, retain: false } as const;
    raw.send(
      ...Array.from({ length: 10 }, (_, at) => ({
        ...message,
        cmd: 'publish' as const,
        messageId: at + 1,
      })),
    );
    await raw.until('puback', 10);
    // It may be silent for one and a half seconds again.
    const since = performance.now();
    await raw.untilClosed();
    expect(performance.now() - since).toBeGreaterThan(900);
  });

  it('ends a connection whose packet is too large', async () => {
    const thing = await fleet.thing();
    const body = (bytes: number) => JSON.stringify([{ n: 'a', vs: 'x'.repeat(bytes) }]);
    const raw = await RawMqtt.connected(thing.key, 5, {}, edge.mqttPort);
    const refused = await raw.publish('x', body(5_000), 1);
    expect(refused).toMatchObject({ code: 0x99, words: expect.stringContaining('4096 bytes') });
    const large = { topic: 'x', payload: body(4096 + 8 * 1024), messageId: 2 };
    raw.send({ cmd: 'publish', qos: 1, dup: false, retain: false, ...large });
    expect(await raw.until('disconnect')).toMatchObject({ reasonCode: 0x95 });
    await raw.untilClosed();
  });

  it('refuses what its disk does not take, or does not answer it at all', async () => {
    const thing = await fleet.thing();
    const five = await connectMqtt(thing.key, 5, { port: edge.mqttPort });
    edge.process.send('failSync');
    await eventually(async () => {
      expect(await refusal(five.client.publishAsync('x', good, { qos: 1 }))).toBe(0x97);
    });
    const old = await fleet.thing();
    const four = await connectMqtt(old.key, 4, { port: edge.mqttPort });
    four.client.publish('x', good, { qos: 1 });
    await four.closed;
    edge.process.send('none');
    await eventually(async () => {
      expect(await refusal(five.client.publishAsync('x', good, { qos: 1 }))).toBe(0);
    });
    await five.end();
  });
});
