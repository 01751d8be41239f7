import { randomUUID } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { type WebhookJob, webhookQueue } from '../../schemas/internal/webhook-job.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { sendNumbered } from '../support/messages/numbered.ts';
import { numbersIn, QueuedMessages } from '../support/messages/queued.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const messages = 1_500;
const connections = 20;
const awayMsMax = 45_000;
/** More jobs than any other test has. */
const queueMax = 2_000;

const EdgeHealth = Type.Object({
  checks: Type.Object({ webhooks: Type.Array(Type.Unknown()) }),
});

let system: OwnSystem;
let fleet: Fleet;
let pool: Pool;
let redis: Redis;
let queue: Queue<WebhookJob>;
let queued: QueuedMessages;
let failed = false;

beforeAll(async () => {
  system = await startSystem({
    env: { WEBHOOK_COPIES_PER_ORG_MAX: '1000000', WEBHOOK_QUEUE_MAX: String(queueMax) },
  });
  fleet = await Fleet.login(system);
  pool = new Pool({ connectionString: system.databaseUrl, max: 2 });
  redis = new Redis(system.redisUrl, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  queue = new Queue(webhookQueue, { connection: redis });
  queue.on('error', () => undefined);
  queued = new QueuedMessages(queue, pool);
  // Only these tests take jobs.
  await system.kill('workers', 'SIGSTOP');
});

beforeEach(() => queue.drain());

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await pool.end();
  await fleet.close();
  await system.kill('workers', 'SIGCONT');
  await system.stop(failed);
});

async function createWebhook(thingId: string): Promise<string> {
  const id = randomUUID();
  await pool.query('INSERT INTO webhooks (id, thing_id, name, url) VALUES ($1, $2, $3, $4)', [
    id,
    thingId,
    'nobody',
    'https://receiver.invalid/',
  ]);
  return id;
}

/** A thing with a webhook that the edge knows of. */
async function forwardingThing(config?: ProfileConfig): Promise<Thing & { webhookId: string }> {
  const thing = await fleet.thing(config);
  const webhookId = await createWebhook(thing.id);
  return { ...thing, webhookId };
}

