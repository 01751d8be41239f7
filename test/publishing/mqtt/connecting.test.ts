import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, type Thing } from '../../support/fleet.ts';
import { connectMqtt, endMqttClients, RawMqtt } from '../../support/messages/mqtt.ts';
import { system } from '../../support/system.ts';

const good = '[{"n":"a","v":1}]';
const versions = [4, 5] as const;

let fleet: Fleet;
let thing: Thing;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  thing = await fleet.thing({}, 'the external key of a mill');
});

afterAll(async () => {
  endMqttClients();
  await fleet.close();
});

/** The code with which a client is refused. */
async function refusal(connecting: Promise<unknown>): Promise<number | string> {
  try {
    await connecting;
    return 'connected';
  } catch (error) {
    return error instanceof Error && 'code' in error ? Number(error.code) : String(error);
  }
}

describe.each(versions)('a client of version %i', (version) => {
  it('connects with its key, whatever the username says of an internal one', async () => {
    for (const username of ['internal', '']) {
      const { sessionPresent, end } = await connectMqtt(thing.key, version, { username });
      expect(sessionPresent).toBe(false);
      await end();
    }
  });

  it('connects with its external key, and says so by the username', async () => {
    const external = { username: 'external' };
    await (await connectMqtt('the external key of a mill', version, external)).end();
    const code = version === 5 ? 0x86 : 4;
    expect(await refusal(connectMqtt(thing.key, version, external))).toBe(code);
    expect(await refusal(connectMqtt('the external key of a mill', version))).toBe(code);
  });

  it.each([
    ['an unknown key', 'unknown', {}],
    ['no key', '', {}],
    ['a username of another kind', undefined, { username: 'admin@example.com' }],
  ])('with %s is refused', async (_, key, options) => {
    const code = version === 5 ? 0x86 : 4;
    expect(await refusal(connectMqtt(key ?? thing.key, version, options))).toBe(code);
  });

  it('is not taken for another one that is online with the same client id', async () => {
    const clientId = `online-${version}`;
    const online = await connectMqtt(thing.key, version, { clientId });
    const code = version === 5 ? 0x86 : 4;
    expect(await refusal(connectMqtt('a wrong key', version, { clientId }))).toBe(code);
    const other = await fleet.thing();
    const second = await connectMqtt(other.key, version, { clientId });
    await second.client.publishAsync('x', good, { qos: 1 });
    await online.client.publishAsync('x', good, { qos: 1 });
    expect([online.client.connected, second.client.connected]).toEqual([true, true]);
    await Promise.all([online.end(), second.end()]);
  });

  it('that connects again under its client id ends its connection before', async () => {
    const clientId = `again-${version}`;
    const first = await connectMqtt(thing.key, version, { clientId });
    const second = await connectMqtt(thing.key, version, { clientId });
    expect(await first.closed).toBe(version === 5 ? 0x8e : undefined);
    await second.client.publishAsync('x', good, { qos: 1 });
    await second.end();
  });

  it('may have no client id, if it wants no session', async () => {
    const raw = await RawMqtt.connected(thing.key, version, { clientId: '', clean: true });
    const [connack] = raw.of('connack');
    expect(connack).toMatchObject(version === 5 ? { reasonCode: 0 } : { returnCode: 0 });
    if (version === 5) {
      expect(connack).toMatchObject({
        properties: { assignedClientIdentifier: expect.any(String) },
      });
    }
    raw.socket.destroy();
    // No library sends it, and some devices do.
    const kept = await RawMqtt.open(version);
    const level = Buffer.of(version, 0xc0, 0, 0, ...(version === 5 ? [0] : []));
    const texts = ['', 'internal', thing.key].flatMap((text) => [
      Buffer.of(0, text.length),
      Buffer.from(text),
    ]);
    const body = Buffer.concat([Buffer.from('\0\x04MQTT'), level, ...texts]);
    kept.socket.write(Buffer.concat([Buffer.of(0x10, body.length), body]));
    const code = version === 5 ? { reasonCode: 0 } : { returnCode: 2 };
    expect(await kept.until('connack')).toMatchObject(code);
    kept.socket.destroy();
  });

  it('is answered its pings, and told when it stops', async () => {
    const raw = await RawMqtt.connected(thing.key, version, { keepalive: 10 });
    raw.send({ cmd: 'pingreq' });
    await raw.until('pingresp');
    raw.send({ cmd: 'disconnect' });
    await raw.untilClosed();
    expect(raw.of('disconnect')).toEqual([]);
  });

  it('that is silent for one and a half keep-alives is gone', async () => {
    const raw = await RawMqtt.connected(thing.key, version, { keepalive: 1 });
    const since = performance.now();
    await raw.untilClosed();
    expect(performance.now() - since).toBeGreaterThan(1_400);
    if (version === 5) expect(raw.of('disconnect')).toMatchObject([{ reasonCode: 0x8d }]);
  });

  it('that sends a second CONNECT, or something before the first, is gone', async () => {
    const twice = await RawMqtt.connected(thing.key, version);
    twice.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: version,
      clean: true,
      keepalive: 0,
      clientId: 'twice',
    });
    await twice.untilClosed();
    const early = await RawMqtt.open(version);
    early.send({ cmd: 'pingreq' });
    await early.untilClosed();
    expect(early.packets).toEqual([]);
  });
});

