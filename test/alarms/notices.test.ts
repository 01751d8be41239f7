import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, textAt } from '../support/api/http.ts';
import { loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { startOwnWorkers } from '../support/services/own-workers.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { mailsTo, noticesAt, silent, Site } from './world.ts';

const names = ['freezer 1', 'freezer 2', 'freezer 3'];
const atMs = Date.parse('2026-11-21T10:05:00Z');
const stormThings = 5_000;

let receiver: Receiver;
const sites: Site[] = [];

beforeAll(async () => {
  receiver = await openReceiver();
});

afterAll(async () => {
  for (const site of sites) await site.close();
  await receiver.close();
});

async function openSite(of: readonly string[] = names): Promise<Site> {
  const site = await Site.open(of);
  sites.push(site);
  return site;
}

/** A rule that tells a path of the receiver and an address. */
async function openRule(site: Site, members: Parameters<Site['rule']>[0] = {}) {
  const path = `/${randomUUID()}`;
  const mail = `${randomUUID()}@example.com`;
  const webhookId = await site.webhook(receiver.url(path));
  const receivers = { webhook_ids: [webhookId], mails: [mail] };
  return { id: await site.rule({ receivers, ...members }), path, mail, webhookId };
}

const notices = (path: string) => noticesAt(receiver, path);
const transitions = (path: string) =>
  notices(path).flatMap((notice) =>
    notice.transitions.map(({ transition, thing_name }) => `${thing_name} ${transition}`),
  );

describe.concurrent('receivers', () => {
  it('are told at once that an alarm fires, with the time and the value of its record', async () => {
    const site = await openSite();
    const { id, path, mail } = await openRule(site);
    const thing = site.thing(1);
    const [alarm] = await site.fire(id, [{ thing, atMs, value: 8.4 }]);
    await eventually(() => expect(notices(path)).toHaveLength(1));
    const at = new Date(atMs).toISOString();
    expect(notices(path)[0]).toMatchObject({
      type: 'alarm',
      version: 1,
      rule: { id, name: 'cold room', severity: 'critical' },
      group_id: site.estate.groupId,
      org_id: site.estate.orgId,
      count: 1,
      transitions: [
        {
          alarm_id: alarm?.id,
          episode: 1,
          transition: 'fired',
          thing_id: thing.id,
          thing_name: 'freezer 2',
          at,
          began_at: at,
          fired_at: at,
          values: [{ name: 'temperature', value: 8.4 }],
        },
      ],
    });
    const [told] = await eventually(() => {
      const mails = mailsTo(mail);
      expect(mails).toHaveLength(1);
      return mails;
    });
    expect(told?.subject).toBe('[critical] cold room: freezer 2 fires (8.4)');
    expect(told?.text).toContain('2026-11-21 10:05:00 UTC: freezer 2 fires (8.4)');
    const port = new URL(system().apiUrl).port;
    const series = encodeURIComponent(`senml:${thing.id}:temperature`);
    expect(told?.text).toContain(
      `http://localhost:${port}/#/explore?series=${series}&from=2026-11-21T09%3A05%3A00.000Z`,
    );
  });

  it('are told that an alarm ends', async () => {
    const site = await openSite();
    const { id, path, mail } = await openRule(site);
    const thing = site.thing();
    await site.fire(id, [{ thing, atMs, value: 8.4 }]);
    await eventually(() => expect(transitions(path)).toEqual(['freezer 1 fired']));
    await site.end(id, [{ thing, atMs: atMs + 60_000, value: 5.9 }]);
    await site.passWindow(id);
    await eventually(() =>
      expect(transitions(path)).toEqual(['freezer 1 fired', 'freezer 1 ended']),
    );
    expect(notices(path)[1]?.transitions[0]).toMatchObject({
      at: '2026-11-21T10:06:00.000Z',
      ended_at: '2026-11-21T10:06:00.000Z',
      ended_why: 'cleared',
      values: [{ name: 'temperature', value: 5.9 }],
    });
    await eventually(() =>
      expect(mailsTo(mail).map(({ subject }) => subject)).toContain(
        '[critical] cold room: freezer 1 ends (5.9)',
      ),
    );
  });

  it('are told the units of values, in mails as people write them', async () => {
    const site = await openSite();
    const { id, path, mail } = await openRule(site);
    await site.fire(id, [{ thing: site.thing(), atMs, value: 8.4, unit: 'Cel' }]);
    await eventually(() => expect(notices(path)).toHaveLength(1));
    const [notice] = notices(path);
    expect(notice?.version).toBe(1);
    expect(notice?.transitions[0]?.values).toEqual([
      { name: 'temperature', value: 8.4, unit: 'Cel' },
    ]);
    const [told] = await eventually(() => {
      const mails = mailsTo(mail);
      expect(mails).toHaveLength(1);
      return mails;
    });
    expect(told?.subject).toBe('[critical] cold room: freezer 1 fires (8.4 °C)');
    expect(told?.text).toContain('freezer 1 fires (8.4 °C)');
  });

  it('are told within 30 seconds of what comes right after a notice, in one more', async () => {
    const site = await openSite();
    const { id, path } = await openRule(site);
    await site.fire(id, [{ thing: site.thing(0), atMs, value: 9 }]);
    await eventually(() => expect(notices(path)).toHaveLength(1));
    await site.fire(id, [{ thing: site.thing(1), atMs: atMs + 1, value: 9 }]);
    await site.fire(id, [{ thing: site.thing(2), atMs: atMs + 2, value: 9 }]);
    await eventually(() => expect(notices(path)).toHaveLength(2), 45_000);
    expect(notices(path).map(({ count }) => count)).toEqual([1, 2]);
    const [first, second] = receiver.at(path);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(25_000);
  });

  it('get the transitions of one late batch in the order of their records, in one mail', async () => {
    const site = await openSite();
    const { id, mail } = await openRule(site);
    await site.fire(id, [
      { thing: site.thing(2), atMs: atMs + 120_000, value: 11 },
      { thing: site.thing(0), atMs, value: 9 },
      { thing: site.thing(1), atMs: atMs + 60_000, value: 10 },
    ]);
    const [told] = await eventually(() => {
      const mails = mailsTo(mail);
      expect(mails).toHaveLength(1);
      return mails;
    });
    expect(told?.subject).toBe('[critical] cold room: 3 fire');
    expect(told?.text.split('\n').filter((line) => line.includes(' UTC: '))).toEqual([
      '2026-11-21 10:05:00 UTC: freezer 1 fires (9)',
      '2026-11-21 10:06:00 UTC: freezer 2 fires (10)',
      '2026-11-21 10:07:00 UTC: freezer 3 fires (11)',
    ]);
  });

  it('that are disabled or deleted are left out', async () => {
    const site = await openSite();
    const left = await openRule(site);
    const [gone, off] = [await openRule(site), await openRule(site)];
    await site.rows('DELETE FROM webhooks WHERE id = $1', [gone.webhookId]);
    await site.rows('UPDATE webhooks SET disabled_at = now() WHERE id = $1', [off.webhookId]);
    const webhook_ids = [gone.webhookId, off.webhookId, left.webhookId];
    const id = await site.rule({ receivers: { webhook_ids } });
    const unheard = await site.rule({
      receivers: { webhook_ids: [gone.webhookId, off.webhookId] },
    });
    await site.fire(id, [{ thing: site.thing(), atMs, value: 9 }]);
    await site.fire(unheard, [{ thing: site.thing(), atMs, value: 9 }]);
    await eventually(() => expect(notices(left.path)).toHaveLength(1));
    await eventually(async () => expect(await site.fates(unheard)).toEqual(['fired nobody']));
    expect(notices(off.path)).toEqual([]);
  });

  it('of another org are not told', async () => {
    const [site, other] = [await openSite(), await openSite()];
    const { webhookId, path } = await openRule(other);
    const id = await site.rule({ receivers: { webhook_ids: [webhookId] } });
    await site.fire(id, [{ thing: site.thing(), atMs, value: 9 }]);
    await eventually(async () => expect(await site.fates(id)).toEqual(['fired nobody']));
    expect(notices(path)).toEqual([]);
  });

  it('get a notice again by a replay, under its id, if it was theirs', async () => {
    const site = await openSite();
    const { id, path, webhookId } = await openRule(site);
    const stranger = await openRule(site);
    await site.fire(id, [{ thing: site.thing(), atMs, value: 9 }]);
    await eventually(() => expect(receiver.at(path)).toHaveLength(1));
    const as = await loginAdmin();
    const replay = (of: string, body: object) =>
      call('POST', `/webhooks/${of}/replay`, { as, body });
    const messageId = await eventually(async () => {
      const list = await call('GET', `/webhooks/${webhookId}/deliveries`, { as });
      return textAt(list, 'deliveries', 0, 'message_id');
    });
    expect(messageId).toMatch(/^alarm_[0-9a-f]{32}-0-0$/);
    expect((await replay(stranger.webhookId, { message_id: messageId })).status).toBe(404);
    expect((await replay(webhookId, { message_id: messageId })).status).toBe(202);
    await eventually(() => expect(receiver.at(path)).toHaveLength(2));
    const range = { from: new Date(Date.now() - 600_000).toISOString() };
    expect((await replay(webhookId, range)).text).toBe('{"queued":1}');
    expect((await replay(stranger.webhookId, range)).text).toBe('{"queued":0}');
    await eventually(() => expect(receiver.at(path)).toHaveLength(3));
    expect(new Set(receiver.at(path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('are told again while an alarm is firing, until somebody acknowledges it', async () => {
    const site = await openSite();
    const { id, path } = await openRule(site, { repeatS: 60 });
    await site.fire(id, [{ thing: site.thing(), atMs, value: 9 }]);
    await eventually(() => expect(notices(path)).toHaveLength(1));
    const passMinute = async () => {
      await site.rows('UPDATE alarm_states SET repeat_at = now() WHERE rule_id = $1', [id]);
      await eventually(async () => expect(await site.fates(id)).not.toContain('waits'));
      await site.passWindow(id);
    };
    await passMinute();
    await eventually(async () => {
      await site.passWindow(id);
      expect(transitions(path)).toEqual(['freezer 1 fired', 'freezer 1 repeated']);
    });
    const [state] = await site.rows<{ later: boolean }>(
      `SELECT repeat_at > now() + interval '50 seconds' AS later FROM alarm_states WHERE rule_id = $1`,
      [id],
    );
    expect(state).toEqual({ later: true });
    await site.rows('UPDATE alarms SET acknowledged_at = now() WHERE rule_id = $1', [id]);
    await passMinute();
    await eventually(async () => {
      const [now] = await site.rows<{ at: unknown }>(
        'SELECT repeat_at AS at FROM alarm_states WHERE rule_id = $1',
        [id],
      );
      expect(now).toEqual({ at: null });
    });
    expect(await site.fates(id)).toEqual(['fired told', 'repeated told']);
  });
});

describe.concurrent('a notice is held', () => {
  it('while a silence of the rule, the thing or the group is in force, and the end is held too', async () => {
    const site = await openSite();
    const thing = site.thing();
    const silence = (rule: string | null, of: string | null, until: string) =>
      site.rows(
        `INSERT INTO silences (id, group_id, rule_id, thing_id, reason, until)
         VALUES ($1, $2, $3, $4, 'maintenance', now() + $5::interval)`,
        [randomUUID(), site.estate.groupId, rule, of, until],
      );
    const [byRule, byThing, over] = [
      await openRule(site),
      await openRule(site),
      await openRule(site),
    ];
    await silence(byRule.id, null, '1 hour');
    await silence(null, thing.id, '1 hour');
    await silence(over.id, site.thing(1).id, '-1 second');
    await site.fire(byRule.id, [{ thing: site.thing(1), atMs, value: 9 }]);
    await site.fire(byThing.id, [{ thing, atMs, value: 9 }]);
    await site.fire(over.id, [{ thing: site.thing(1), atMs, value: 9 }]);
    await eventually(async () => expect(await site.fates(byRule.id)).toEqual(['fired silenced']));
    await eventually(async () => expect(await site.fates(byThing.id)).toEqual(['fired silenced']));
    await eventually(() => expect(transitions(over.path)).toEqual(['freezer 2 fired']));
    await site.rows('UPDATE silences SET until = now() WHERE group_id = $1', [site.estate.groupId]);
    await site.end(byThing.id, [{ thing, atMs: atMs + 1, value: 5 }]);
    await eventually(async () =>
      expect(await site.fates(byThing.id)).toEqual(['fired silenced', 'ended silenced']),
    );
    await silence(null, null, '1 hour');
    await site.fire(byRule.id, [{ thing: site.thing(2), atMs, value: 9 }]);
    await eventually(async () =>
      expect(await site.fates(byRule.id)).toEqual(['fired silenced', 'fired silenced']),
    );
    expect(notices(byRule.path)).toEqual([]);
    expect(notices(byThing.path)).toEqual([]);
  });

  it('while the thing is silent by another alarm, unless it was heard since', async () => {
    const site = await openSite();
    const silence = await openRule(site, { name: 'silence', conditions: [silent], forS: 86_400 });
    const { id, path } = await openRule(site);
    const [quiet, back] = [site.thing(0), site.thing(1)];
    const nowMs = Date.now();
    await site.fire(
      silence.id,
      [quiet, back].map((thing) => ({ thing, atMs: nowMs, value: 0 })),
      'receipt',
    );
    await site.rows(
      `INSERT INTO things_seen (thing_id, seen_at) VALUES ($1, now() + interval '1 second')`,
      [back.id],
    );
    await site.fire(
      id,
      [quiet, back].map((thing) => ({ thing, atMs: nowMs, value: 9 })),
    );
    await eventually(() => expect(transitions(path)).toEqual(['freezer 2 fired']));
    await eventually(async () => {
      await site.passWindow(id);
      expect((await site.fates(id)).toSorted()).toEqual(['fired inhibited', 'fired told']);
    });
    expect(transitions(path)).toEqual(['freezer 2 fired']);
  });
});

describe.concurrent('notices of the silence of things', () => {
  const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000;

  it('wait while the gateway is silent by which they were heard, and until it is back for long enough', async () => {
    const site = await openSite(['gateway', 'dead', 'back', 'by itself']);
    const [gateway, dead, back, alone] = [0, 1, 2, 3].map((at) => site.thing(at));
    if (!gateway || !dead || !back || !alone) throw new Error('there is no such thing');
    const forS = 7_200;
    const ofGateway = await openRule(site, { name: 'gateway', conditions: [silent], forS });
    const { id, path } = await openRule(site, { name: 'device', conditions: [silent], forS });
    for (const [thing, by] of [
      [gateway, null],
      [dead, gateway.id],
      [back, gateway.id],
      [alone, null],
    ] as const) {
      await site.rows(
        `INSERT INTO things_seen (thing_id, seen_at, gateway_id) VALUES ($1, now() - interval '30 hours', $2)`,
        [thing.id, by],
      );
    }
    const fallen = (thing: typeof gateway, hours: number) => ({
      thing,
      atMs: hoursAgo(hours),
      value: 0,
    });
    await site.fire(ofGateway.id, [fallen(gateway, 20)], 'receipt');
    await site.fire(
      id,
      [dead, back, alone].map((thing) => fallen(thing, 19)),
      'receipt',
    );
    await eventually(() => expect(transitions(ofGateway.path)).toEqual(['gateway fired']));
    await eventually(() => expect(transitions(path)).toEqual(['by itself fired']));
    const passed = async (fates: string[]) => {
      await eventually(async () => {
        await site.passWindow(id);
        expect((await site.fates(id)).toSorted()).toEqual(fates);
      });
    };
    await passed(['fired told', 'fired waits', 'fired waits']);

    // One is heard again. Nobody was told of its silence, so nobody hears that it is over.
    await site.end(id, [fallen(back, 10)]);
    await passed(['ended inhibited', 'fired inhibited', 'fired told', 'fired waits']);

    // The gateway came back an hour ago: the other one has another hour to be heard.
    await site.end(ofGateway.id, [fallen(gateway, 1)]);
    await site.passWindow(ofGateway.id);
    await eventually(() =>
      expect(transitions(ofGateway.path)).toEqual(['gateway fired', 'gateway ended']),
    );
    await passed(['ended inhibited', 'fired inhibited', 'fired told', 'fired waits']);
    await site.rows('UPDATE alarms SET ended_at = $2 WHERE rule_id = $1', [
      ofGateway.id,
      new Date(hoursAgo(3)),
    ]);
    await passed(['ended inhibited', 'fired inhibited', 'fired told', 'fired told']);
    await eventually(() => expect(transitions(path)).toEqual(['by itself fired', 'dead fired']));
  });
});

describe.concurrent('notices', () => {
  it(`of ${stormThings} things under one rule are one, with 50 of them and the number`, async () => {
    const site = await openSite(Array.from({ length: stormThings }, (_, at) => `thing ${at}`));
    const { id, path, mail } = await openRule(site);
    await site.fire(
      id,
      site.things.map((thing, at) => ({ thing, atMs: atMs + at, value: 9 })),
    );
    await eventually(() => expect(notices(path)).toHaveLength(1));
    const [notice] = notices(path);
    expect(notice?.count).toBe(stormThings);
    expect(notice?.transitions.map(({ thing_name }) => thing_name)).toEqual(
      Array.from({ length: 50 }, (_, at) => `thing ${at}`),
    );
    await eventually(() => expect(mailsTo(mail)).toHaveLength(1));
    expect(mailsTo(mail)[0]?.subject).toBe('[critical] cold room: 5,000 fire');
    expect(mailsTo(mail)[0]?.text).toContain('And 4,950 more.');
    const [waiting] = await site.rows(
      'SELECT count(*)::integer AS count FROM alarm_notices WHERE rule_id = $1 AND sent_at IS NULL',
      [id],
    );
    expect(waiting).toEqual({ count: 0 });
  });
});

describe('notices', () => {
  it('are told once each while two workers take them', async () => {
    const stop = await startOwnWorkers();
    const site = await openSite();
    const rules = await Promise.all(Array.from({ length: 30 }, () => openRule(site)));
    const moved = site.things.map((thing, at) => ({ thing, atMs: atMs + at, value: 9 }));
    const counted = (path: string) => notices(path).reduce((sum, { count }) => sum + count, 0);
    const rounds = 5;
    try {
      for (let round = 1; round <= rounds; round++) {
        await Promise.all(rules.map(({ id }) => site.fire(id, moved)));
        await Promise.all(rules.map(({ id }) => site.end(id, moved)));
        await Promise.all(rules.map(({ id }) => site.passWindow(id)));
      }
      await eventually(async () => {
        for (const { id } of rules) await site.passWindow(id);
        for (const { path } of rules) {
          expect(counted(path)).toBeGreaterThanOrEqual(2 * rounds * moved.length);
        }
      }, 60_000);
    } finally {
      await stop();
    }
    for (const { path, mail } of rules) {
      await eventually(() => expect(mailsTo(mail)).toHaveLength(notices(path).length));
      expect(counted(path)).toBe(2 * rounds * moved.length);
    }
  });

  it('are told once each over kills of the workers', async () => {
    const site = await openSite();
    const thing = site.thing();
    const path = `/${randomUUID()}`;
    const mail = `${randomUUID()}@example.com`;
    const receivers = { webhook_ids: [await site.webhook(receiver.url(path))], mails: [mail] };
    const rules = await Promise.all(Array.from({ length: 60 }, () => site.rule({ receivers })));
    for (const [at, id] of rules.entries()) {
      await site.fire(id, [{ thing, atMs, value: 9 }]);
      if (at % 20 === 19) await system().kill('workers', 'SIGKILL');
    }
    const told = () => notices(path).map(({ rule }) => rule.id);
    await eventually(() => expect(new Set(told()).size).toBe(rules.length), 60_000);
    await eventually(() => expect(mailsTo(mail)).toHaveLength(rules.length), 60_000);
    expect(told().toSorted()).toEqual(rules.toSorted());
    for (const id of rules) await site.end(id, [{ thing, atMs: atMs + 1, value: 5 }]);
    await system().kill('workers', 'SIGKILL');
    for (const id of rules) await site.passWindow(id);
    await eventually(() => expect(new Set(transitions(path)).size).toBe(2), 60_000);
    await eventually(() => expect(notices(path)).toHaveLength(2 * rules.length), 60_000);
    await eventually(() => expect(mailsTo(mail)).toHaveLength(2 * rules.length), 60_000);
  }, 240_000);
});
