import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { Thing } from '../../schemas/resources/thing.ts';
import { at, call } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  createdAt,
  type Estate,
  People,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { lastAcceptedMs } from '../support/messages/last-accepted.ts';
import { connectMqtt, endMqttClients } from '../support/messages/mqtt.ts';
import { OpenStream } from '../support/messages/streams.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { errorOf, write } from './line/write.ts';

const jsonType = 'application/json';
const versions = [4, 5] as const;

const people = new People();
let fleet: Fleet;
let as: string;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  as = `Bearer ${fleet.token}`;
});

afterAll(async () => {
  endMqttClients();
  await people.close();
  await fleet.close();
});

/** The gateway by which each was heard last; null: by itself. */
async function heardBy(ids: readonly string[]): Promise<unknown[]> {
  const rows = await people.rows(
    'SELECT thing_id, gateway_id FROM things_seen WHERE thing_id = ANY ($1::uuid[])',
    [ids],
  );
  const gateways = new Map(rows.map((row) => [row['thing_id'], row['gateway_id']]));
  return ids.map((id) => gateways.get(id));
}

type Made = { id: string; key: string };

/** A group with a gateway, whose profile has this config. */
async function openSite(config: ProfileConfig): Promise<Estate & { gateway: Made }> {
  const estate = await createEstate(as);
  const { status } = await call('PUT', `/profiles/${estate.profileId}`, { as, body: { config } });
  expect(status).toBe(200);
  const [gateway] = await createThings(as, estate.profileId, [{ name: 'hub', type: 'gateway' }]);
  if (gateway === undefined) throw new Error('no gateway was made');
  return { ...estate, gateway };
}

/** A device of a group, with a profile of its own. */
async function addDevice(
  { groupId }: Estate,
  externalKey: string,
  config: ProfileConfig = {},
): Promise<Made> {
  const profile = [{ name: randomUUID(), config }];
  const profileId = await createdAt(`/groups/${groupId}/profiles`, as, profile);
  const given = [{ name: randomUUID(), type: 'sensor', external_key: externalKey }];
  const [device] = await createThings(as, profileId, given);
  if (device === undefined) throw new Error('no device was made');
  return device;
}

const newEui = () => randomBytes(8).toString('hex');

/** An uplink as ChirpStack 4 posts it. */
const chirpStackUplink = (devEui: string, object: object) => ({
  deduplicationId: randomUUID(),
  time: '2026-03-04T05:06:07.500+00:00',
  deviceInfo: {
    tenantId: randomUUID(),
    tenantName: 'Mill',
    applicationId: randomUUID(),
    applicationName: 'cold rooms',
    deviceProfileId: randomUUID(),
    deviceProfileName: 'thermometer',
    deviceName: 'north',
    devEui,
    deviceClassEnabled: 'CLASS_A',
    tags: { room: '7' },
  },
  devAddr: '01a2b3c4',
  adr: true,
  dr: 5,
  fCnt: 41,
  fPort: 2,
  confirmed: false,
  data: 'AWcA4QJoVQ==',
  object,
  rxInfo: [{ gatewayId: '0016c001f1500812', uplinkId: 4012, rssi: -57, snr: 9.5, context: 'AAA=' }],
  txInfo: { frequency: 868_100_000, modulation: { lora: { spreadingFactor: 7 } } },
});

/** An uplink as The Things Stack 3 posts it. */
const thingsStackUplink = (ids: { device_id: string; dev_eui: string }, decoded: object) => ({
  end_device_ids: {
    ...ids,
    application_ids: { application_id: 'cold-rooms' },
    join_eui: '0000000000000007',
    dev_addr: '260B1234',
  },
  correlation_ids: [`gs:uplink:${randomUUID()}`],
  received_at: '2026-03-04T05:06:08.123456789Z',
  uplink_message: {
    session_key_id: 'AYzm0w==',
    f_port: 2,
    f_cnt: 17,
    frm_payload: 'AWcA4Q==',
    decoded_payload: decoded,
    rx_metadata: [{ gateway_ids: { gateway_id: 'roof', eui: '0016C001F1500812' }, rssi: -80 }],
    settings: { data_rate: { lora: { bandwidth: 125_000, spreading_factor: 7 } } },
    received_at: '2026-03-04T05:06:07.9Z',
  },
});

