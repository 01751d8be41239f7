import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { QueuedMessages } from '../support/messages/queued.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const awayMsMax = 45_000;

const EdgeHealth = Type.Object({
  checks: Type.Object({ webhooks: Type.Array(Type.Unknown()) }),
});

let system: OwnSystem;
let fleet: Fleet;
let pool: Pool;
let queued: QueuedMessages;
let failed = false;

beforeAll(async () => {
  system = await startSystem();
  fleet = await Fleet.login(system);
  pool = new Pool({ connectionString: system.databaseUrl, max: 2 });
  queued = new QueuedMessages(pool);
  // Only these tests take jobs.
  await system.kill('workers', 'SIGSTOP');
});

beforeEach(() => pool.query('DELETE FROM webhook_jobs'));

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
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
  it('is due to each of them, and kept for later attempts', async () => {
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
      `SELECT received_ms[1]::float8 AS "receivedMs" FROM webhook_bundles
       WHERE thing_ids = ARRAY[$1::uuid] AND settled_at IS NULL`,
      [thing.id],
    );
    expect(rows).toHaveLength(1);
    expect(Math.abs((rows[0]?.receivedMs ?? 0) - sentAt)).toBeLessThan(60_000);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(1));
  });

  it('of a new edge leaves its log the identity that it has', () => {
    expect(system.output()).not.toContain('goes on under another identity');
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
    // It is counted after it is kept.
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

describe('a message that cannot be forwarded', () => {
  it.each([
    ['because of a constraint', '23514'],
    ['because of a trigger', 'P0001'],
  ])('%s is in the quarantine, and delays no other', async (_, code) => {
    const [guilty, other] = [await forwardingThing(), await forwardingThing()];
    const before = await metric('sink_quarantined_messages_total{sink="webhook"}');
    const name = `refuse_${code}`.toLowerCase();
    await pool.query(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.thing_ids @> ARRAY['${guilty.id}'::uuid] THEN
          RAISE EXCEPTION 'not this one' USING ERRCODE = '${code}';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER ${name} BEFORE INSERT ON webhook_bundles FOR EACH ROW EXECUTE FUNCTION ${name}();`);
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
        expect(await metric('sink_quarantined_messages_total{sink="webhook"}')).toBe(before + 1);
        expect(await webhooksHealth()).toEqual({ status: 'pass' });
      });
    } finally {
      await pool.query(`DROP TRIGGER ${name} ON webhook_bundles; DROP FUNCTION ${name}`);
    }
    const lines = readFileSync(join(system.dataDir, 'log/0/quarantine.ndjson'), 'utf8').trim();
    const entry: unknown = JSON.parse(lines.split('\n').at(-1) ?? '');
    expect(entry).toMatchObject({
      sink: 'webhook',
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
    const before = await metric('sink_quarantined_messages_total{sink="webhook"}');
    await pool.query(`
      CREATE FUNCTION no_table() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'no such table' USING ERRCODE = '42P01';
      END $$;
      CREATE TRIGGER no_table BEFORE INSERT ON webhook_bundles FOR EACH ROW EXECUTE FUNCTION no_table();`);
    try {
      await publish(thing, [{ n: 'a', v: 1 }]);
      await eventually(async () => {
        const output: unknown = expect.stringContaining('a reason that is not known');
        expect(await webhooksHealth()).toMatchObject({ status: 'warn', output });
        expect(await metric('sink_halted{sink="webhook"}')).toBe(1);
      });
    } finally {
      await pool.query('DROP TRIGGER no_table ON webhook_bundles; DROP FUNCTION no_table');
    }
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([1]), 30_000);
    await eventually(async () => expect(await webhooksHealth()).toEqual({ status: 'pass' }));
    expect(await metric('sink_quarantined_messages_total{sink="webhook"}')).toBe(before);
  });
});

describe('a start of the edge', () => {
  const cursor = () => join(system.dataDir, 'log/0/webhook.cursor');

  it('goes on where PostgreSQL has the log, whatever the cursor on the disk says', async () => {
    const thing = await forwardingThing();
    const before = readFileSync(cursor(), 'utf8');
    for (const v of [0, 1, 2]) await publish(thing, [{ n: 'a', v }]);
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([0, 1, 2]));
    await system.kill('ingest', 'SIGSTOP');
    // As after a power cut, in which the cursor of the last second is lost.
    writeFileSync(cursor(), before);
    await system.kill('ingest', 'SIGKILL');
    await publishOnceStarted(thing, 3);
    await eventually(async () => expect(await queued.numbersOf(thing)).toContain(3));
    expect(await queued.numbersOf(thing)).toEqual([0, 1, 2, 3]);
  });

  it('goes on from the cursor on the disk where PostgreSQL does not know the log', async () => {
    const thing = await forwardingThing();
    await publish(thing, [{ n: 'a', v: 0 }]);
    await eventually(async () => expect(await queued.takeNumbers(thing)).toEqual([0]));
    const { position } = await eventually(async () => {
      const { rows } = await pool.query<{ position: object }>(
        `SELECT json_build_object('segment', segment, 'offset', "offset") AS position FROM webhook_logs`,
      );
      const saved: unknown = JSON.parse(readFileSync(cursor(), 'utf8'));
      expect(rows.map((row) => row.position)).toContainEqual(saved);
      return { position: saved };
    });
    await system.kill('ingest', 'SIGSTOP');
    await pool.query('DELETE FROM webhook_logs');
    await system.kill('ingest', 'SIGKILL');
    await publishOnceStarted(thing, 1);
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([1]));
    expect(JSON.parse(readFileSync(cursor(), 'utf8'))).not.toEqual(position);
  });

  it('with a log that was reverted gives it another identity, and loses no message', async () => {
    const thing = await forwardingThing();
    await publish(thing, [{ n: 'a', v: 0 }]);
    await eventually(async () => expect(await queued.takeNumbers(thing)).toEqual([0]));
    await system.kill('ingest', 'SIGSTOP');
    // PostgreSQL has more of the log than the log has.
    await pool.query('UPDATE webhook_logs SET segment = segment + 1000');
    await system.kill('ingest', 'SIGKILL');
    await publishOnceStarted(thing, 1);
    await eventually(async () => expect(await queued.numbersOf(thing)).toContain(1));
    expect(system.output()).toContain('goes on under another identity');
  });
});

describe('while PostgreSQL takes no messages', () => {
  it('messages of known things are acknowledged and wait in the log', async () => {
    const thing = await forwardingThing();
    await publish(thing, [{ n: 'a', v: 0 }]);
    await eventually(async () => expect(await queued.numbersOf(thing)).toEqual([0]));
    const locker = await pool.connect();
    try {
      await locker.query('BEGIN; LOCK TABLE webhook_bundles IN SHARE MODE');
      for (const v of [1, 2, 3]) await publish(thing, [{ n: 'a', v }]);
      await eventually(async () => {
        expect(await webhooksHealth()).toMatchObject({ status: 'warn' });
      }, awayMsMax);
    } finally {
      await locker.query('COMMIT');
      locker.release();
    }
    await eventually(async () => {
      expect(await queued.numbersOf(thing)).toEqual([0, 1, 2, 3]);
    }, awayMsMax);
  });
});

/** Sends one more number as soon as an edge takes it. */
async function publishOnceStarted(thing: Thing, v: number): Promise<void> {
  await eventually(() => publish(thing, [{ n: 'a', v }]), awayMsMax);
}
