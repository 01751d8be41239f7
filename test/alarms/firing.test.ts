import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { createEstate, createThings, type Estate, People } from '../support/api/people.ts';
import { call } from '../support/api/http.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { connectMqtt, endMqttClients } from '../support/messages/mqtt.ts';
import { OpenStream } from '../support/messages/streams.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';

const people = new People();
let fleet: Fleet;
let as: string;
/** Beside the system's, as it was left by the test before: a start takes seconds of a core. */
let ownEdge: OwnEdge | undefined;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  as = `Bearer ${fleet.token}`;
});

afterAll(async () => {
  endMqttClients();
  if (ownEdge !== undefined) await stopOwnEdge(ownEdge);
  await fleet.close();
  await people.close();
});

type Made = { id: string; key: string };
type Site = Estate & { things: Made[] };

/** A group with things of a profile. */
async function openSite(config: ProfileConfig = {}, types = ['sensor']): Promise<Site> {
  const estate = await createEstate(as);
  await call('PUT', `/profiles/${estate.profileId}`, { as, body: { config } });
  const given = types.map((type) => ({ name: randomUUID(), type, external_key: randomUUID() }));
  return { ...estate, things: await createThings(as, estate.profileId, given) };
}

type RuleMembers = {
  conditions: object[];
  profileId?: string;
  thingIds?: string[];
  forS?: number;
};

async function makeRule({ groupId }: Site, members: RuleMembers): Promise<string> {
  const id = randomUUID();
  await people.rows(
    `INSERT INTO rules (id, group_id, name, match, conditions, for_s, clear_for_s, severity, profile_id, thing_ids)
     VALUES ($1, $2, 'rule', 'all', $3, $4, 0, 'warning', $5, $6)`,
    [
      id,
      groupId,
      JSON.stringify(members.conditions),
      members.forS ?? 0,
      members.profileId ?? null,
      members.thingIds ?? null,
    ],
  );
  return id;
}

/** The things for which a rule has fired, and whether it ended. */
async function fired(ruleId: string): Promise<Map<string, 'firing' | 'ended'>> {
  const rows = await people.rows(
    'SELECT thing_id, ended_at FROM alarms WHERE rule_id = $1 ORDER BY episode',
    [ruleId],
  );
  return new Map(
    rows.map(({ thing_id: id, ended_at: at }) => [String(id), at === null ? 'firing' : 'ended']),
  );
}

const above = { name: 't', when: '>', value: 8 };
const nowS = () => Date.now() / 1_000;
/** Of two records of one time the worse one counts: each has a time of its own. */
let lastS = 0;
const nextS = () => (lastS = Math.max(nowS(), lastS + 0.001));
const hot = () => [{ n: 't', t: nextS(), v: 9 }];
const cool = () => [{ n: 't', t: nextS(), v: 7 }];

async function publish({ key }: Made, records: object[], url = system().ingestUrl): Promise<void> {
  const { status, error } = await fleet.publish(key, records, { ingestUrl: url });
  if (status !== 202) throw new Error(`answered ${status}: ${error}`);
}

/** Sends until the rule fires: an edge knows of a change of rules within a second. */
async function expectFiring(
  ruleId: string,
  thing: Made,
  send: () => Promise<unknown>,
): Promise<void> {
  await eventually(async () => {
    await send();
    return (await fired(ruleId)).get(thing.id) === 'firing';
  });
}

async function expectEnd(ruleId: string, thing: Made, send: () => Promise<unknown>): Promise<void> {
  await send();
  await eventually(async () => (await fired(ruleId)).get(thing.id) === 'ended');
}

const only = ({ things: [thing] }: Site): Made => {
  if (thing === undefined) throw new Error('there is no thing');
  return thing;
};