async function payloadsOf(id: string): Promise<unknown[]> {
  return (await fleet.readJson(id)).map(({ payload }) => payload);
}

const post = (key: string, body: unknown, subtopic = '', ingestUrl = system().ingestUrl) =>
  fleet.publish(key, body, { contentType: jsonType, subtopic, ingestUrl });

describe('a gateway that posts', () => {
  it('uplinks of ChirpStack 4 speaks for the device of each', async () => {
    const site = await openSite({ gateway: { device_path: 'deviceInfo.devEui' } });
    const euis = [newEui(), newEui()];
    const config: ProfileConfig = {
      content_type: jsonType,
      transformer: { data_field: 'object', time_field: 'time', time_format: 'rfc3339' },
    };
    const devices = await Promise.all(euis.map((eui) => addDevice(site, eui, config)));
    for (const [index, eui] of euis.entries()) {
      const answer = await fetch(`${system().ingestUrl}/http/messages?event=up`, {
        method: 'POST',
        headers: { authorization: `Thing ${site.gateway.key}`, 'content-type': jsonType },
        body: JSON.stringify(chirpStackUplink(eui, { temperature: 4.5, room: index })),
      });
      expect([answer.status, await answer.text()]).toEqual([202, '']);
    }
    for (const [index, device] of devices.entries()) {
      await eventually(async () => {
        const messages = await fleet.readJson(device.id);
        const payload = { temperature: 4.5, room: index };
        const created = Date.parse('2026-03-04T05:06:07.500Z') * 1e6;
        expect(messages).toMatchObject([
          { publisher: device.id, protocol: 'http', created, payload },
        ]);
      });
    }
    expect(await fleet.stored(site.gateway.id, 'json')).toBe(0);
    await eventually(async () => {
      for (const { id } of [site.gateway, ...devices]) {
        const seen = at(await call('GET', `/things/${id}`, { as }), 'last_seen');
        expect(Date.parse(String(seen))).toBeGreaterThan(Date.now() - 60_000);
      }
    });
    const ids = [site.gateway, ...devices].map(({ id }) => id);
    const ofGateway = devices.map(() => site.gateway.id);
    await eventually(async () => expect(await heardBy(ids)).toEqual([null, ...ofGateway]));
    // Who sends with a key of its own is heard by itself.
    const [own] = devices;
    const headers = { authorization: `Thing ${own?.key}`, 'content-type': jsonType };
    const body = JSON.stringify(chirpStackUplink(euis[0] ?? '', { temperature: 5 }));
    await fetch(`${system().ingestUrl}/http/messages`, { method: 'POST', headers, body });
    await eventually(async () =>
      expect(await heardBy(ids)).toEqual([null, null, ...ofGateway.slice(1)]),
    );
  });

  it.each(['device_id', 'dev_eui'] as const)(
    'uplinks of The Things Stack 3 speaks for the device of their %s',
    async (member) => {
      const site = await openSite({ gateway: { device_path: `end_device_ids.${member}` } });
      const ids = { device_id: `eui-${newEui()}`, dev_eui: newEui().toUpperCase() };
      const device = await addDevice(site, ids[member], {
        transformer: { data_field: 'uplink_message.decoded_payload' },
      });
      const uplink = thingsStackUplink(ids, { celsius: 21.25 });
      expect(await post(site.gateway.key, uplink, 'ttn/up')).toMatchObject({ status: 202 });
      await eventually(async () => {
        expect(await fleet.readJson(device.id)).toMatchObject([
          { subtopic: 'ttn.up', payload: { celsius: 21.25 } },
        ]);
      });
    },
  );

  it('a message without a device, or with an empty one, sends its own', async () => {
    const site = await openSite({ gateway: { device_path: 'dev' } });
    const own = [{ up: 1 }, { dev: null, up: 2 }, { dev: '', up: 3 }, [{ dev: 'a', up: 4 }]];
    for (const body of own) {
      expect(await post(site.gateway.key, body)).toMatchObject({ status: 202 });
    }
    const senml = '[{"n":"dev","vs":"x"}]';
    expect(await fleet.publish(site.gateway.key, senml)).toMatchObject({ status: 202 });
    await eventually(async () => {
      expect(await fleet.stored(site.gateway.id, 'json')).toBe(own.length);
      expect(await fleet.stored(site.gateway.id)).toBe(1);
    });
    for (const dev of [true, {}, 1.5]) {
      expect(await post(site.gateway.key, { dev })).toEqual({
        status: 400,
        error: 'malformed entity specification: device_path "dev": must be text or a whole number',
        retryAfter: undefined,
      });
    }
  });

  it('with a prefix of its keys, names devices by what follows it', async () => {
    const prefix = `${randomUUID()}/`;
    const site = await openSite({ gateway: { device_path: 'n', key_prefix: prefix } });
    const device = await addDevice(site, `${prefix}7`);
    expect(await post(site.gateway.key, { n: 7, v: 1 })).toMatchObject({ status: 202 });
    await eventually(async () => expect(await payloadsOf(device.id)).toEqual([{ n: 7, v: 1 }]));
  });

  it('calls the webhooks of the device, and not its own', async () => {
    const receiver = await openReceiver();
    const site = await openSite({ gateway: { device_path: 'dev' } });
    const eui = newEui();
    const device = await addDevice(site, eui);
    for (const [thing, path] of [
      [site.gateway.id, '/gateway'],
      [device.id, '/device'],
    ] as const) {
      const body = [{ name: path, url: receiver.url(path) }];
      const made = await call('POST', `/things/${thing}/webhooks`, { as, body });
      expect(made.status).toBe(201);
    }
    await eventually(async () => {
      await post(site.gateway.key, { dev: eui });
      expect(receiver.at('/device').length).toBeGreaterThan(0);
    });
    expect(receiver.at('/gateway')).toEqual([]);
    await receiver.close();
  });
});

