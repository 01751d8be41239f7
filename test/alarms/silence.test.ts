import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/http.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { noticesAt, silent, Site } from './world.ts';

/** The shortest time that a rule may have. */
const forS = 10;
/** Edges, and the workers that look, take some seconds to say what was heard. */
const lookMsMax = 45_000;
const stormThings = 3_000;

let fleet: Fleet;
let receiver: Receiver;
const sites: Site[] = [];

beforeAll(async () => {
  fleet = await Fleet.login(system());
  receiver = await openReceiver();
  const site = await openSite(['watched']);
  // With the first rule, workers begin to look, once the edge is up for a while.
  await site.rule({ conditions: [silent], forS: 86_400 });
  await eventually(async () => {
    const [span] = await site.rows<{ is: boolean }>(
      `SELECT max(to_at) - min(from_at) > make_interval(secs => $1) AS is FROM alarm_hearing`,
      [forS],
    );
    return span?.is === true;
  }, 120_000);
});

afterAll(async () => {
  for (const site of sites) await site.close();
  await receiver.close();
  await fleet.close();
});

async function openSite(names: readonly string[]): Promise<Site> {
  const site = await Site.open(names);
  sites.push(site);
  return site;
}

async function openRule(site: Site, members: Parameters<Site['rule']>[0] = {}) {
  const path = `/${randomUUID()}`;
  const receivers = { webhook_ids: [await site.webhook(receiver.url(path))] };
  const id = await site.rule({
    name: 'silence',
    conditions: [silent],
    forS,
    receivers,
    ...members,
  });
  return { id, path };
}

type Found = { thing: string; clock: string; beganMs: number; forMs: number; ended: boolean };

const alarmsOf = (site: Site, ruleId: string) =>
  site.rows<Found>(
    `SELECT things.name AS thing, clock, extract(epoch FROM began_at)::float8 * 1000 AS "beganMs",
            extract(epoch FROM fired_at - began_at)::float8 * 1000 AS "forMs", ended_at IS NOT NULL AS ended
     FROM alarms JOIN things ON things.id = thing_id WHERE rule_id = $1 ORDER BY alarms.id`,
    [ruleId],
  );

const msOf = async (site: Site, text: string, id: string): Promise<number> => {
  const [row] = await site.rows<{ ms: number }>(
    `SELECT extract(epoch FROM (${text}))::float8 * 1000 AS ms`,
    [id],
  );
  return row?.ms ?? Number.NaN;
};

const told = (path: string) =>
  noticesAt(receiver, path).flatMap((notice) =>
    notice.transitions.map(({ thing_name, transition }) => `${thing_name} ${transition}`),
  );

const message = () => [{ n: 'temperature', v: 7 }];