describe('a client of version 5', () => {
  it('is told what is not there', async () => {
    const { properties, end } = await connectMqtt(thing.key, 5, { keepalive: 0 });
    expect(properties).toMatchObject({
      receiveMaximum: 8_192,
      retainAvailable: false,
      sharedSubscriptionAvailable: false,
      subscriptionIdentifiersAvailable: false,
      maximumPacketSize: 1024 ** 2 + 8 * 1024,
      serverKeepAlive: 1_200,
    });
    expect(properties).not.toHaveProperty('maximumQoS');
    expect(properties).not.toHaveProperty('topicAliasMaximum');
    await end();
  });

  it('may not authenticate in another way', async () => {
    const raw = await RawMqtt.connected(thing.key, 5, {
      properties: { authenticationMethod: 'SCRAM-SHA-1' },
    });
    expect(raw.of('connack')).toMatchObject([{ reasonCode: 0x8c }]);
    await raw.untilClosed();
  });
});

describe('a key that is changed', () => {
  it.each(versions)('ends its connections within a second (version %i)', async (version) => {
    const own = await fleet.thing();
    const [idle, busy] = [await connectMqtt(own.key, version), await connectMqtt(own.key, version)];
    await busy.client.publishAsync('x', good, { qos: 1 });
    const key = `new-${own.id}`;
    const rotated = { name: key, type: 'sensor', key };
    expect(await fleet.call('PUT', `/things/${own.id}`, rotated)).toMatchObject({ status: 200 });
    const since = performance.now();
    const reason = version === 5 ? 0x87 : undefined;
    expect(await Promise.all([idle.closed, busy.closed])).toEqual([reason, reason]);
    expect(performance.now() - since).toBeLessThan(1_000);
    await (await connectMqtt(key, version)).end();
  });

  it('or whose thing is deleted ends its connections too', async () => {
    const own = await fleet.thing();
    const { client, closed } = await connectMqtt(own.key, 5);
    await client.publishAsync('x', good, { qos: 1 });
    expect(await fleet.call('DELETE', `/things/${own.id}`)).toMatchObject({ status: 204 });
    expect(await closed).toBe(0x87);
  });
});

describe('connections of one thing', () => {
  it('are 64, and one more is refused until one of them ends', async () => {
    const own = await fleet.thing();
    const all = await Promise.all(Array.from({ length: 64 }, () => RawMqtt.connected(own.key, 5)));
    const over = await RawMqtt.connected(own.key, 5);
    const words = expect.stringContaining('MQTT connections of this thing');
    expect(over.of('connack')).toMatchObject([
      { reasonCode: 0x97, properties: { reasonString: words } },
    ]);
    await over.untilClosed();
    all[0]?.send({ cmd: 'disconnect' });
    await all[0]?.untilClosed();
    const again = await RawMqtt.connected(own.key, 5);
    expect(again.of('connack')).toMatchObject([{ reasonCode: 0 }]);
    for (const one of [...all, again]) one.socket.destroy();
  });
});