describe.each(versions)('a gateway over MQTT %i', (version) => {
  it('sends the topics of Zigbee2MQTT for their devices', async () => {
    const site = await openSite({ gateway: { device_level: 2 } });
    const names = [`lamp-${newEui()}`, `door-${newEui()}`];
    const [lamp, door] = await Promise.all(names.map((name) => addDevice(site, name)));
    const { client, end } = await connectMqtt(site.gateway.key, version);
    const publish = (topic: string, payload: object) =>
      client.publishAsync(topic, JSON.stringify(payload), { qos: 1 });
    await Promise.all([
      publish(`zigbee2mqtt/${names[0]}`, { state: 'ON', brightness: 215 }),
      publish(`zigbee2mqtt/${names[1]}`, { contact: false, battery: 97, linkquality: 120 }),
      publish(`zigbee2mqtt/${names[0]}/availability`, { state: 'online' }),
      publish('uptime', { seconds: 5 }),
    ]);
    await eventually(async () => {
      const of = async (id = '') =>
        (await fleet.readJson(id)).map(({ subtopic, payload }) => [subtopic, payload]);
      const lamps = await of(lamp?.id);
      expect(lamps).toHaveLength(2);
      expect(lamps).toContainEqual(['zigbee2mqtt', { state: 'ON', brightness: 215 }]);
      expect(lamps).toContainEqual(['zigbee2mqtt.availability', { state: 'online' }]);
      expect(await of(door?.id)).toEqual([
        ['zigbee2mqtt', { contact: false, battery: 97, linkquality: 120 }],
      ]);
      expect(await of(site.gateway.id)).toEqual([['uptime', { seconds: 5 }]]);
    });
    await end();
  });

  it('publishes to the topics of things of its group, at each QoS', async () => {
    const site = await openSite({});
    const device = await addDevice(site, newEui());
    const { client, end } = await connectMqtt(site.gateway.key, version);
    for (const qos of [0, 1, 2] as const) {
      const topic = `things/${device.id.toUpperCase()}/messages/a/b`;
      await client.publishAsync(topic, `[{"n":"q","v":${qos}}]`, { qos });
    }
    await client.publishAsync(`things/${site.gateway.id}/messages`, '[{"n":"own","v":1}]', {
      qos: 1,
    });
    await eventually(async () => {
      const found = await fleet.readSenml(device.id);
      const told = found.map(({ value, subtopic, protocol }) => ({ value, subtopic, protocol }));
      expect(told).toHaveLength(3);
      for (const value of [0, 1, 2]) {
        expect(told).toContainEqual({ value, subtopic: 'a.b', protocol: 'mqtt' });
      }
      expect(await fleet.stored(site.gateway.id)).toBe(1);
    });
    await end();
  });
});

