import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type WebhookJob, webhookQueue } from '../../schemas/internal/webhook-job.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { sendNumbered } from '../support/messages/numbered.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

const connections = 20;
const awayMsMax = 60_000;
/** More jobs than any other test has. */
const queueMax = 2_000;

let system: OwnSystem;
let fleet: Fleet;
let pool: Pool;
let redis: Redis;
let queue: Queue<WebhookJob>;
let receiver: Receiver;
let failed = false;

beforeAll(async () => {
  system = await startSystem({
    env: { WEBHOOK_DELIVERIES_PER_ORG_MAX: '1000000', WEBHOOK_QUEUE_MAX: String(queueMax) },
  });
  fleet = await Fleet.login(system);
  pool = new Pool({ connectionString: system.databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  redis = new Redis(system.redisUrl, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  queue = new Queue(webhookQueue, { connection: redis });
  queue.on('error', () => undefined);
  receiver = await openReceiver();
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await pool.end();
  await fleet.close();
  await receiver.close();
  await system.stop(failed);
});

type Forwarding = Thing & { path: string };

/** A thing with a webhook that the edge knows of. */
async function forwardingThing(): Promise<Forwarding> {
  const thing = await fleet.thing();
  const path = `/${thing.id}`;
  await pool.query(
    `INSERT INTO webhooks (id, thing_id, name, url) VALUES (gen_random_uuid(), $1, 'webhook', $2)`,
    [thing.id, receiver.url(path)],
  );
  await publish(thing, -1);
  await eventually(() => expect(numbersAt({ path })).toEqual([-1]));
  return { ...thing, path };
}

async function publish(thing: Thing, v: number): Promise<void> {
  expect(await fleet.publish(thing.key, [{ n: 'a', v }])).toMatchObject({ status: 202 });
}

async function publishAll(thing: Thing, numbers: readonly number[]): Promise<void> {
  const waiting = numbers.values();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const v of waiting) await publish(thing, v);
    }),
  );
}

/** The numbers of the messages that a receiver got, each as often as it came. */
const numbersAt = ({ path }: Pick<Forwarding, 'path'>): number[] =>
  receiver.at(path).flatMap(({ body }) => {
    const records: { v: number }[] = JSON.parse(body.toString());
    return records.map(({ v }) => v);
  });

const expectAll = (thing: Forwarding, numbers: readonly number[]) =>
  eventually(() => expect(new Set(numbersAt(thing))).toEqual(new Set([-1, ...numbers])), awayMsMax);

const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Nothing waits in the log: what is not delivered waits in PostgreSQL. */
async function expectEmptyLog(): Promise<void> {
  await eventually(async () => {
    const text = await (await fetch(`${system.ingestUrl}/metrics`)).text();
    expect(text).toMatch(/^millrace_sink_pending_bytes\{sink="webhook"\} 0$/m);
  });
  const health = await (await fetch(`${system.ingestUrl}/health`)).json();
  expect(Object(health).checks.webhooks).toEqual([{ status: 'pass' }]);
}

async function deliveriesThatWait(): Promise<number> {
  const { rows } = await pool.query<{ deliveries: number }>(
    'SELECT coalesce(sum(deliveries), 0)::int AS deliveries FROM webhook_jobs WHERE queued_at IS NULL',
  );
  return rows[0]?.deliveries ?? 0;
}