async function publish(
  thing: Thing,
  body: unknown,
  contentType?: string,
  requestId?: string,
): Promise<void> {
  const options = {
    ...(contentType === undefined ? {} : { contentType }),
    ...(requestId === undefined ? {} : { headers: { 'x-request-id': requestId } }),
  };
  expect(await fleet.publish(thing.key, body, options)).toMatchObject({ status: 202 });
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${system.ingestUrl}/metrics`)).text();
  return Number(new RegExp(`^millrace_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function webhooksHealth(): Promise<unknown> {
  const answer = await fetch(`${system.ingestUrl}/health`);
  expect(answer.status).toBe(200);
  return Value.Parse(EdgeHealth, await answer.json()).checks.webhooks[0];
}

describe('a message of a thing with webhooks', () => {
  it('is queued for each of them, and kept for later attempts', async () => {
    const thing = await forwardingThing();
    const webhookIds = [thing.webhookId, await createWebhook(thing.id)].toSorted();
    const body = '[ {"n":"a", "v":1.50} ]';
    const sentAt = Date.now();
    await publish(thing, body);
    await eventually(async () => expect(await queued.messagesOf(thing)).toHaveLength(1));
    const [message] = await queued.messagesOf(thing);
    expect(message?.messageId).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(message?.webhookIds.toSorted()).toEqual(webhookIds);
    expect(message).toMatchObject({ contentType: 'application/senml+json' });
    expect(message?.payload.toString()).toBe(body);
    const { rows } = await pool.query<{ receivedMs: number }>(
      `SELECT received_ms[1]::float8 AS "receivedMs" FROM webhook_packs
       WHERE thing_ids = ARRAY[$1::uuid] AND settled_at IS NULL`,
      [thing.id],
    );
    expect(rows).toHaveLength(1);
    expect(Math.abs((rows[0]?.receivedMs ?? 0) - sentAt)).toBeLessThan(60_000);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(1));
  });

  it('is sent as its transformer made it, or unchanged', async () => {
    const thing = await forwardingThing({ transformer: { data_filters: ['a.b'] } });
    const cbor = Buffer.from('81a200636162630201', 'hex');
    await publish(thing, '{"a":{"b":1},"c":2}', 'application/json');
    await publish(thing, cbor, 'application/senml+cbor');
    await eventually(async () => expect(await queued.messagesOf(thing)).toHaveLength(2));
    const [json, senml] = await queued.messagesOf(thing);
    expect(json).toMatchObject({ contentType: 'application/json' });
    expect(json?.payload.toString()).toBe('{"a.b":1}');
    expect(senml).toMatchObject({ contentType: 'application/senml+cbor', payload: cbor });
  });

  it('is queued where its profile says not to store it', async () => {
    const thing = await forwardingThing({ write: false });
    const storing = await forwardingThing();
    await publish(thing, [{ n: 'a', v: 1 }]);
    await publish(storing, [{ n: 'a', v: 2 }]);
    await eventually(async () => expect(await queued.numbersOf(storing)).toEqual([2]));
    expect(await queued.numbersOf(thing)).toEqual([1]);
    await eventually(async () => expect(await fleet.stored(storing.id)).toBe(1));
    expect(await fleet.stored(thing.id)).toBe(0);
  });

  it('leaves the store nothing to wait for where it is not stored', async () => {
    const thing = await forwardingThing({ write: false });
    await publish(thing, [{ n: 'a', v: 1 }]);
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([1]));
    await eventually(async () => {
      for (const sink of ['senml', 'json']) {
        expect(await metric(`sink_oldest_unsent_seconds{sink="${sink}"}`)).toBe(0);
        expect(await metric(`sink_pending_bytes{sink="${sink}"}`)).toBe(0);
      }
    });
  });

  it('is not queued without a webhook, or with a disabled one', async () => {
    const [none, off, on] = [await fleet.thing(), await fleet.thing(), await forwardingThing()];
    const webhookId = await createWebhook(off.id);
    await pool.query('UPDATE webhooks SET disabled_at = now() WHERE id = $1', [webhookId]);
    const before = await metric('webhook_sink_messages_total');
    for (const thing of [none, off, on]) await publish(thing, [{ n: 'a', v: 1 }]);
    await eventually(async () => expect(await queued.numbersOf(on)).toEqual([1]));
    expect([await queued.numbersOf(none), await queued.numbersOf(off)]).toEqual([[], []]);
    // It is counted after it is queued.
    await eventually(async () => {
      expect(await metric('webhook_sink_messages_total')).toBe(before + 1);
    });
  });
});

/** Publishes numbers until told to stop; tells when each was sent. */
function publishNumbers(thing: Thing) {
  const sentAt: number[] = [];
  let sending = true;
  const sent = (async () => {
    while (sending) {
      sentAt.push(performance.now());
      await publish(thing, [{ n: 'a', v: sentAt.length - 1 }]);
    }
  })();
  return {
    sentAt,
    async stop() {
      sending = false;
      await sent;
    },
  };
}

describe('a webhook that changes while its thing publishes', () => {
  it.each([
    ['the first appears', 'none', 'INSERT', true],
    ['the last goes', 'on', 'DELETE FROM webhooks WHERE thing_id = $1', false],
    [
      'it is turned off',
      'on',
      'UPDATE webhooks SET disabled_at = now() WHERE thing_id = $1',
      false,
    ],
    ['it is turned on', 'off', 'UPDATE webhooks SET disabled_at = NULL WHERE thing_id = $1', true],
  ])('%s: within a second messages are sent accordingly', async (_, at, change, forwards) => {
    const thing = await fleet.thing();
    if (at !== 'none') await createWebhook(thing.id);
    if (at === 'off') {
      await pool.query('UPDATE webhooks SET disabled_at = now() WHERE thing_id = $1', [thing.id]);
    }
    const numbers = publishNumbers(thing);
    await eventually(() => numbers.sentAt.length > 10);
    if (change === 'INSERT') await createWebhook(thing.id);
    else await pool.query(change, [thing.id]);
    const changedAt = performance.now();
    const taken = new Set<number>();
    await eventually(async () => {
      for (const number of await queued.takeNumbers(thing)) taken.add(number);
      return (numbers.sentAt.at(-1) ?? 0) > changedAt + 1_300;
    });
    await numbers.stop();
    const last = await forwardingThing();
    await publish(last, [{ n: 'a', v: 0 }]);
    await eventually(async () => {
      for (const number of await queued.numbersOf(thing)) taken.add(number);
      expect(await queued.numbersOf(last)).toEqual([0]);
    });
    for (const number of await queued.numbersOf(thing)) taken.add(number);
    const late = numbers.sentAt.flatMap((ms, number) => (ms > changedAt + 1_000 ? [number] : []));
    expect(late.length).toBeGreaterThan(0);
    expect(late.filter((number) => taken.has(number))).toEqual(forwards ? late : []);
  });
});