describe('by MQTT 5', () => {
  it('who is no gateway, or none of the group, is refused alike', async () => {
    const [site, other] = [await openSite({}), await openSite({})];
    const [mine, foreign] = [await addDevice(site, newEui()), await addDevice(other, newEui())];
    const { client, end } = await connectMqtt(site.gateway.key, 5);
    for (const id of [foreign.id, other.gateway.id, randomUUID()]) {
      const publishing = client.publishAsync(`things/${id}/messages`, '[{"n":"a","v":1}]', {
        qos: 1,
      });
      await expect(publishing).rejects.toMatchObject({ code: 0x87 });
    }
    const device = await connectMqtt(mine.key, 5);
    const publishing = device.client.publishAsync(`things/${site.gateway.id}/messages`, '{}', {
      qos: 1,
    });
    await expect(publishing).rejects.toMatchObject({ code: 0x87 });
    await Promise.all([end(), device.end()]);
  });

  it.each(['moved', 'deleted'])(
    'a thing that is %s is not published for a second later',
    async (what) => {
      const site = await openSite({});
      const device = await addDevice(site, newEui());
      const { client, end } = await connectMqtt(site.gateway.key, 5);
      const status = async () => {
        const topic = `things/${device.id}/messages`;
        const publishing = client.publishAsync(topic, '[{"n":"a","v":1}]', { qos: 1 });
        return publishing.then(
          () => 202,
          (error: unknown) => Number(Reflect.get(Object(error), 'code')),
        );
      };
      expect(await status()).toBe(202);
      const path = `/things/${device.id}`;
      // A change is journaled under the key, also for a device that is remembered by its id.
      const key = randomUUID();
      await call('PUT', path, { as, body: { name: 'rotated', type: 'sensor', key } });
      await eventually(async () =>
        expect(await fleet.publish(key, [])).toMatchObject({ status: 400 }),
      );
      expect(await status()).toBe(202);
      if (what === 'deleted') await call('DELETE', path, { as });
      else {
        const { profileId: profile_id } = await openSite({});
        await call('PATCH', path, { as, body: { profile_id } });
      }
      const since = performance.now();
      expect(await lastAcceptedMs(status, since)).toBeLessThan(1_000);
      expect(await status()).toBe(0x87);
      await end();
    },
  );

  it('the will of a gateway is that of the device that its topic names', async () => {
    const site = await openSite({ gateway: { device_level: 1 } });
    const eui = newEui();
    const device = await addDevice(site, eui);
    const will = { topic: `${eui}/state`, payload: Buffer.from('{"on":0}'), qos: 1 } as const;
    const { client } = await connectMqtt(site.gateway.key, 5, { will });
    client.stream.destroy();
    await eventually(async () => {
      expect(await fleet.readJson(device.id)).toMatchObject([
        { subtopic: 'state', payload: { on: 0 } },
      ]);
    });
  });
});

