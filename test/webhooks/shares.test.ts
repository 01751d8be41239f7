import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { webhookQueue } from '../../schemas/internal/webhook-job.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';
import { answers, openReceiver, type Receiver } from './receiver.ts';

const deliveriesPerOrgMax = 40;
const bytesPerOrgMax = 300_000;
const messages = 100;

let system: OwnSystem;
let tenant: Fleet;
let neighbour: Fleet;
let receiver: Receiver;
let pool: Pool;
let redis: Redis;
let queue: Queue;
let failed = false;

beforeAll(async () => {
  system = await startSystem({
    env: {
      WEBHOOK_DELIVERIES_PER_ORG_MAX: String(deliveriesPerOrgMax),
      WEBHOOK_BYTES_PER_ORG_MAX: String(bytesPerOrgMax),
    },
  });
  [tenant, neighbour] = [await Fleet.login(system), await Fleet.login(system)];
  receiver = await openReceiver();
  pool = new Pool({ connectionString: system.databaseUrl, max: 2 });
  redis = new Redis(system.redisUrl, { maxRetriesPerRequest: null });
  queue = new Queue(webhookQueue, { connection: redis });
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await pool.end();
  await Promise.all([tenant.close(), neighbour.close()]);
  await receiver.close();
  await system.stop(failed);
});

/** A webhook of a thing, at a path of the receiver; its id. */
async function webhook(fleet: Fleet, thing: Thing, path: string): Promise<string> {
  const body = [{ name: path.slice(1), url: receiver.url(path) }];
  const answer = await fleet.call('POST', `/things/${thing.id}/webhooks`, body);
  expect(answer.status).toBe(201);
  return String(Object([answer.body].flat()[0]).id);
}

async function publish(fleet: Fleet, thing: Thing, body: unknown): Promise<void> {
  expect(await fleet.publish(thing.key, body)).toMatchObject({ status: 202 });
}

async function view(id: string): Promise<Record<string, unknown>> {
  return Object((await tenant.call('GET', `/webhooks/${id}`)).body);
}

