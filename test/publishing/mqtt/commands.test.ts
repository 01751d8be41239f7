import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { system } from '../../support/system.ts';
import { connectMqtt, endMqttClients, RawMqtt } from '../../support/messages/mqtt.ts';

const people = new People();
const versions = [4, 5] as const;
let editor: Person;
let estate: Estate;
let made = 0;

beforeAll(async () => {
  editor = await people.register();
  estate = await createEstate(editor.as);
});

afterAll(async () => {
  endMqttClients();
  await people.close();
});

async function newThing(type = 'device'): Promise<{ id: string; key: string }> {
  made += 1;
  const given = [{ name: `thing ${made}`, type }];
  const [thing] = await createThings(editor.as, estate.profileId, given);
  if (thing === undefined) throw new Error('no thing was made');
  return thing;
}

async function send(id: string, command: string, more: object = {}): Promise<string> {
  const body = { command, ...more };
  return textAt(await call('POST', `/things/${id}/commands`, { as: editor.as, body }), 'id');
}

const seen = async (id: string) => json(await call('GET', `/commands/${id}`, { as: editor.as }));

/** Of a session that outlives its connections. */
const lastingOf = (version: 4 | 5) =>
  version === 5 ? { properties: { sessionExpiryInterval: 600 } } : {};