describe('while the queue takes nothing', () => {
  it('with no memory left in Redis messages wait in PostgreSQL, and not in the log', async () => {
    const thing = await forwardingThing();
    const numbers = numbersTo(500);
    await redis.config('SET', 'maxmemory', '1');
    try {
      await publishAll(thing, numbers);
      await expectEmptyLog();
      expect(await deliveriesThatWait()).toBeGreaterThan(400);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await expectAll(thing, numbers);
  });

  it('with as many jobs as it may have messages wait in PostgreSQL, and not in the log', async () => {
    const thing = await forwardingThing();
    const numbers = numbersTo(200);
    await queue.pause();
    const data: WebhookJob = {
      bundle: { log: 'none', segment: 0, first: 0, last: 0 },
      bytes: 0,
      messages: [],
    };
    try {
      await queue.addBulk(Array.from({ length: queueMax }, () => ({ name: 'messages', data })));
      await publishAll(thing, numbers);
      await expectEmptyLog();
      // Once workers have looked at them, they must still wait.
      await eventually(() =>
        expect(system.output()).toContain(
          'the queue of webhooks is full: deliveries wait in Postgres',
        ),
      );
      await eventually(async () => expect(await deliveriesThatWait()).toBe(numbers.length));
      expect(await queue.getWaitingCount()).toBe(queueMax);
    } finally {
      await queue.drain();
      await queue.resume();
    }
    await expectAll(thing, numbers);
  });

  it('with Redis away messages wait in PostgreSQL, and not in the log', async () => {
    const thing = await forwardingThing();
    const gone = await forwardingThing();
    await system.kill('redis', 'SIGSTOP');
    try {
      for (let v = 0; v < 50; v++) await publish(thing, v);
      await publish(gone, 1);
      await pool.query('DELETE FROM things WHERE id = $1', [gone.id]);
      await expectEmptyLog();
      await eventually(async () => expect(await fleet.stored(thing.id)).toBe(51));
    } finally {
      await system.kill('redis', 'SIGCONT');
    }
    await expectAll(thing, numbersTo(50));
  });
});

describe('jobs that Redis lost', () => {
  it.each([
    ['when it was killed, with all since its last sync', 'SIGKILL'],
    ['when it was emptied', 'FLUSHALL'],
  ])('%s, are queued again', async (_, how) => {
    const thing = await forwardingThing();
    const numbers = numbersTo(100);
    await queue.pause();
    await publishAll(thing, numbers);
    await eventually(async () => {
      expect(await deliveriesThatWait()).toBe(0);
      expect(await queue.getWaitingCount()).toBeGreaterThan(0);
    });
    if (how === 'SIGKILL') {
      // A kill takes as much from Redis as its disk had not got yet: this takes all.
      await redis.flushall();
      await system.kill('redis', 'SIGKILL');
    } else {
      await redis.flushall();
    }
    await expectAll(thing, numbers);
    await eventually(async () => {
      const { rows } = await pool.query('SELECT FROM webhook_jobs');
      expect(rows).toEqual([]);
    });
  });
});

describe('kill -9 under load', () => {
  it('of each process in turn: every acknowledged message is delivered', async () => {
    const thing = await forwardingThing();
    // A kill hits what is under way: with more of them, most of the time goes into delivering what came between two kills.
    const numbered = sendNumbered(fleet, thing, 2);
    for (const victim of ['ingest', 'redis', 'workers', 'postgres']) {
      const before = numbered.acknowledged.size;
      await eventually(() => numbered.acknowledged.size > before + 50, awayMsMax);
      // A moment nobody chose: between the steps of the sink and of the workers.
      await delay(Math.random() * 400);
      await system.kill(victim, 'SIGKILL');
    }
    await eventually(() => numbered.acknowledged.size > 400, awayMsMax);
    await numbered.stop();
    const missing = () => {
      const delivered = new Set(numbersAt(thing));
      return [...numbered.acknowledged].filter((number) => !delivered.has(number)).length;
    };
    // A machine that has much else to do is slow; only one that stands still has lost something.
    for (let left = missing(); left > 0; left = missing()) {
      await eventually(() => expect(missing()).toBeLessThan(left), awayMsMax);
    }
    const delivered = new Set(numbersAt(thing).filter((number) => number >= 0));
    expect([...delivered].filter((number) => !numbered.sent.has(number))).toEqual([]);
    expect(receiver.at(thing.path).every(({ headers }) => headers['webhook-id'])).toBe(true);
  }, 900_000);
});