describe('while the queue accepts no message', () => {
  it('with no memory left in Redis the rest waits in PostgreSQL, and not in the log', async () => {
    const thing = await forwardingThing();
    const numbers = Array.from({ length: messages }, (_, i) => i);
    const waiting = numbers.values();
    await redis.config('SET', 'maxmemory', '1');
    try {
      // The sink learns of it with this one, which Redis refuses.
      await publish(thing, [{ n: 'a', v: -1 }]);
      await eventually(async () => expect(await queued.waitingNumbersOf(thing)).toEqual([-1]));
      const copies = await metric('webhook_sink_copies_total');
      await Promise.all(
        Array.from({ length: connections }, async () => {
          for (const v of waiting) await publish(thing, [{ n: 'a', v }]);
        }),
      );
      await eventually(async () => expect(await fleet.stored(thing.id)).toBeGreaterThan(messages));
      await eventually(async () => {
        expect(new Set(await queued.waitingNumbersOf(thing))).toEqual(new Set([-1, ...numbers]));
      });
      expect(await metric('webhook_sink_copies_total')).toBe(copies);
      expect(await webhooksHealth()).toEqual({ status: 'pass' });
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await eventually(async () => {
      await publish(thing, [{ n: 'a', v: messages }]);
      expect(await queued.numbersOf(thing)).toContain(messages);
    });
  });

  it('with as many jobs as it may have the rest waits in PostgreSQL, and not in the log', async () => {
    const thing = await forwardingThing();
    const data: WebhookJob = {
      bundle: { log: randomUUID(), segment: 0, first: 0, last: 0 },
      bytes: 0,
      messages: [],
    };
    await queue.addBulk(Array.from({ length: queueMax }, () => ({ name: 'messages', data })));
    const numbers: number[] = [];
    // The sink looks now and then: some of the first may still be queued.
    await eventually(async () => {
      await publish(thing, [{ n: 'a', v: numbers.length }]);
      numbers.push(numbers.length);
      expect(await queued.waitingNumbersOf(thing)).not.toEqual([]);
    });
    const copies = await metric('webhook_sink_copies_total');
    const inQueue = await queue.getWaitingCount();
    for (let at = 0; at < 10; at++) {
      await publish(thing, [{ n: 'a', v: numbers.length }]);
      numbers.push(numbers.length);
    }
    await eventually(async () => {
      const last = numbers.slice(-10);
      expect(await queued.waitingNumbersOf(thing)).toEqual(expect.arrayContaining(last));
      const text = await (await fetch(`${system.ingestUrl}/metrics`)).text();
      expect(text).toMatch(/^millrace_sink_pending_bytes\{sink="webhook"\} 0$/m);
    });
    expect(await metric('webhook_sink_copies_total')).toBe(copies);
    expect(await queue.getWaitingCount()).toBe(inQueue);
    expect(await webhooksHealth()).toEqual({ status: 'pass' });
    await queue.drain();
    await eventually(async () => {
      await publish(thing, [{ n: 'a', v: messages }]);
      expect(await queued.numbersOf(thing)).toContain(messages);
    });
  });

  it('with Redis away messages of known things are acknowledged and stored, and queued after', async () => {
    const thing = await forwardingThing();
    const gone = await forwardingThing();
    for (const one of [thing, gone]) await publish(one, [{ n: 'a', v: 0 }]);
    await eventually(async () => expect(await queued.numbersOf(gone)).toEqual([0]));
    await system.kill('redis', 'SIGSTOP');
    try {
      for (let v = 1; v <= 50; v++) await publish(thing, [{ n: 'a', v }]);
      await publish(gone, [{ n: 'a', v: 1 }]);
      await pool.query('DELETE FROM things WHERE id = $1', [gone.id]);
      await eventually(async () => expect(await fleet.stored(thing.id)).toBe(51));
      await eventually(async () => {
        expect(await webhooksHealth()).toMatchObject({ status: 'warn' });
      }, awayMsMax);
    } finally {
      await system.kill('redis', 'SIGCONT');
    }
    const all = Array.from({ length: 51 }, (_, i) => i);
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual(all), awayMsMax);
  });

  it('what Redis lost is queued again, except what was delivered', async () => {
    const thing = await forwardingThing();
    await redis.config('SET', 'appendfsync', 'always');
    for (const v of [0, 1, 2]) await publish(thing, [{ n: 'a', v }]);
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([0, 1, 2]));
    const [delivered] = await queued.messagesOf(thing);
    await pool.query(
      `INSERT INTO webhook_deliveries
         (webhook_id, message_id, attempt, tried_at, duration_ms, status)
       VALUES ($1, $2, 1, now(), 1, 200)`,
      [thing.webhookId, delivered?.messageId],
    );
    await queued.takeNumbers(thing);
    await system.kill('redis', 'SIGKILL');
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([1, 2]), awayMsMax);
    expect(await metric('webhook_sink_rewinds_total')).toBeGreaterThan(0);
  });
});