describe('a rule', () => {
  it('fires and ends by messages over HTTP', async () => {
    const site = await openSite();
    const thing = only(site);
    const id = await makeRule(site, { conditions: [above] });
    await expectFiring(id, thing, () => publish(thing, hot()));
    await expectEnd(id, thing, () => publish(thing, cool()));
  });

  it('fires and ends by messages over MQTT', async () => {
    const site = await openSite({ content_type: 'application/senml+json' });
    const thing = only(site);
    const id = await makeRule(site, { conditions: [above] });
    const { client } = await connectMqtt(thing.key, 5);
    const send = (records: object) => client.publishAsync('a', JSON.stringify(records), { qos: 1 });
    await expectFiring(id, thing, () => send(hot()));
    await expectEnd(id, thing, () => send(cool()));
  });

  it('fires and ends by messages of a stream', async () => {
    const site = await openSite();
    const thing = only(site);
    const id = await makeRule(site, { conditions: [above] });
    const stream = await OpenStream.open(system().ingestUrl, thing.key);
    const send = async (records: object) => {
      stream.socket.send(JSON.stringify(records));
      await stream.answered(stream.ack + 1);
    };
    await expectFiring(id, thing, () => send(hot()));
    await expectEnd(id, thing, () => send(cool()));
    stream.close();
  });

  it('fires and ends by points of line protocol', async () => {
    const site = await openSite();
    const thing = only(site);
    const id = await makeRule(site, { conditions: [above] });
    await expectFiring(id, thing, () => fleet.write(thing.key, 't,room=hall value=9'));
    await expectEnd(id, thing, () => fleet.write(thing.key, 't,room=hall value=7'));
  });

  it('fires by each series of a body of line protocol, stored or not', async () => {
    for (const write of [true, false]) {
      const site = await openSite({ write });
      const thing = only(site);
      const ids = [];
      for (const name of ['t', 'u', 'text']) {
        const condition = name === 'text' ? { when: '==', value: 'on' } : { when: '>', value: 8 };
        ids.push(await makeRule(site, { conditions: [{ name, ...condition }] }));
      }
      const lines = [
        't,room=hall value=9',
        'other value=1,more="é"',
        'text value="on"',
        'u value=9',
      ];
      for (const id of ids) {
        await expectFiring(id, thing, () => fleet.write(thing.key, lines.join('\n')));
      }
      if (write) await eventually(async () => (await fleet.stored(thing.id)) > 0);
      else expect(await fleet.stored(thing.id)).toBe(0);
    }
  });

  it('fires for each device of a body of line protocol by a gateway', async () => {
    const gateway = { device_tag: 'dev', create_things: true };
    const site = await openSite({ gateway }, ['gateway']);
    const id = await makeRule(site, { conditions: [above] });
    const lines = [randomUUID(), randomUUID()].map((device) => `t,dev=${device} value=9`);
    await eventually(async () => {
      await fleet.write(only(site).key, lines.join('\n'));
      return (await fired(id)).size === 2;
    });
    expect((await fired(id)).has(only(site).id)).toBe(false);
  });

  it('fires and ends by members of JSON', async () => {
    const site = await openSite({ content_type: 'application/json' });
    const thing = only(site);
    const id = await makeRule(site, { conditions: [{ path: 'room.t', when: '>', value: 8 }] });
    const send = (t: number) =>
      fleet.publish(thing.key, { room: { t } }, { contentType: 'application/json' });
    await expectFiring(id, thing, () => send(9));
    await expectEnd(id, thing, () => send(7));
  });

  it('fires for the device that a gateway speaks for, and not for the gateway', async () => {
    const site = await openSite({ gateway: { device_tag: 'dev' } }, ['gateway', 'sensor']);
    const [gateway, device] = site.things;
    const id = await makeRule(site, { conditions: [above] });
    if (gateway === undefined || device === undefined) throw new Error('things are missing');
    const { client } = await connectMqtt(gateway.key, 5);
    const send = (records: object) =>
      client.publishAsync(`things/${device.id}/messages`, JSON.stringify(records), {
        qos: 1,
        properties: { contentType: 'application/senml+json' },
      });
    await expectFiring(id, device, () => send(hot()));
    await expectEnd(id, device, () => send(cool()));
    expect([...(await fired(id)).keys()]).toEqual([device.id]);
  });

  it('fires for messages that are not stored, too', async () => {
    const site = await openSite({ write: false });
    const thing = only(site);
    const id = await makeRule(site, { conditions: [above] });
    await expectFiring(id, thing, () => publish(thing, hot()));
    expect(await fleet.stored(thing.id)).toBe(0);
  });

  it('is about the things of its list alone, if it has one', async () => {
    const site = await openSite({}, ['sensor', 'sensor']);
    const [listed, other] = site.things;
    if (listed === undefined || other === undefined) throw new Error('things are missing');
    const id = await makeRule(site, { conditions: [above], thingIds: [listed.id] });
    await expectFiring(id, listed, async () => {
      await publish(other, hot());
      await publish(listed, hot());
    });
    expect([...(await fired(id)).keys()]).toEqual([listed.id]);
  });

  it('that is changed holds for messages from within a second', async () => {
    const site = await openSite();
    const thing = only(site);
    const id = await makeRule(site, { conditions: [{ ...above, value: 100 }] });
    await publish(thing, hot());
    await people.rows('UPDATE rules SET conditions = $2 WHERE id = $1', [
      id,
      JSON.stringify([above]),
    ]);
    await expectFiring(id, thing, () => publish(thing, hot()));
  });

  it('tells of each transition once, with the values of its record', async () => {
    const site = await openSite();
    const thing = only(site);
    const id = await makeRule(site, { conditions: [above] });
    await expectFiring(id, thing, () => publish(thing, hot()));
    await publish(thing, hot());
    await expectEnd(id, thing, () => publish(thing, cool()));
    const notices = await people.rows(
      'SELECT transition FROM alarm_notices WHERE rule_id = $1 ORDER BY at',
      [id],
    );
    expect(notices.map(({ transition }) => transition)).toEqual(['fired', 'ended']);
    const [alarm] = await people.rows(
      'SELECT began_values, ended_values FROM alarms WHERE rule_id = $1',
      [id],
    );
    expect(alarm).toEqual({
      began_values: [{ name: 't', value: 9 }],
      ended_values: [{ name: 't', value: 7 }],
    });
  });

  it('keeps the units of the records that began and ended an alarm', async () => {
    const site = await openSite();
    const thing = only(site);
    const id = await makeRule(site, { conditions: [above, { name: 'h', when: '>', value: 0 }] });
    const other = { n: 'x', u: 'm', v: 1 };
    const temperature = { n: 't', u: 'Cel' };
    await expectFiring(id, thing, async () => {
      await publish(thing, [{ n: 'h', u: '%RH', t: nextS(), v: 40 }]);
      await publish(thing, [other, { ...temperature, t: nextS(), v: 9 }]);
    });
    const last = { t: nextS() };
    await expectEnd(id, thing, () =>
      publish(thing, [
        { ...temperature, ...last, v: 7 },
        other,
        { n: 'h', u: '%RH', ...last, v: 41 },
      ]),
    );
    const [alarm] = await people.rows(
      'SELECT began_values, ended_values FROM alarms WHERE rule_id = $1',
      [id],
    );
    expect(alarm).toEqual({
      // The other value had come before.
      began_values: [
        { name: 't', value: 9, unit: 'Cel' },
        { name: 'h', value: 40 },
      ],
      ended_values: [
        { name: 't', value: 7, unit: 'Cel' },
        { name: 'h', value: 41, unit: '%RH' },
      ],
    });
  });

  it('raises nothing for a thing that left the group after its message', async () => {
    const site = await openSite({}, ['sensor', 'sensor']);
    const elsewhere = await openSite();
    const [thing, other] = site.things;
    if (thing === undefined || other === undefined) throw new Error('things are missing');
    const id = await makeRule(site, { conditions: [above] });
    await expectFiring(id, other, () => publish(other, hot()));
    const database = new Client({ connectionString: system().databaseUrl });
    await database.connect();
    await database.query('BEGIN');
    // The sink waits for this row, with the message in hand.
    await database.query('SELECT FROM alarm_logs FOR UPDATE');
    await publish(thing, hot());
    const body = { profile_id: elsewhere.profileId };
    expect((await call('PATCH', `/things/${thing.id}`, { as, body })).status).toBe(200);
    await database.query('COMMIT');
    await database.end();
    await expectEnd(id, other, () => publish(other, cool()));
    expect([...(await fired(id)).keys()]).toEqual([other.id]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'goes on after its edge was restarted, and does not fire by a record that comes late then (%s)',
    async (signal) => {
      const site = await openSite({}, ['sensor', 'sensor', 'sensor']);
      const [first, thing, other] = site.things;
      if (first === undefined || thing === undefined || other === undefined) {
        throw new Error('things are missing');
      }
      const rules = [
        await makeRule(site, { conditions: [above] }),
        await makeRule(site, { conditions: [above] }),
      ];
      const edge = ownEdge ?? (await startOwnEdge({}));
      const send = (to: Made, t: number, v: number, url: string) =>
        publish(to, [{ n: 't', t, v }], url);
      const base = nowS() - 600;
      for (const id of rules) {
        await expectFiring(id, first, () => send(first, base, 9, edge.url));
      }
      await send(thing, base + 100, 5, edge.url);
      // The sink has it once it has what came after it.
      for (const id of rules) {
        await expectFiring(id, other, () => send(other, base + 100, 9, edge.url));
      }
      await fleet.allStored();
      ownEdge = undefined;
      edge.process.kill(signal);
      await once(edge.process, 'exit');
      const again = await startOwnEdge({ DATA_DIR: edge.dataDir });
      ownEdge = again;
      await send(thing, base + 50, 9, again.url);
      for (const id of rules) {
        await expectEnd(id, other, () => send(other, base + 200, 5, again.url));
        expect(new Set((await fired(id)).keys())).toEqual(new Set([first.id, other.id]));
      }
    },
  );

  it('counts records that come by several edges as one series', async () => {
    const site = await openSite();
    const thing = only(site);
    const id = await makeRule(site, { conditions: [above] });
    const other = ownEdge ?? (await startOwnEdge({}));
    ownEdge = other;
    await expectFiring(id, thing, () => publish(thing, hot()));
    await eventually(async () => {
      await publish(thing, cool(), other.url);
      return (await fired(id)).get(thing.id) === 'ended';
    });
    await expectFiring(id, thing, () => publish(thing, hot(), other.url));
    await eventually(async () => {
      await publish(thing, cool());
      return (await fired(id)).get(thing.id) === 'ended';
    });
    const [count] = await people.rows(
      'SELECT count(*)::int AS alarms FROM alarms WHERE rule_id = $1',
      [id],
    );
    expect(count).toEqual({ alarms: 2 });
  });
});
