import { randomUUID } from 'node:crypto';
import type { ISubscriptionGrant } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { Fleet } from '../../support/fleet.ts';
import { connectMqtt, endMqttClients, RawMqtt } from '../../support/messages/mqtt.ts';
import { system } from '../../support/system.ts';

const good = '[{"n":"a","v":1}]';
const versions = [4, 5] as const;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  endMqttClients();
  await fleet.close();
});

/** A session that outlives its connections. */
const lasting = (version: 4 | 5, clientId: string) =>
  version === 5
    ? { clientId, clean: false, properties: { sessionExpiryInterval: 600 } }
    : { clientId, clean: false };

const qosOf = (grants: ISubscriptionGrant[]) => grants.map(({ qos }) => qos);

describe.each(versions)('a session over version %i', (version) => {
  it('is there when its client comes back, and gone where the client wants none', async () => {
    const { key } = await fleet.thing();
    const options = lasting(version, randomUUID());
    const first = await connectMqtt(key, version, options);
    expect(first.sessionPresent).toBe(false);
    await first.end();
    const second = await connectMqtt(key, version, options);
    expect(second.sessionPresent).toBe(true);
    // While it is connected, too.
    const third = await connectMqtt(key, version, options);
    expect(third.sessionPresent).toBe(true);
    await third.end();
    const clean = await connectMqtt(key, version, { ...options, clean: true, properties: {} });
    expect(clean.sessionPresent).toBe(false);
    await clean.end();
    const last = await connectMqtt(key, version, options);
    expect(last.sessionPresent).toBe(false);
    await last.end();
  });

  it('is never that of another thing', async () => {
    const [one, other] = [await fleet.thing(), await fleet.thing()];
    const options = lasting(version, randomUUID());
    await (await connectMqtt(one.key, version, options)).end();
    const second = await connectMqtt(other.key, version, options);
    expect(second.sessionPresent).toBe(false);
    await second.end();
  });

  it('stores a packet id of QoS 2 once, over connections, until it is released', async () => {
    const thing = await fleet.thing();
    const clientId = randomUUID();
    const options =
      version === 5
        ? { clientId, clean: false, properties: { sessionExpiryInterval: 600 } }
        : { clientId, clean: false };
    const message = {
      cmd: 'publish',
      topic: 'x',
      payload: good,
      qos: 2,
      messageId: 11,
      retain: false,
    } as const;
    const first = await RawMqtt.connected(thing.key, version, options);
    first.send({ ...message, dup: false });
    await first.until('pubrec');
    first.socket.destroy();
    const second = await RawMqtt.connected(thing.key, version, options);
    expect(second.of('connack')).toMatchObject([{ sessionPresent: true }]);
    second.send({ ...message, dup: true });
    await second.until('pubrec');
    second.send({ cmd: 'pubrel', messageId: 11 });
    await second.until('pubcomp');
    second.send({ ...message, dup: false });
    await second.until('pubrec', 2);
    second.socket.destroy();
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(2));
  });

  it('gets the messages of its own thing that it subscribes to, once each', async () => {
    const thing = await fleet.thing();
    const own = `things/${thing.id}/messages`;
    const listening = await connectMqtt(thing.key, version);
    const grants = await listening.client.subscribeAsync({
      [`${own}/#`]: { qos: 1 },
      [`${own}/a/+`]: { qos: 2 },
    });
    expect(qosOf(grants)).toEqual([1, 2]);
    const sending = await connectMqtt(thing.key, version);
    await sending.client.publishAsync(`${own}/a/b`, good, { qos: 2 });
    await sending.client.publishAsync('tele/x', good, { qos: 2 });
    await sending.client.publishAsync(own, good, { qos: 0 });
    await eventually(() => expect(listening.messages).toHaveLength(3));
    const told = listening.messages.map(({ topic, qos, retain, payload }) => [
      topic,
      qos,
      retain,
      String(payload),
    ]);
    expect(told).toEqual([
      [`${own}/a/b`, 2, false, good],
      [`${own}/tele/x`, 1, false, good],
      [own, 0, false, good],
    ]);
    await listening.client.unsubscribeAsync(`${own}/#`);
    await sending.client.publishAsync(own, good, { qos: 1 });
    await sending.client.publishAsync(`${own}/a/c`, good, { qos: 1 });
    await eventually(() => expect(listening.messages).toHaveLength(4));
    expect(listening.messages.at(-1)?.topic).toBe(`${own}/a/c`);
    await Promise.all([listening.end(), sending.end()]);
  });

  it('gets what came while it had no connection, and what it has not acknowledged again', async () => {
    const thing = await fleet.thing();
    const own = `things/${thing.id}/messages`;
    const options = lasting(version, randomUUID());
    const raw = await RawMqtt.connected(thing.key, version, options);
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `${own}/#`, qos: 1 }] });
    await raw.until('suback');
    const sending = await connectMqtt(thing.key, version);
    await sending.client.publishAsync(`${own}/1`, good, { qos: 1 });
    await raw.until('publish');
    raw.send({ cmd: 'disconnect' });
    await raw.untilClosed();
    await sending.client.publishAsync(`${own}/3`, good, { qos: 0 });
    await sending.client.publishAsync(`${own}/2`, good, { qos: 1 });
    const back = await RawMqtt.connected(thing.key, version, options);
    await back.until('publish', 2);
    expect(back.of('publish')).toMatchObject([
      { topic: `${own}/1`, dup: true, qos: 1 },
      { topic: `${own}/2`, dup: false, qos: 1 },
    ]);
    back.socket.destroy();
    await sending.end();
  });

  it.each([
    '#',
    '+/#',
    '+/+/messages/#',
    'things/+/messages',
    'things/#',
    '$SYS/#',
    `things/${randomUUID()}/messages/#`,
    `groups/${randomUUID()}/messages/#`,
  ])('subscribes to nothing by %s, and no message of others comes to it', async (filter) => {
    const [thing, other] = [await fleet.thing(), await fleet.thing()];
    const raw = await RawMqtt.connected(thing.key, version);
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: filter, qos: 1 }] });
    const refused = version === 5 ? 0x87 : 0x80;
    expect(await raw.until('suback')).toMatchObject({ granted: [refused] });
    const sending = await connectMqtt(other.key, version);
    await sending.client.publishAsync(`things/${other.id}/messages/x`, good, { qos: 1 });
    await sending.client.publishAsync('x', good, { qos: 1 });
    raw.send({ cmd: 'pingreq' });
    await raw.until('pingresp');
    expect(raw.of('publish')).toEqual([]);
    raw.socket.destroy();
    await sending.end();
  });

  it('sends its will when its connection ends without a word, and not otherwise', async () => {
    const thing = await fleet.thing();
    const will = { topic: 'state/last', payload: '[{"n":"gone","vb":true}]', qos: 1, retain: true };
    const said = await RawMqtt.connected(thing.key, version, { will });
    said.send({ cmd: 'disconnect' });
    await said.untilClosed();
    const silent = await RawMqtt.connected(thing.key, version, { will });
    silent.socket.destroy();
    await eventually(async () => {
      const found = await fleet.readSenml(thing.id);
      expect(found).toMatchObject([{ name: 'gone', subtopic: 'state.last', protocol: 'mqtt' }]);
    });
  });

  it('may not have a will for another thing', async () => {
    const thing = await fleet.thing();
    const will = { topic: `things/${randomUUID()}/messages`, payload: good, qos: 0, retain: false };
    const raw = await RawMqtt.connected(thing.key, version, { will });
    const refused = version === 5 ? { reasonCode: 0x87 } : { returnCode: 5 };
    expect(raw.of('connack')).toMatchObject([refused]);
    await raw.untilClosed();
  });
});

