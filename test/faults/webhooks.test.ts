import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { percentile } from '../support/statistics.ts';
import { webhookJobId } from '../../schemas/internal/webhook-job.ts';
import { eventually } from '../support/eventually.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';
import { type BadReceiver, conducts, openBadReceiver } from '../webhooks/bad-receivers.ts';
import { answers, openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { messageIdsIn, Sender } from '../webhooks/sender.ts';

const messages = Number(process.env['FAULTS_WEBHOOK_MESSAGES'] ?? 100_000);
const killMs = Number(process.env['FAULTS_WEBHOOK_SECONDS'] ?? 120) * 1_000;
const batch = 256;
const packSize = 64;
/** As the sink does: it waits while the queue is long. */
const waitingMax = 300;
const allArriveMsMax = 25 * 60_000;
const secret = 'a secret of this run';

const tenants = 50;
const tenantMessages = 3_000;
const tenantMessagesPerSecond = 150;

let system: OwnSystem;
let sender: Sender;
let failed = false;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  system = await startSystem();
  sender = await Sender.open(system);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await sender.close();
  await Promise.all(open.map((one) => one.close()));
  await system.stop(failed);
});

/** Counts by `webhook-id`, and notes when each first came. */
type Counter = {
  url: string;
  first: Map<string, number>;
  repeats(): number;
  unverified(): number;
  close(): Promise<void>;
};