describe('a gateway with a stream', () => {
  it('sends for several devices in one frame, in order, and is told of each that it may not', async () => {
    const site = await openSite({ gateway: { device_path: 'dev' } });
    const euis = [newEui(), newEui()];
    const devices = await Promise.all(euis.map((eui) => addDevice(site, eui)));
    const stream = await OpenStream.open(system().ingestUrl, site.gateway.key, {
      contentType: jsonType,
    });
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const lines = numbers.map((number) => {
      const dev = [euis[0], euis[1], 'nobody', undefined][number % 4];
      return JSON.stringify({ dev, number });
    });
    stream.socket.send(lines.slice(0, 20).join('\n'));
    stream.socket.send(lines.slice(20).join('\n'));
    await stream.answered(lines.length);
    const refused = stream.refused.flatMap(({ from, to, code }) =>
      Array.from({ length: to - from + 1 }, (_, more) => [from + more, code]),
    );
    const ofNobody = numbers.filter((number) => number % 4 === 2);
    expect(refused).toEqual(ofNobody.map((number) => [number + 1, 'forbidden']));
    await eventually(async () => {
      for (const [place, thing] of [...devices, undefined, site.gateway].entries()) {
        if (thing === undefined) continue;
        const sent = (await payloadsOf(thing.id)).map((one) =>
          Number(Reflect.get(Object(one), 'number')),
        );
        const own = numbers.filter((number) => number % 4 === place);
        expect(sent.toSorted((a, b) => a - b)).toEqual(own);
      }
    });
    stream.close();
  });
});

describe('a gateway that writes line protocol', () => {
  const lines = (...all: string[]) => all.join('\n');
  const send = (key: string, body: string) =>
    write(`${system().ingestUrl}/write?db=any`, body, { authorization: `Token ${key}` });

  it('sends each point for the device that its tag names, as Telegraf names its host', async () => {
    const receiver = await openReceiver();
    const site = await openSite({ gateway: { device_tag: 'host' } });
    const hosts = [`db-${newEui()}`, `web-${newEui()}`];
    const [db, web] = await Promise.all(hosts.map((host) => addDevice(site, host)));
    const webhook = [{ name: 'web', url: receiver.url('/web') }];
    const body = lines(
      `cpu,cpu=cpu0,host=${hosts[0]} usage_idle=90.5,usage_user=2 1700000000000000000`,
      `cpu,cpu=cpu0,host=${hosts[1]} usage_idle=50 1700000000000000000`,
      `cpu,cpu=cpu1,host=${hosts[0]} usage_idle=91 1700000000000000000`,
      'internal_agent gather_errors=0i 1700000000000000000',
    );
    await call('POST', `/things/${web?.id}/webhooks`, { as, body: webhook });
    expect(await send(site.gateway.key, body)).toMatchObject({ status: 204 });
    const of = async (id = '') =>
      (await fleet.readSenml(id)).map(
        ({ name, subtopic, value }) => `${subtopic} ${name} ${value}`,
      );
    await eventually(async () => {
      expect((await of(db?.id)).toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
        'cpu=cpu0 cpu.usage_idle 90.5',
        'cpu=cpu0 cpu.usage_user 2',
        'cpu=cpu1 cpu.usage_idle 91',
      ]);
      expect(await of(web?.id)).toEqual(['cpu=cpu0 cpu.usage_idle 50']);
      expect(await of(site.gateway.id)).toEqual(['undefined internal_agent.gather_errors 0']);
    });
    await eventually(async () => {
      await send(site.gateway.key, `cpu,host=${hosts[1]} v=1\ncpu,host=${hosts[0]} v=2`);
      expect(receiver.at('/web').length).toBeGreaterThan(0);
    });
    for (const { body: sent } of receiver.at('/web')) expect(String(sent)).not.toContain('"v":2');
    const ids = [site.gateway, db, web].map((one) => one?.id ?? '');
    const { id } = site.gateway;
    await eventually(async () => expect(await heardBy(ids)).toEqual([null, id, id]));
    await receiver.close();
  });

  it('keeps the points of devices that are there, and says which are not', async () => {
    const site = await openSite({ gateway: { device_tag: 'host' } });
    const host = newEui();
    const device = await addDevice(site, host);
    const partly = await send(site.gateway.key, lines('m,host=nobody v=1', `m,host=${host} v=2`));
    expect(partly.status).toBe(400);
    expect(errorOf(partly)).toBe(
      'partial write: a gateway speaks for things of its group, and none is "nobody" dropped=0',
    );
    await eventually(async () => expect(await fleet.stored(device.id)).toBe(1));
    expect(await send(site.gateway.key, 'm,host=nobody v=1')).toMatchObject({ status: 403 });
  });

  it('makes things where it may', async () => {
    const site = await openSite({ gateway: { device_tag: 'host', create_things: true } });
    const hosts = Array.from({ length: 20 }, newEui);
    const body = hosts.map((host) => `m,host=${host} v=1`).join('\n');
    expect(await send(site.gateway.key, body)).toMatchObject({ status: 204 });
    expect(await send(site.gateway.key, body)).toMatchObject({ status: 204 });
    const listed = await call('GET', `/groups/${site.groupId}/things?limit=200`, { as });
    const things = Value.Parse(Type.Array(Thing), at(listed, 'things'));
    expect(things.map(({ name }) => name)).toEqual(expect.arrayContaining(hosts));
    expect(things).toHaveLength(hosts.length + 2);
  });

  it('and is no gateway, keeps the tag in the subtopic', async () => {
    const site = await openSite({ gateway: { device_tag: 'host' } });
    expect(await send(site.key, 'm,host=abcde v=1')).toMatchObject({ status: 204 });
    await eventually(async () => {
      expect(await fleet.readSenml(site.thingId)).toMatchObject([{ subtopic: 'host=abcde' }]);
    });
  });
});