/** A gateway of a site, and two devices for which it sends. */
async function openGateway(site: Site) {
  const { profileId } = site.estate;
  const config = { gateway: { device_level: 1 } };
  const as = `Bearer ${fleet.token}`;
  expect((await call('PUT', `/profiles/${profileId}`, { as, body: { config } })).status).toBe(200);
  const names = [randomUUID(), randomUUID()];
  const [gateway, ...devices] = await fleet.createThings(profileId, [
    { name: 'hub', type: 'gateway' },
    ...names.map((name) => ({ name, type: 'sensor', external_key: name })),
  ]);
  if (gateway === undefined) throw new Error('no gateway was made');
  const post = async () => {
    const answers = await Promise.all(
      names.map((subtopic) => fleet.publish(gateway.key, message(), { subtopic })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  };
  return { gateway, devices: devices.map(({ id }) => id), post };
}

describe.concurrent('a thing', () => {
  it('that falls silent fires once, by the times of receipt, and ends when it is heard again', async () => {
    const site = await openSite(['pump', 'chatty']);
    const [pump, chatty] = [site.thing(0), site.thing(1)];
    await fleet.publish(pump.key, message());
    const { id, path } = await openRule(site, { thingIds: [pump.id, chatty.id] });
    const ruleMs = await msOf(site, 'SELECT updated_at FROM rules WHERE id = $1', id);
    await eventually(
      async () => {
        await fleet.publish(chatty.key, message());
        expect(told(path)).toEqual(['pump fired']);
      },
      lookMsMax,
      500,
    );
    const [alarm, ...others] = await alarmsOf(site, id);
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ thing: 'pump', clock: 'receipt', ended: false });
    // It counts from the rule's making: the thing was heard before that.
    expect(alarm?.beganMs).toBeCloseTo(ruleMs, -1);
    expect(alarm?.forMs).toBe(forS * 1_000);
    await fleet.publish(pump.key, message());
    const heardMs = Date.now();
    await eventually(async () => {
      await fleet.publish(chatty.key, message());
      expect((await alarmsOf(site, id))[0]?.ended).toBe(true);
    }, lookMsMax);
    const endedMs = await msOf(site, 'SELECT ended_at FROM alarms WHERE rule_id = $1', id);
    expect(Math.abs(endedMs - heardMs)).toBeLessThan(5_000);
    await site.passWindow(id);
    await eventually(() => expect(told(path)).toEqual(['pump fired', 'pump ended']));
  });

  it('that was never heard counts from its making', async () => {
    const site = await openSite(['first']);
    const { id } = await openRule(site);
    const late = await fleet.createThings(site.estate.profileId, [
      { name: 'late', type: 'sensor' },
    ]);
    const madeMs = await msOf(
      site,
      'SELECT created_at FROM things WHERE id = $1',
      late[0]?.id ?? '',
    );
    const alarm = await eventually(async () => {
      const found = (await alarmsOf(site, id)).find(({ thing }) => thing === 'late');
      if (found === undefined) throw new Error('it has not fired');
      return found;
    }, lookMsMax);
    expect(alarm).toMatchObject({ forMs: forS * 1_000 });
    expect(alarm.beganMs).toBeCloseTo(madeMs, 0);
  });

  it('that the rule is not about does not fire', async () => {
    const site = await openSite(['listed', 'other']);
    const { id } = await openRule(site, { thingIds: [site.thing(0).id] });
    await eventually(async () => expect(await alarmsOf(site, id)).toHaveLength(1), lookMsMax);
    const all = await openRule(site);
    await eventually(async () => expect(await alarmsOf(site, all.id)).toHaveLength(3), lookMsMax);
    expect((await alarmsOf(site, id)).map(({ thing }) => thing)).toEqual(['listed']);
  });

  it('of a gateway is held back while that is silent, and nobody is told of it if both are heard again', async () => {
    const site = await openSite(['alone']);
    const { gateway, devices, post } = await openGateway(site);
    await post();
    const ofGateway = await openRule(site, { thingIds: [gateway.id] });
    await eventually(() => expect(told(ofGateway.path)).toEqual(['hub fired']), lookMsMax);
    // It counts from its making, so that the gateway is silent before its things, however busy the machine is.
    const { id, path } = await openRule(site, { thingIds: [...devices, site.thing().id] });
    await eventually(() => expect(told(path)).toEqual(['alone fired']), lookMsMax);
    const expectFates = async (fates: string[]) => {
      await site.passWindow(id);
      expect((await site.fates(id)).toSorted()).toEqual(fates);
    };
    await eventually(() => expectFates(['fired told', 'fired waits', 'fired waits']));
    await eventually(
      async () => {
        await post();
        await site.passWindow(ofGateway.id);
        expect(told(ofGateway.path)).toEqual(['hub fired', 'hub ended']);
        const held = ['ended inhibited', 'ended inhibited', 'fired inhibited', 'fired inhibited'];
        await expectFates([...held, 'fired told']);
      },
      lookMsMax,
      500,
    );
    expect(told(path)).toEqual(['alone fired']);
  }, 180_000);
});

describe('silence', () => {
  it(`of ${stormThings} things is noted once for each over kills of the workers`, async () => {
    const names = Array.from({ length: stormThings }, (_, at) => `thing ${at}`);
    const site = await openSite(names);
    const { id, path } = await openRule(site);
    await eventually(async () => (await alarmsOf(site, id)).length > 0, lookMsMax);
    await system().kill('workers', 'SIGKILL');
    await eventually(
      // The thing that came with the group is one more.
      async () => expect(await alarmsOf(site, id)).toHaveLength(stormThings + 1),
      lookMsMax * 2,
    );
    expect(new Set(await site.fates(id)).size).toBeLessThanOrEqual(2);
    expect(await site.fates(id)).toHaveLength(stormThings + 1);
    await eventually(async () => {
      await site.passWindow(id);
      expect(noticesAt(receiver, path).reduce((sum, { count }) => sum + count, 0)).toBe(
        stormThings + 1,
      );
    });
  });

  it('does not count while no edge can hear, nor right after that', async () => {
    const site = await openSite(['pump']);
    const pump = site.thing(0);
    const { id, path } = await openRule(site, { thingIds: [pump.id] });
    await fleet.publish(pump.key, message());
    const heardMs = Date.now();
    await system().kill('ingest', 'SIGKILL');
    await eventually(async () => {
      const answer = await fleet.publish(site.estate.key, message()).catch(() => undefined);
      return answer?.status === 202;
    }, 60_000);
    const backMs = Date.now();
    await eventually(async () => expect(await alarmsOf(site, id)).toHaveLength(1), 90_000);
    const [alarm] = await alarmsOf(site, id);
    const awayMs = backMs - heardMs;
    expect(alarm?.forMs).toBeGreaterThan(forS * 1_000 + 25_000);
    expect(alarm?.forMs).toBeLessThan(forS * 1_000 + awayMs + 45_000);
    await eventually(() => expect(told(path)).toEqual(['pump fired']));
  }, 180_000);
});