describe('a message that cannot be forwarded', () => {
  it.each([
    ['because of a constraint', '23514'],
    ['because of a trigger', 'P0001'],
  ])('%s is in the quarantine, and delays no other', async (_, code) => {
    const [guilty, other] = [await forwardingThing(), await forwardingThing()];
    const before = await metric('webhook_sink_quarantined_messages_total');
    const name = `refuse_${code}`.toLowerCase();
    await pool.query(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.thing_ids @> ARRAY['${guilty.id}'::uuid] THEN
          RAISE EXCEPTION 'not this one' USING ERRCODE = '${code}';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER ${name} BEFORE INSERT ON webhook_packs FOR EACH ROW EXECUTE FUNCTION ${name}();`);
    try {
      await Promise.all(
        Array.from({ length: 100 }, (__, v) =>
          publish(v === 50 ? guilty : other, [{ n: 'a', v }], undefined, `${name}-${v}`),
        ),
      );
      const good = Array.from({ length: 100 }, (__, v) => v).filter((v) => v !== 50);
      await eventually(async () => {
        expect((await queued.numbersOf(other)).toSorted((a, b) => a - b)).toEqual(good);
      }, 30_000);
      await eventually(async () => {
        expect(await metric('webhook_sink_quarantined_messages_total')).toBe(before + 1);
        expect(await webhooksHealth()).toEqual({ status: 'pass' });
      });
    } finally {
      await pool.query(`DROP TRIGGER ${name} ON webhook_packs; DROP FUNCTION ${name}`);
    }
    const lines = readFileSync(join(system.dataDir, 'log/0/quarantine.ndjson'), 'utf8').trim();
    const entry: unknown = JSON.parse(lines.split('\n').at(-1) ?? '');
    expect(entry).toMatchObject({
      format: 'webhook',
      code,
      reason: expect.stringContaining('not this one'),
      payload: expect.stringMatching(/./),
    });
    await eventually(() => {
      const printed = system.output().split('\n');
      const told = printed.filter((line) => line.includes(`request_id=${name}-`));
      expect(told).toEqual([expect.stringContaining('quarantined a message')]);
      expect(told[0]).toContain(`request_id=${name}-50 code=${code}`);
    });
    expect(await queued.numbersOf(guilty)).toEqual([]);
    await eventually(async () => expect(await fleet.stored(guilty.id)).toBe(1));
  });

  it('for a reason that is not known is tried on, which is told, and is queued once that is mended', async () => {
    const thing = await forwardingThing();
    const before = await metric('webhook_sink_quarantined_messages_total');
    await pool.query(`
      CREATE FUNCTION no_table() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'no such table' USING ERRCODE = '42P01';
      END $$;
      CREATE TRIGGER no_table BEFORE INSERT ON webhook_packs FOR EACH ROW EXECUTE FUNCTION no_table();`);
    try {
      await publish(thing, [{ n: 'a', v: 1 }]);
      await eventually(async () => {
        const output: unknown = expect.stringContaining('a reason that is not known');
        expect(await webhooksHealth()).toMatchObject({ status: 'warn', output });
        expect(await metric('sink_halted{sink="webhook"}')).toBe(1);
      });
    } finally {
      await pool.query('DROP TRIGGER no_table ON webhook_packs; DROP FUNCTION no_table');
    }
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([1]), 30_000);
    await eventually(async () => expect(await webhooksHealth()).toEqual({ status: 'pass' }));
    expect(await metric('webhook_sink_quarantined_messages_total')).toBe(before);
  });
});

/** The files in which the sink notes what it queued. */
function notesOf({ dataDir }: OwnSystem): string[] {
  const log = join(dataDir, 'log');
  return globSync('**/webhook.batches', { cwd: log }).map((path) => join(log, path));
}

describe('a power cut', () => {
  it('that loses the newest note of what was queued loses no message', async () => {
    const thing = await forwardingThing();
    for (const v of [0, 1, 2]) {
      await publish(thing, [{ n: 'a', v }]);
      await eventually(async () => expect(await queued.numbersOf(thing)).toContain(v));
    }
    await system.kill('ingest', 'SIGSTOP');
    const [path = ''] = notesOf(system);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(3);
    writeFileSync(path, `${lines.at(-1)}\n`);
    await queued.takeNumbers(thing);
    await system.kill('ingest', 'SIGKILL');
    await eventually(
      async () => expect(await queued.numbersOf(thing)).toEqual([0, 1, 2]),
      awayMsMax,
    );
  });

  it('that loses the last note loses no message after it', async () => {
    const thing = await forwardingThing();
    await publish(thing, [{ n: 'a', v: 0 }]);
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([0]));
    await system.kill('redis', 'SIGSTOP');
    try {
      for (const v of [1, 2]) await publish(thing, [{ n: 'a', v }]);
      await system.kill('ingest', 'SIGSTOP');
      for (const path of notesOf(system)) writeFileSync(path, '');
      await system.kill('ingest', 'SIGKILL');
    } finally {
      await system.kill('redis', 'SIGCONT');
    }
    // What was queued before is sent once more: nobody knows any more that it was.
    await eventually(async () => {
      expect(new Set(await queued.numbersOf(thing))).toEqual(new Set([0, 1, 2]));
    }, awayMsMax);
  });
});

describe('kill -9 under load', () => {
  it('of the edge and of Redis in turn: every acknowledged message is delivered', async () => {
    const thing = await forwardingThing();
    const delivered = new Set<number>();
    let withoutRequest = 0;
    const worker = new Worker<WebhookJob, void>(
      webhookQueue,
      async ({ data }) => {
        const own = (await queued.messagesIn([{ data }])).filter(
          ({ thingId }) => thingId === thing.id,
        );
        for (const number of own.flatMap(numbersIn)) delivered.add(number);
        withoutRequest += own.filter(({ requestId }) => requestId === '').length;
      },
      {
        connection: new Redis(system.redisUrl, { maxRetriesPerRequest: null }).on('error', () => {
          // It is killed.
        }),
        concurrency: 50,
        lockDuration: 2_000,
        stalledInterval: 1_000,
        maxStalledCount: 100,
        drainDelay: 1,
      },
    );
    worker.on('error', () => undefined);
    const numbered = sendNumbered(fleet, thing, connections);
    for (const victim of ['ingest', 'redis']) {
      const before = numbered.acknowledged.size;
      await eventually(() => numbered.acknowledged.size > before + 600, awayMsMax);
      // A moment nobody chose: between the steps of the sink.
      await delay(Math.random() * 400);
      await system.kill(victim, 'SIGKILL');
    }
    await numbered.stop();
    await eventually(() => {
      expect([...numbered.acknowledged].filter((number) => !delivered.has(number))).toEqual([]);
    }, 60_000);
    expect([...delivered].filter((number) => !numbered.sent.has(number))).toEqual([]);
    expect(withoutRequest).toBe(0);
    await worker.close();
  });
});