const waitingOf = async (id: string) => Number((await view(id))['waiting_deliveries'] ?? 0);

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^millrace_${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Copies in Redis that are jobs of their own, or the rest of a bundle. */
async function copiesInRedis(): Promise<number> {
  const jobs = await queue.getJobs(['waiting', 'active', 'delayed', 'prioritized']);
  return jobs.reduce(
    (sum, job) =>
      sum +
      [job?.data?.messages ?? []]
        .flat()
        .reduce((one: number, { webhook_ids: ids }) => one + ids.length, 0),
    0,
  );
}

const idsAt = (path: string) =>
  new Set(receiver.at(path).map(({ headers }) => headers['webhook-id']));

describe('the log of the workers', () => {
  it('has the request id of the message that disabled a webhook', async () => {
    const thing = await neighbour.thing();
    receiver.treat('/gone', answers(410));
    const id = await webhook(neighbour, thing, '/gone');
    const answer = await fetch(`${system.ingestUrl}/http/messages`, {
      method: 'POST',
      headers: {
        authorization: `Thing ${thing.key}`,
        'content-type': 'application/senml+json',
        'x-request-id': 'the-last-one',
      },
      body: '[{"n":"a","v":1}]',
    });
    expect(answer.status).toBe(202);
    await eventually(() => {
      const lines = system.output().split('\n');
      const told = lines.find((line) => line.includes('a webhook was disabled'));
      expect(told).toContain('request_id=the-last-one');
      expect(told).toContain(id);
    });
  });
});

describe('an org whose webhooks are dead', () => {
  let thing: Thing;
  let dead: string[];
  const paths = ['/dead-0', '/dead-1'];

  it('fills its own share, while its other webhooks and other orgs get everything', async () => {
    thing = await tenant.thing();
    for (const path of paths) receiver.treat(path, answers(500));
    dead = [];
    for (const path of paths) dead.push(await webhook(tenant, thing, path));
    const healthy = await tenant.thing();
    await webhook(tenant, healthy, '/healthy');
    const others = await neighbour.thing();
    await webhook(neighbour, others, '/neighbour');
    for (let v = 0; v < messages; v++) await publish(tenant, thing, [{ n: 'a', v }]);
    for (let v = 0; v < 5; v++) {
      await publish(neighbour, others, [{ n: 'a', v }]);
      await publish(tenant, healthy, [{ n: 'a', v }]);
    }
    await eventually(() => expect(idsAt('/neighbour').size).toBe(5));
    await eventually(() => expect(idsAt('/healthy').size).toBe(5));
    await eventually(async () => {
      // What failed or waits in Redis is a part of them; the rest is counted with the webhook.
      for (const id of dead) expect(await waitingOf(id)).toBeGreaterThan(messages / 2);
      expect(await copiesInRedis()).toBeLessThanOrEqual(deliveriesPerOrgMax);
      expect(await metric(system.workersUrl, 'webhook_waiting_deliveries')).toBeGreaterThan(
        messages,
      );
    });
  });

  it('holds nothing in the log', async () => {
    await eventually(async () => {
      const text = await (await fetch(`${system.ingestUrl}/metrics`)).text();
      expect(text).toMatch(/^millrace_sink_pending_bytes\{sink="webhook"\} 0$/m);
    });
  });

  it('gets waiting messages once its receivers are back, and failed ones by a replay', async () => {
    for (const path of paths) receiver.treat(path, answers(200));
    await eventually(async () => {
      for (const id of dead) expect(await waitingOf(id)).toBe(0);
    }, 40_000);
    for (const id of dead) {
      const asked = await tenant.call('POST', `/webhooks/${id}/replay`, { failed: true });
      expect(asked.status).toBe(202);
    }
    await eventually(() => {
      for (const path of paths) expect(idsAt(path).size).toBe(messages);
    }, 30_000);
  });

  it('has no waiting first attempts in the end', async () => {
    await eventually(async () => {
      const { rows } = await pool.query<{ fresh: string }>(
        'SELECT fresh FROM webhook_orgs WHERE fresh <> 0',
      );
      expect(rows).toEqual([]);
    });
  });
});

describe('an org with more dead webhooks than its share has places', () => {
  const dead = 10;

  it('has room for the others, which do not wait for attempts at the dead ones', async () => {
    const own = await Fleet.login(system);
    const [thing, healthy] = [await own.thing(), await own.thing()];
    for (let at = 0; at < dead; at++) {
      receiver.treat(`/lasting-${at}`, answers(500));
      await webhook(own, thing, `/lasting-${at}`);
    }
    await webhook(own, healthy, '/lively');
    // Each failed delivery waits for its next attempt: seconds, and then minutes.
    for (let v = 0; v < deliveriesPerOrgMax; v++) await publish(own, thing, [{ n: 'a', v }]);
    await eventually(async () => {
      const { rows } = await pool.query<{ copies: number }>(
        `SELECT coalesce(sum(cardinality(offsets)), 0)::int AS copies FROM webhook_jobs
         WHERE webhook_id IN (SELECT id FROM webhooks WHERE thing_id = $1)`,
        [thing.id],
      );
      expect(rows[0]?.copies).toBeGreaterThan((dead * deliveriesPerOrgMax) / 2);
    });
    // One bundle after the other, with messages for the dead ones too, so that some exceed what goes with their bundle.
    const numbers = Array.from({ length: deliveriesPerOrgMax }, (_, v) => v);
    for (const v of numbers) {
      await publish(own, thing, [{ n: 'a', v }]);
      await publish(own, healthy, [{ n: 'a', v }]);
    }
    await eventually(() => expect(idsAt('/lively').size).toBe(numbers.length));
    await pool.query('DELETE FROM webhooks WHERE thing_id = $1', [thing.id]);
    await own.close();
  });
});

describe('a job that Redis lost', () => {
  it('is added again', async () => {
    const thing = await neighbour.thing();
    receiver.treat('/lost', answers(500));
    const id = await webhook(neighbour, thing, '/lost');
    await publish(neighbour, thing, [{ n: 'a', v: 1 }]);
    const jobId = await eventually(async () => {
      const { rows } = await pool.query<{ id: string }>(
        `UPDATE webhook_jobs SET queued_at = now() - interval '1 minute'
         WHERE webhook_id = $1 RETURNING id`,
        [id],
      );
      if (rows[0] === undefined) throw new Error('it has not failed yet');
      return rows[0].id;
    });
    receiver.treat('/lost', answers(200));
    await queue.remove(jobId);
    await eventually(() => expect(receiver.at('/lost')).toHaveLength(2));
    expect(idsAt('/lost')).toEqual(new Set([jobId]));
  });
});

describe('an org that keeps more bytes than it may', () => {
  it('loses only deliveries, with their number, and goes on when there is room', async () => {
    const own = await Fleet.login(system);
    const thing = await own.thing();
    receiver.treat('/large', answers(500));
    const id = await webhook(own, thing, '/large');
    const text = 'x'.repeat(60_000);
    for (let at = 0; at < 10; at++) await publish(own, thing, [{ n: 'a', t: at + 1e9, vs: text }]);
    const seen = await eventually(async () => {
      const found = await view(id);
      expect(found['missed_deliveries']).toBeGreaterThanOrEqual(5);
      return found;
    });
    expect(Number(seen['missed_deliveries'])).toBeLessThan(10);
    const [from, to] = [String(seen['missed_from']), String(seen['missed_to'])];
    expect(Date.parse(from)).toBeGreaterThan(Date.now() - 60_000);
    expect(Date.parse(to)).toBeGreaterThanOrEqual(Date.parse(from));
    await eventually(async () => expect(await own.stored(thing.id)).toBe(10));
    receiver.treat('/large', answers(200));
    // Kept messages are done when they were delivered, or as here when their webhook is gone.
    await pool.query('DELETE FROM webhooks WHERE id = $1', [id]);
    const again = await webhook(own, thing, '/large-again');
    for (const job of await queue.getJobs(['delayed'])) await job.promote();
    await eventually(async () => {
      await publish(own, thing, [{ n: 'a', vs: text }]);
      return receiver.at('/large-again').length > 0;
    });
    expect((await view(again))['name']).toBe('large-again');
    await own.close();
  });
});