describe('a device is not spoken for', () => {
  const config: ProfileConfig = { gateway: { device_path: 'dev' } };

  it('if it is of another group or org, or absent: all three are told alike', async () => {
    const [site, otherOrg] = [await openSite(config), await openSite(config)];
    const groupId = await createdAt(`/orgs/${site.orgId}/groups`, as, { name: 'other' });
    const euis = [newEui(), newEui(), newEui()] as const;
    await addDevice({ ...site, groupId }, euis[0]);
    await addDevice(otherOrg, euis[1]);
    for (const eui of euis) {
      for (let time = 0; time < 2; time++) {
        const { status, error } = await post(site.gateway.key, { dev: eui });
        expect(status).toBe(403);
        expect(error.replace(eui, 'it')).toBe(
          'failed to perform authorization over the entity: a gateway speaks for things of its group, and none is "it"',
        );
      }
    }
  });

  it.each(['moved', 'deleted', 'given another external key'])(
    'within a second after it is %s',
    async (what) => {
      const site = await openSite(config);
      const eui = newEui();
      const device = await addDevice(site, eui);
      const status = async () => (await post(site.gateway.key, { dev: eui })).status;
      expect([await status(), await status()]).toEqual([202, 202]);
      const path = `/things/${device.id}`;
      if (what === 'deleted') await call('DELETE', path, { as });
      else if (what === 'moved') {
        const { profileId: profile_id } = await openSite({});
        await call('PATCH', path, { as, body: { profile_id } });
      } else {
        await call('PATCH', `${path}/external-key`, { as, body: { key: newEui() } });
      }
      const since = performance.now();
      expect(await lastAcceptedMs(status, since)).toBeLessThan(1_000);
      expect(await status()).toBe(403);
    },
  );

  it('within a second after its gateway is of another type: then that sends its own', async () => {
    const site = await openSite({ gateway: { device_path: 'dev' } });
    expect((await post(site.gateway.key, { dev: newEui() })).status).toBe(403);
    const path = `/things/${site.gateway.id}`;
    await call('PUT', path, { as, body: { name: 'hub', type: 'controller' } });
    await eventually(async () => {
      expect((await post(site.gateway.key, { dev: newEui() })).status).toBe(202);
    }, 1_000);
  });

  it('and costs neither its network nor PostgreSQL much', async () => {
    const site = await openSite(config);
    const flood = await Promise.all(
      Array.from({ length: 1_100 }, () => post(site.gateway.key, { dev: newEui() })),
    );
    const statuses = new Set(flood.map(({ status }) => status));
    expect(statuses).toEqual(new Set([403, 429]));
    const often = flood.find(({ status }) => status === 429);
    expect(often?.error).toContain('devices of this gateway that are not there');
    expect(Number(often?.retryAfter)).toBeGreaterThan(1);
    expect((await post(site.gateway.key, { own: 1 })).status).toBe(202);
    // Of the same network.
    expect((await fleet.publish(randomUUID(), [])).status).toBe(401);
    const other = await openSite(config);
    expect((await post(other.gateway.key, { dev: newEui() })).status).toBe(403);
  });
});