async function openCounter(): Promise<Counter> {
  const first = new Map<string, number>();
  const webhook = new Webhook(secret, { format: 'raw' });
  let repeats = 0;
  let unverified = 0;
  const server = createServer((request, response) => {
    const atMs = Date.now();
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => (body += text));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      if (first.has(id)) repeats += 1;
      else first.set(id, atMs);
      try {
        webhook.verify(body, {
          'webhook-id': id,
          'webhook-timestamp': String(request.headers['webhook-timestamp']),
          'webhook-signature': String(request.headers['webhook-signature']),
        });
      } catch {
        unverified += 1;
      }
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    first,
    repeats: () => repeats,
    unverified: () => unverified,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function counter(): Promise<Counter> {
  const one = await openCounter();
  open.push(one);
  return one;
}

/** Adds messages for all of these webhooks, in packs; the ids of the copies by webhook. */
async function sendToAll(webhookIds: string[], count: number): Promise<Map<string, string[]>> {
  const sent = new Map<string, string[]>(webhookIds.map((id) => [id, []]));
  for (let at = 0; at < count; at += batch) {
    const some = Array.from({ length: Math.min(batch, count - at) }, () => ({
      webhook_ids: webhookIds,
    }));
    const packs = await sender.keepBundles(some, packSize);
    // Redis may be away. What it has already it does not take again.
    await eventually(async () => {
      expect(await sender.queue.getWaitingCount()).toBeLessThan(waitingMax);
      await sender.addBundles(packs);
    }, 600_000);
    for (const messageId of packs.flatMap(messageIdsIn)) {
      for (const id of webhookIds) sent.get(id)?.push(webhookJobId(messageId, id));
    }
  }
  return sent;
}

const missing = (ids: string[], { first }: Counter) => ids.filter((id) => !first.has(id)).length;

describe('webhooks under fire', () => {
  it('healthy receivers get every message beside receivers of every bad kind', async () => {
    const healthy = [await counter(), await counter()];
    const receiver: Receiver = await openReceiver();
    const bad: string[] = [];
    const treat = (path: string, manner: Parameters<Receiver['treat']>[1]) => {
      receiver.treat(path, manner);
      bad.push(receiver.url(path));
    };
    open.push(receiver);
    treat('/500', answers(500));
    treat('/429', answers(429, { 'retry-after': '2' }));
    treat('/410', answers(410));
    treat('/302', answers(302, { location: healthy[0]?.url ?? '' }));
    for (const conduct of Object.values(conducts)) {
      const one: BadReceiver = await openBadReceiver(conduct);
      open.push(one);
      bad.push(`http://127.0.0.1:${one.port}/`);
    }
    const good: string[] = [];
    for (const { url } of healthy) good.push(await sender.webhook(url, { secret }));
    const badOnes: string[] = [];
    for (const url of bad) badOnes.push(await sender.webhook(url, { secret }));

    // Two of three copies go to the healthy ones, one to each bad one in turn.
    const startedAt = performance.now();
    const sent = new Map<string, string[]>(good.map((id) => [id, []]));
    const share = Math.ceil(messages / badOnes.length);
    for (const badOne of badOnes) {
      const more = await sendToAll([...good, badOne], share);
      for (const id of good) sent.get(id)?.push(...(more.get(id) ?? []));
    }
    for (const [at, id] of good.entries()) {
      const one = healthy[at];
      const ids = sent.get(id) ?? [];
      if (one === undefined) throw new Error('no receiver');
      await eventually(() => missing(ids, one) === 0, allArriveMsMax);
      expect(one.first.size).toBe(ids.length);
      expect(one.repeats()).toBe(0);
      expect(one.unverified()).toBe(0);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    process.stdout.write(
      `${messages} messages to ${good.length} healthy and ${bad.length} bad receivers: ` +
        `${seconds.toFixed(0)} s, ${((2 * messages) / seconds).toFixed(0)} healthy deliveries/s\n`,
    );
  });

  it('one dead tenant of fifty costs the others nothing', async () => {
    const things = await Promise.all(
      Array.from({ length: tenants }, async (_, at) => {
        const { fleet } = sender;
        const idOf = (location: unknown) => String(location).split('/').at(-1) ?? '';
        const org = await fleet.call('POST', '/orgs', { name: `tenant ${at} ${randomUUID()}` });
        const orgId = idOf(org.headers['location']);
        const group = await fleet.call('POST', `/orgs/${orgId}/groups`, { name: 'group' });
        const groupId = idOf(group.headers['location']);
        const profile = await fleet.call('POST', `/groups/${groupId}/profiles`, [{ name: 'p' }]);
        const profileId = String(Object(Object(profile.body).profiles[0]).id);
        const [thing] = await fleet.createThings(profileId, [{ name: 'thing', type: 'sensor' }]);
        return thing?.id ?? '';
      }),
    );

    /** How long the healthy copies took, when the first tenant's receivers are these. */
    async function run(firstUrls: string[]): Promise<number[]> {
      const healthy = await counter();
      const webhooks: string[][] = [];
      for (const [at, thingId] of things.entries()) {
        const urls = at === 0 && firstUrls.length > 0 ? firstUrls : [healthy.url];
        webhooks.push(
          await Promise.all(urls.map((url) => sender.webhook(url, { secret }, thingId))),
        );
      }
      const sentAt = new Map<string, number>();
      const startedAt = Date.now();
      for (let at = 0; at < tenantMessages; at++) {
        const dueMs = startedAt + (at * 1_000) / tenantMessagesPerSecond;
        if (dueMs > Date.now()) await delay(dueMs - Date.now());
        const tenant = at % tenants;
        const webhookIds = webhooks[tenant] ?? [];
        const packs = await sender.keepBundles([{ webhook_ids: webhookIds }], 1);
        await sender.addBundles(packs);
        if (tenant === 0) continue;
        for (const messageId of packs.flatMap(messageIdsIn)) {
          for (const id of webhookIds) sentAt.set(webhookJobId(messageId, id), Date.now());
        }
      }
      await eventually(() => [...sentAt.keys()].every((id) => healthy.first.has(id)), 120_000);
      expect(healthy.repeats()).toBe(0);
      return [...sentAt].map(([id, atMs]) => (healthy.first.get(id) ?? 0) - atMs);
    }

    const hanging = await openBadReceiver(conducts['hangs'] ?? (() => undefined));
    open.push(hanging);
    const refusing = await openBadReceiver(conducts['resets the connection'] ?? (() => undefined));
    open.push(refusing);
    const dead = [hanging, hanging, refusing].map(({ port }) => `http://127.0.0.1:${port}/`);
    // The first run warms up.
    await run([]);
    const alone = percentile(await run([]), 0.99);
    const beside = percentile(await run(dead), 0.99);
    process.stdout.write(`healthy p99: ${alone} ms alone, ${beside} ms beside a dead tenant\n`);
    expect(beside).toBeLessThan(2_000);
  });

  it('kill -9 of the workers and of Redis loses no delivery and repeats few', async () => {
    const healthy = [await counter(), await counter(), await counter()];
    const ids: string[] = [];
    for (const { url } of healthy) ids.push(await sender.webhook(url, { secret }));
    const sent = new Map<string, string[]>(ids.map((id) => [id, []]));
    let stopped = false;
    const sending = (async () => {
      while (!stopped) {
        const more = await sendToAll(ids, batch);
        for (const id of ids) sent.get(id)?.push(...(more.get(id) ?? []));
      }
    })();
    let kills = 0;
    const endsAt = performance.now() + killMs;
    while (performance.now() < endsAt) {
      await delay(8_000);
      await system.kill(kills % 2 === 0 ? 'workers' : 'redis', 'SIGKILL');
      kills += 1;
    }
    stopped = true;
    await sending;
    let copies = 0;
    let repeats = 0;
    for (const [at, id] of ids.entries()) {
      const one = healthy[at];
      const jobIds = sent.get(id) ?? [];
      if (one === undefined) throw new Error('no receiver');
      await eventually(() => missing(jobIds, one) === 0, 300_000);
      copies += jobIds.length;
      repeats += one.repeats();
      expect(one.unverified()).toBe(0);
    }
    process.stdout.write(`${kills} kills: ${copies} copies, none lost, ${repeats} repeats\n`);
    expect(repeats / copies).toBeLessThan(0.001);
  });
});