describe('a session over version 5', () => {
  it('sends a will after its delay, unless its client comes back before', async () => {
    const thing = await fleet.thing();
    const options = (clientId: string, willDelayInterval: number) => ({
      clientId,
      clean: false,
      properties: { sessionExpiryInterval: 600 },
      will: {
        topic: clientId,
        payload: good,
        qos: 1,
        retain: false,
        properties: { willDelayInterval },
      },
    });
    const early = await RawMqtt.connected(thing.key, 5, options('back', 3_600));
    early.socket.destroy();
    const back = await RawMqtt.connected(thing.key, 5, { ...options('back', 0), will: undefined });
    back.socket.destroy();
    const late = await RawMqtt.connected(thing.key, 5, options('late', 1));
    late.socket.destroy();
    const taken = await RawMqtt.connected(thing.key, 5, options('taken', 0));
    const by = await RawMqtt.connected(thing.key, 5, { ...options('taken', 0), will: undefined });
    expect(await taken.until('disconnect')).toMatchObject({ reasonCode: 0x8e });
    await eventually(async () => {
      const found = await fleet.readSenml(thing.id);
      expect(new Set(found.map(({ subtopic }) => subtopic))).toEqual(new Set(['late', 'taken']));
    });
    by.socket.destroy();
  });

  it('ends with the expiry that DISCONNECT says, and lasts seven days at most', async () => {
    const { key } = await fleet.thing();
    const options = (seconds: number) => ({
      clientId: 'expires',
      clean: false,
      properties: { sessionExpiryInterval: seconds },
    });
    const kept = await connectMqtt(key, 5, options(600));
    await kept.client.endAsync(false, { properties: { sessionExpiryInterval: 0 } });
    const after = await connectMqtt(key, 5, options(8 * 24 * 3_600));
    expect(after.sessionPresent).toBe(false);
    expect(after.properties).toMatchObject({ sessionExpiryInterval: 7 * 24 * 3_600 });
    await after.end();
  });

  it('is refused what is not there, filter by filter', async () => {
    const thing = await fleet.thing();
    const own = `things/${thing.id}/messages`;
    const raw = await RawMqtt.connected(thing.key, 5);
    const subscriptions = ['#', `${own}/#`, `$share/x/${own}/#`].map((topic) => ({
      topic,
      qos: 2 as const,
    }));
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions });
    const suback = await raw.until('suback');
    expect(suback).toMatchObject({
      granted: [0x87, 2, 0x9e],
      properties: {
        reasonString: expect.stringContaining(`only these can be subscribed to: ${own}/#, `),
      },
    });
    const properties = { subscriptionIdentifier: 5 };
    raw.send({ cmd: 'subscribe', messageId: 2, subscriptions, properties });
    expect(await raw.until('suback', 2)).toMatchObject({ granted: [0xa1, 0xa1, 0xa1] });
    raw.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: [`${own}/#`, '#'] });
    expect(await raw.until('unsuback')).toMatchObject({ granted: [0, 0x11] });
    raw.socket.destroy();
  });

  it('leaves out its own messages where it asks for that, and tells who was to be retained', async () => {
    const thing = await fleet.thing();
    const own = `things/${thing.id}/messages`;
    const both = await connectMqtt(thing.key, 5);
    await both.client.subscribeAsync({ [`${own}/#`]: { qos: 1, nl: true, rap: true } });
    await both.client.publishAsync(`${own}/mine`, good, { qos: 1 });
    const other = await connectMqtt(thing.key, 5);
    await other.client.publishAsync(`${own}/theirs`, good, { qos: 1, retain: true });
    await eventually(() => expect(both.messages).toHaveLength(1));
    expect(both.messages).toMatchObject([{ topic: `${own}/theirs`, retain: true }]);
    await Promise.all([both.end(), other.end()]);
  });

  it('gets no more at once than its client takes, and no larger packets', async () => {
    const thing = await fleet.thing();
    const own = `things/${thing.id}/messages`;
    const raw = await RawMqtt.connected(thing.key, 5, {
      properties: { receiveMaximum: 2, maximumPacketSize: 200 },
    });
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `${own}/#`, qos: 1 }] });
    await raw.until('suback');
    const { client, end } = await connectMqtt(thing.key, 5);
    const large = JSON.stringify([{ n: 'a', vs: 'x'.repeat(200) }]);
    await client.publishAsync(own, large, { qos: 1 });
    for (const at of [1, 2, 3]) await client.publishAsync(`${own}/${at}`, good, { qos: 1 });
    await raw.until('publish', 2);
    raw.send({ cmd: 'pingreq' });
    await raw.until('pingresp');
    expect(raw.of('publish')).toHaveLength(2);
    raw.send({ cmd: 'puback', messageId: raw.of('publish')[0]?.messageId ?? 0 });
    await raw.until('publish', 3);
    const topics = raw.of('publish').map((packet) => Reflect.get(packet, 'topic'));
    expect(topics).toEqual([`${own}/1`, `${own}/2`, `${own}/3`]);
    raw.socket.destroy();
    await end();
  });

  it('that releases too few messages is told of its Receive Maximum', async () => {
    const thing = await fleet.thing({ write: false });
    const raw = await RawMqtt.connected(thing.key, 5);
    const count = 8_193;
    for (let from = 1; from <= count; from += 1_000) {
      const ids = Array.from({ length: Math.min(1_000, count - from + 1) }, (_, at) => from + at);
      raw.send(
        ...ids.map(
          (messageId) =>
            ({
              cmd: 'publish',
              topic: 'x',
              payload: good,
              qos: 2,
              messageId,
              retain: false,
              dup: false,
            }) as const,
        ),
      );
    }
    expect(await raw.until('disconnect')).toMatchObject({ reasonCode: 0x93 });
    await raw.untilClosed();
  });
});