describe('a gateway that may make things', () => {
  const config: ProfileConfig = { gateway: { device_path: 'dev', create_things: true } };
  let edge: OwnEdge | undefined;

  afterAll(async () => {
    await fleet.allStored();
    if (edge !== undefined) await stopOwnEdge(edge);
  });

  const thingsOf = async ({ groupId }: Estate) => {
    const listed = await call('GET', `/groups/${groupId}/things?limit=200`, { as });
    return Value.Parse(Type.Array(Thing), at(listed, 'things'));
  };

  it('makes one for each new device, in its group and profile, and the audit log tells of it', async () => {
    const site = await openSite(config);
    const eui = newEui();
    expect(await post(site.gateway.key, { dev: eui, v: 1 })).toMatchObject({ status: 202 });
    expect(await post(site.gateway.key, { dev: eui, v: 2 })).toMatchObject({ status: 202 });
    const made = (await thingsOf(site)).find(({ name }) => name === eui);
    expect(made).toMatchObject({
      name: eui,
      type: 'device',
      external_key: eui,
      group_id: site.groupId,
      profile_id: site.profileId,
      metadata: {},
    });
    const id = made?.id ?? '';
    await eventually(async () => expect(await payloadsOf(id)).toHaveLength(2));
    const log = await call('GET', `/orgs/${site.orgId}/audit?kind=thing`, { as });
    expect(at(log, 'entries', 0)).toMatchObject({
      action: 'create',
      kind: 'thing',
      entity_id: id,
      entity_name: eui,
      actor_type: 'thing',
      actor_id: site.gateway.id,
      group_id: site.groupId,
    });
  });

  it('makes one by MQTT, and by a stream', async () => {
    const site = await openSite({ gateway: { device_level: 1, create_things: true } });
    const { client, end } = await connectMqtt(site.gateway.key, 4);
    const names = [newEui(), newEui()];
    await client.publishAsync(`${names[0]}/state`, '{"v":1}', { qos: 1 });
    const path = `/http/messages/stream/${names[1]}`;
    const stream = await OpenStream.open(system().ingestUrl, site.gateway.key, {
      path,
      contentType: jsonType,
    });
    stream.socket.send('{"v":1}\n{"v":2}');
    await stream.answered(2);
    expect(stream.refused).toEqual([]);
    const made = (await thingsOf(site)).map(({ name }) => name);
    expect(made).toEqual(expect.arrayContaining(names));
    stream.close();
    await end();
  });

  it('makes none for a message that can not be read, or for a name that no key may be', async () => {
    const transformer = { data_field: 'object' };
    const site = await openSite({ ...config, transformer });
    const before = (await thingsOf(site)).length;
    for (const body of [
      { dev: newEui() },
      { dev: 'abcd', object: {} },
      { dev: 'control\u0007', object: {} },
    ]) {
      expect((await post(site.gateway.key, body)).status).toBe(400);
    }
    expect(await thingsOf(site)).toHaveLength(before);
  });

  it('makes none beyond the quota of the org, or under a name that is taken', async () => {
    const site = await openSite(config);
    const quota = (await thingsOf(site)).length + 1;
    await call('PUT', `/orgs/${site.orgId}/quota`, { as, body: { things: quota } });
    const [first, second] = [newEui(), newEui()];
    expect((await post(site.gateway.key, { dev: first })).status).toBe(202);
    const { status, error } = await post(site.gateway.key, { dev: second });
    expect(status).toBe(403);
    expect(error).toContain('the org may have no more things: its quota');
    expect((await post(site.gateway.key, { dev: first })).status).toBe(202);
    const other = await openSite(config);
    const name = newEui();
    await createThings(as, other.profileId, [{ name, type: 'sensor' }]);
    expect(await post(other.gateway.key, { dev: name })).toMatchObject({ status: 409 });
  });

  it('makes none for a device of another org', async () => {
    const [site, other] = [await openSite(config), await openSite(config)];
    const eui = newEui();
    await addDevice(other, eui);
    expect((await post(site.gateway.key, { dev: eui })).status).toBe(403);
  });

  it('makes one thing though two edges see the device at the same moment', async () => {
    const site = await openSite(config);
    edge = await startOwnEdge({});
    const urls = [system().ingestUrl, edge.url];
    const euis = Array.from({ length: 30 }, newEui);
    const answers = await Promise.all(
      euis.flatMap((dev) => urls.map((url) => post(site.gateway.key, { dev }, '', url))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const made = (await thingsOf(site)).map(({ name }) => name);
    expect(made.filter((name) => euis.includes(name)).toSorted()).toEqual(euis.toSorted());
  });

  it('keeps what it was acknowledged over a kill of its edge, and makes nothing twice', async () => {
    const site = await openSite(config);
    const killed = edge ?? (await startOwnEdge({}));
    const euis = Array.from({ length: 60 }, newEui);
    const acknowledged: string[] = [];
    const sending = euis.map(async (dev) => {
      const { status } = await post(site.gateway.key, { dev, at: 1 }, '', killed.url);
      if (status === 202) acknowledged.push(dev);
    });
    await eventually(() => acknowledged.length >= 15);
    killed.process.kill('SIGKILL');
    const ended = sending.map((one) => one.catch(() => undefined));
    await Promise.all([once(killed.process, 'close'), ...ended]);
    const again = await startOwnEdge({ DATA_DIR: killed.dataDir });
    edge = again;
    for (const dev of euis) {
      const { status } = await post(site.gateway.key, { dev, at: 2 }, '', again.url);
      expect(status).toBe(202);
    }
    const made = (await thingsOf(site)).filter(({ name }) => euis.includes(name));
    expect(made.map(({ name }) => name).toSorted()).toEqual(euis.toSorted());
    await eventually(async () => {
      for (const { name, id } of made) {
        const sent = (await payloadsOf(id)).map((one) => Number(Reflect.get(Object(one), 'at')));
        const expected = acknowledged.includes(name) ? [1, 2] : [2];
        expect(sent).toEqual(expect.arrayContaining(expected));
      }
    });
  });
});

it('a thing of another type with such a profile speaks for itself alone', async () => {
  const site = await openSite({ gateway: { device_path: 'dev', create_things: true } });
  const eui = newEui();
  const device = await addDevice(site, eui);
  expect((await post(site.key, { dev: eui })).status).toBe(202);
  expect((await post(site.key, { dev: newEui() })).status).toBe(202);
  await eventually(async () => expect(await fleet.stored(site.thingId, 'json')).toBe(2));
  expect(await fleet.stored(device.id, 'json')).toBe(0);
});

describe('a profile with a gateway that contradicts itself', () => {
  it.each([
    [
      { gateway: { device_path: 'a', device_level: 1 } },
      'device_path: a message names its device in one place, and there is device_level',
    ],
    [
      { content_type: 'application/senml+json', gateway: { device_path: 'a' } },
      'device_path: is of JSON, and content_type is application/senml+json',
    ],
    [
      { gateway: { device_tag: 'unit' } },
      'device_tag: must not be unit, which has a meaning of its own',
    ],
    [
      { gateway: { create_things: true } },
      'create_things: needs device_tag, device_level or device_path',
    ],
    [{ gateway: { key_prefix: 'x' } }, 'key_prefix: needs device_tag, device_level or device_path'],
  ])('is refused: %j', async (config, why) => {
    const { profileId, groupId } = await createEstate(as);
    const change = await call('PUT', `/profiles/${profileId}`, { as, body: { config } });
    expect(change.status).toBe(400);
    expect(at(change, 'error')).toBe(`malformed entity specification: config.gateway.${why}`);
    const body = [{ name: 'good' }, { name: 'bad', config }];
    const making = await call('POST', `/groups/${groupId}/profiles`, { as, body });
    expect(at(making, 'error')).toBe(`malformed entity specification: 1.config.gateway.${why}`);
  });
});