describe.each(versions)('a command over version %i', (version) => {
  it('comes to who subscribes, those that wait first, and PUBACK acknowledges it', async () => {
    const thing = await newThing();
    const first = await send(thing.id, 'open', {
      subtopic: 'valve.north',
      params: { percent: 40 },
    });
    const { client, messages } = await connectMqtt(thing.key, version);
    const filter = `things/${thing.id}/commands/#`;
    const [granted] = await client.subscribeAsync(filter, { qos: 1 });
    expect(granted?.qos).toBe(1);
    const second = await send(thing.id, 'close', { expires_in: 100 });
    await eventually(() => expect(messages).toHaveLength(2));
    expect(messages.map(({ topic, qos }) => [topic, qos])).toEqual([
      [`things/${thing.id}/commands/valve/north`, 1],
      [`things/${thing.id}/commands`, 1],
    ]);
    expect(JSON.parse(String(messages[0]?.payload))).toMatchObject({
      id: first,
      command: 'open',
      params: { percent: 40 },
      subtopic: 'valve.north',
    });
    if (version === 5) {
      expect(messages[1]?.properties?.contentType).toBe('application/json');
      expect(messages[1]?.properties?.messageExpiryInterval).toBeGreaterThan(90);
    }
    await eventually(async () => {
      for (const id of [first, second]) {
        expect(await seen(id)).toMatchObject({ state: 'acknowledged', delivered_by: 'mqtt' });
      }
    });
  });

  it('to the group comes under the topic of the group', async () => {
    const own = await createEstate(editor.as);
    const { client, messages } = await connectMqtt(own.key, version);
    await client.subscribeAsync(`groups/${own.groupId}/commands/lights/+`, { qos: 1 });
    await call('POST', `/groups/${own.groupId}/commands/heating`, {
      as: editor.as,
      body: { command: 'no' },
    });
    await call('POST', `/groups/${own.groupId}/commands/lights/hall`, {
      as: editor.as,
      body: { command: 'off' },
    });
    await eventually(() => expect(messages).toHaveLength(1));
    expect(messages[0]?.topic).toBe(`groups/${own.groupId}/commands/lights/hall`);
    const path = `/things/${own.thingId}/commands?state=queued`;
    expect(at(await call('GET', path, { as: editor.as }), 'commands', 0, 'command')).toBe('no');
  });

  it('that is not acknowledged comes again with the next connection', async () => {
    const thing = await newThing();
    const lasting = { clientId: randomUUID(), clean: false, ...lastingOf(version) };
    const raw = await RawMqtt.connected(thing.key, version, lasting);
    raw.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [{ topic: `things/${thing.id}/commands/#`, qos: 1 }],
    });
    await raw.until('suback');
    const id = await send(thing.id, 'open');
    const first = await raw.until('publish');
    expect(first).toMatchObject({ dup: false, qos: 1 });
    raw.socket.destroy();
    const next = await connectMqtt(thing.key, version, lasting);
    await eventually(() => expect(next.messages).toHaveLength(1));
    expect(next.messages[0]).toMatchObject({ dup: true });
    expect(JSON.parse(String(next.messages[0]?.payload))).toMatchObject({ id });
    await eventually(async () => expect(await seen(id)).toMatchObject({ state: 'acknowledged' }));
    await next.end();
    const last = await connectMqtt(thing.key, version, { clientId: randomUUID() });
    await last.client.subscribeAsync(`things/${thing.id}/commands/#`, { qos: 1 });
    const marker = await send(thing.id, 'marker');
    await eventually(() => expect(last.messages).toHaveLength(1));
    expect(JSON.parse(String(last.messages[0]?.payload))).toMatchObject({ id: marker });
  });

  it('that is acknowledged while it is looked for does not come again', async () => {
    const thing = await newThing();
    const lasting = { clientId: randomUUID(), clean: false, ...lastingOf(version) };
    const raw = await RawMqtt.connected(thing.key, version, lasting);
    const subscriptions = [{ topic: `things/${thing.id}/commands/#`, qos: 1 as const }];
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions });
    await raw.until('suback');
    const id = await send(thing.id, 'open');
    await raw.until('publish');
    raw.socket.destroy();
    const pool = new Pool({ connectionString: system().databaseUrl, max: 2 });
    const held = await pool.connect();
    try {
      // The edge finds the command due, and can't take it yet.
      await held.query('BEGIN');
      await held.query('SELECT FROM commands WHERE id = $1 FOR UPDATE', [id]);
      const next = await RawMqtt.connected(thing.key, version, lasting);
      const again = await next.until('publish');
      await eventually(async () => {
        const { rows } = await pool.query(
          `SELECT FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND query LIKE '%SET due_at = now() + make_interval%deliveries + 1%'`,
        );
        expect(rows).toHaveLength(1);
      });
      if (again.cmd !== 'publish') throw new Error(again.cmd);
      next.send({ cmd: 'puback', messageId: again.messageId ?? 0 }, { cmd: 'pingreq' });
      await next.until('pingresp');
      await held.query('COMMIT');
      await eventually(async () => expect(await seen(id)).toMatchObject({ state: 'acknowledged' }));
      const marker = await send(thing.id, 'marker');
      await eventually(() => {
        const last = next.of('publish').at(-1);
        expect(last?.cmd === 'publish' && String(last.payload)).toContain(marker);
      });
      expect(next.of('publish')).toHaveLength(2);
    } finally {
      held.release(true);
      await pool.end();
    }
  });

  it('with QoS 0 is sent once, and counts as acknowledged', async () => {
    const thing = await newThing();
    const { client, messages } = await connectMqtt(thing.key, version);
    await client.subscribeAsync(`things/${thing.id}/commands`, { qos: 0 });
    const id = await send(thing.id, 'open');
    await eventually(() => expect(messages).toHaveLength(1));
    await eventually(async () => expect(await seen(id)).toMatchObject({ state: 'acknowledged' }));
  });

  it('does not come any more after the subscription ends', async () => {
    const thing = await newThing();
    const { client, messages } = await connectMqtt(thing.key, version);
    await client.subscribeAsync(`things/${thing.id}/commands/#`, { qos: 1 });
    await client.unsubscribeAsync(`things/${thing.id}/commands/#`);
    const id = await send(thing.id, 'open');
    await client.subscribeAsync(`things/${thing.id}/messages/#`, { qos: 1 });
    expect(await seen(id)).toMatchObject({ state: 'queued' });
    expect(messages).toEqual([]);
  });

  it('of another thing or group can not be subscribed to', async () => {
    const [thing, other] = [await newThing(), await createEstate(editor.as)];
    const { client } = await connectMqtt(thing.key, version);
    const filters = [
      `things/${other.thingId}/commands/#`,
      `groups/${other.groupId}/commands/#`,
      'things/+/commands/#',
      'groups/+/commands/#',
      '+/+/commands/#',
    ];
    for (const filter of filters) {
      const grants = await client
        .subscribeAsync(filter, { qos: 1 })
        .catch(() => [{ topic: filter, qos: 128 }]);
      expect(grants.map(({ qos }) => qos >= 128)).toEqual([true]);
    }
  });

  it('is sent by a thing as its type allows', async () => {
    const [controller, actuator] = [await newThing('controller'), await newThing('actuator')];
    const sender = await connectMqtt(controller.key, version);
    const receiver = await connectMqtt(actuator.key, version);
    await receiver.client.subscribeAsync(`things/${actuator.id}/commands/#`, { qos: 1 });
    const payload = JSON.stringify({ command: 'open' });
    await sender.client.publishAsync(`things/${actuator.id}/commands/valve`, payload, { qos: 1 });
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const { id } = Object(JSON.parse(String(receiver.messages[0]?.payload)));
    expect(await seen(id)).toMatchObject({ sender_id: controller.id, subtopic: 'valve' });
    const back = await receiver.client
      .publishAsync(`things/${controller.id}/commands`, payload, { qos: 1 })
      .then(() => undefined)
      .catch((error: unknown) => error);
    // 3.1.1 has no word for it.
    if (version === 5) expect(back).toMatchObject({ code: 0x87 });
    const path = `/things/${controller.id}/commands`;
    expect(at(await call('GET', path, { as: editor.as }), 'total')).toBe(0);
  });
});
