import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WebhookJob, webhookJobId } from '../../schemas/internal/webhook-job.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { answers, openReceiver, type Receiver } from './receiver.ts';
import { messageIdsIn, Sender } from './sender.ts';
import { limits } from '../../workers/limits.ts';

let receiver: Receiver;
let sender: Sender;

beforeAll(async () => {
  receiver = await openReceiver();
  sender = await Sender.open(system());
});

afterAll(async () => {
  await sender.close();
  await receiver.close();
});

/** Attempts under way at once at an endpoint that has not answered yet. */
const hangingMax = 4;
/** How many attempts at a receiver that hangs can have ended: none is given up before its time. */
const endedMax = (beganMs: number) =>
  hangingMax * Math.floor((performance.now() - beganMs) / limits.attemptMsMax);

/** A path of the receiver that nothing else uses. */
const newPath = () => `/${randomUUID()}`;

/** What came to a path, once there are that many. */
const arrived = (path: string, count = 1) =>
  eventually(() => {
    const received = receiver.at(path);
    if (received.length < count) throw new Error(`${received.length} of ${count} arrived`);
    return received;
  }, 60_000);

const delivered = (webhookId: string, count = 1) =>
  eventually(async () => {
    const rows = await sender.deliveries(webhookId);
    if (rows.length < count) throw new Error(`${rows.length} of ${count} tries`);
    return rows;
  });

const headersOf = (received: { headers: Record<string, unknown> }) =>
  Object.fromEntries(
    Object.entries(received.headers).map(([name, value]) => [name, String(value)]),
  );

/** The job, once that many attempts were made of it. */
const attempted = (jobId: string, count = 1) =>
  eventually(async () => {
    const job = await sender.job(jobId);
    if (job.attemptsMade < count) throw new Error(`${job.attemptsMade} of ${count} attempts`);
    return job;
  });

/** Has a job that waits for its next attempt, after that many, taken now, unless it is due by itself already. */
async function attemptNow(jobId: string, count = 1): Promise<void> {
  await attempted(jobId, count);
  // While the queue is paused no attempt begins between the look and the promotion.
  await sender.queue.pause();
  try {
    const job = await sender.job(jobId);
    if (job.attemptsMade === count && (await job.isDelayed())) await job.promote();
  } finally {
    await sender.queue.resume();
  }
}

/** Of a receiver that fails: the next attempt is not due before the test wants it. */
const failsForAnHour = answers(503, { 'retry-after': '3600' });

describe('a delivery', () => {
  it('has the payload unchanged, its content type, and the headers of the webhook', async () => {
    const path = newPath();
    const id = await sender.webhook(receiver.url(`${path}?a=b`), {
      headers: { 'X-Tenant': 'mill', Authorization: 'Bearer abc' },
    });
    const payload = '[{"n":"Ü","v":1.50}]\n';
    await sender.send(id, { payload, content_type: 'application/json' });
    const [received] = await arrived(`${path}?a=b`);
    expect(received?.body.toString()).toBe(payload);
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-tenant': 'mill',
      authorization: 'Bearer abc',
      'user-agent': 'Millrace',
    });
    expect(received?.headers).not.toHaveProperty('webhook-signature');
  });

  it('keeps binary payloads', async () => {
    const path = newPath();
    const id = await sender.webhook(receiver.url(path));
    const bytes = randomBytes(500);
    await sender.send(id, { payload: bytes, content_type: 'application/senml+cbor' });
    const [received] = await arrived(path);
    expect(received?.body).toEqual(bytes);
  });

  it('does not let a webhook override our headers or those of the connection', async () => {
    const path = newPath();
    const id = await sender.webhook(receiver.url(path), {
      headers: {
        Host: 'elsewhere.example',
        'Content-Type': 'text/html',
        'Content-Length': '3',
        'Content-Encoding': 'gzip',
        'Transfer-Encoding': 'chunked',
        Connection: 'x-one, close',
        TE: 'trailers',
        Trailer: 'x-two',
        Upgrade: 'h2c',
        Expect: '100-continue',
        'Keep-Alive': 'timeout=9',
        'Proxy-Authorization': 'Basic eDp5',
        'Webhook-Id': 'mine',
        'WEBHOOK-SIGNATURE': 'v1,mine',
        'webhook-timestamp': '1',
        'User-Agent': 'mine',
        'Millrace-Thing-Id': 'mine',
        'millrace-subtopic': 'mine',
        'X-Kept': 'kept',
      },
    });
    await sender.send(id, { payload: 'whole' });
    const [received] = await arrived(path);
    expect(received?.body.toString()).toBe('whole');
    expect(received?.headers).toMatchObject({
      host: `127.0.0.1:${receiver.port}`,
      'content-type': 'application/senml+json',
      'content-length': '5',
      'user-agent': 'Millrace',
      'x-kept': 'kept',
    });
    const ours = ['millrace-subtopic', 'webhook-signature'];
    const foreign = ['transfer-encoding', 'te', 'trailer', 'upgrade', 'expect', 'keep-alive'];
    for (const name of [...foreign, ...ours, 'proxy-authorization', 'content-encoding']) {
      expect(received?.headers).not.toHaveProperty(name);
    }
    expect(JSON.stringify(received?.headers)).not.toMatch(/mine|x-one/);
  });

  it('has a signature that the Standard Webhooks library accepts, and refuses after a change', async () => {
    const path = newPath();
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const id = await sender.webhook(receiver.url(path), { secret });
    const payload = JSON.stringify([{ n: 'ä', v: 1 }]);
    await sender.send(id, { payload });
    const [received] = await arrived(path);
    if (received === undefined) throw new Error('nothing came');
    const webhook = new Webhook(secret);
    expect(webhook.verify(received.body, headersOf(received))).toEqual([{ n: 'ä', v: 1 }]);
    expect(() => webhook.verify(`${payload} `, headersOf(received))).toThrow('signature');
  });

  it('has a signature by the text of a secret of any other form', async () => {
    const path = newPath();
    const id = await sender.webhook(receiver.url(path), { secret: 'quite plain' });
    await sender.send(id);
    const [received] = await arrived(path);
    if (received === undefined) throw new Error('nothing came');
    const webhook = new Webhook('quite plain', { format: 'raw' });
    expect(webhook.verify(received.body, headersOf(received))).toEqual([{ n: 'a', v: 1 }]);
  });

  it('has a second signature by the former secret, until that expires', async () => {
    const [secret, previousSecret] = ['the new secret', 'the former secret'];
    const hour = 3_600_000;
    const path = newPath();
    for (const [until, count] of [
      [hour, 2],
      [-hour, 1],
    ] as const) {
      const own = `${path}/${count}`;
      const previousSecretUntil = new Date(Date.now() + until);
      const fields = { secret, previousSecret, previousSecretUntil };
      await sender.send(await sender.webhook(receiver.url(own), fields));
      const [received] = await arrived(own);
      if (received === undefined) throw new Error('nothing came');
      const headers = headersOf(received);
      expect(headers['webhook-signature']?.split(' ')).toHaveLength(count);
      new Webhook(secret, { format: 'raw' }).verify(received.body, headers);
      const former = new Webhook(previousSecret, { format: 'raw' });
      if (count === 2) former.verify(received.body, headers);
      else expect(() => former.verify(received.body, headers)).toThrow('signature');
    }
  });
});

describe('an attempt that fails', () => {
  it('is repeated on the whole schedule, under one webhook-id, and then the job is in the failed set', async () => {
    const path = newPath();
    const id = await sender.webhook(receiver.url(path));
    receiver.treat(path, (response, _nth, { body }) => {
      response.writeHead(body.toString() === 'refused' ? 500 : 200).end('no');
    });
    const jobId = await sender.send(id, { payload: 'refused' });
    const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440];
    const bodies = (body: string) =>
      receiver.at(path).filter((one) => one.body.toString() === body);
    for (const [index, wait] of minutes.entries()) {
      const made = index + 1;
      const found = await attempted(jobId, made);
      // The first wait, of seconds, can be over before anybody has looked.
      if (found.attemptsMade === made) {
        expect(found.delay).toBeGreaterThanOrEqual(0.8 * wait * 60_000);
        expect(found.delay).toBeLessThanOrEqual(1.2 * wait * 60_000);
      }
      // What the receiver takes in between keeps the circuit of its endpoint closed.
      await sender.send(id, { payload: 'taken' });
      await eventually(() => bodies('taken').length === made, 60_000);
      await attemptNow(jobId, made);
    }
    const job = await attempted(jobId, 10);
    expect(await job.isFailed()).toBe(true);
    expect(job).toMatchObject({
      failedReason: 'the receiver answered 500',
      stacktrace: [],
    });
    const refused = bodies('refused');
    expect(refused).toHaveLength(10);
    expect(new Set(refused.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([jobId]));
    const rows = await delivered(id, 10 + minutes.length);
    const tries = rows.filter(({ status }) => status === 500);
    expect(tries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(tries[0]?.answer.toString()).toBe('no');
  });

  it('is repeated after Retry-After, and after a day at most', async () => {
    const asked = [
      ['3600', 3_600_000, 3_600_000],
      ['999999', 86_400_000, 86_400_000],
      ['1', 4_000, 6_000],
      ['soon', 4_000, 6_000],
      [new Date(Date.now() + 7_200_000).toUTCString(), 7_000_000, 7_200_000],
    ] as const;
    await Promise.all(
      asked.map(async ([retryAfter, least, most]) => {
        const path = newPath();
        receiver.treat(path, answers(429, { 'retry-after': retryAfter }));
        const jobId = await sender.send(await sender.webhook(receiver.url(path)));
        const job = await attempted(jobId);
        expect(job.delay, retryAfter).toBeGreaterThanOrEqual(least);
        expect(job.delay, retryAfter).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('is recorded on the webhook until one succeeds', async () => {
    const path = newPath();
    receiver.treat(path, failsForAnHour);
    const id = await sender.webhook(receiver.url(path));
    await sender.send(id);
    const first = await eventually(async () => {
      const { failing_since: since } = await sender.row(id);
      if (!(since instanceof Date)) throw new Error('not failing');
      return since;
    });
    const again = await sender.send(id);
    await delivered(id, 2);
    expect((await sender.row(id))['failing_since']).toEqual(first);
    receiver.treat(path, answers(200));
    await attemptNow(again);
    await eventually(async () => (await sender.row(id))['failing_since'] === null);
  });

  it('is recorded again when it goes on after the webhook was changed', async () => {
    const path = newPath();
    receiver.treat(path, failsForAnHour);
    const id = await sender.webhook(receiver.url(path));
    const failingSince = () =>
      eventually(async () => {
        const { failing_since: since } = await sender.row(id);
        if (!(since instanceof Date)) throw new Error('not failing');
        return since.getTime();
      });
    await sender.send(id);
    let before = await failingSince();
    const other = newPath();
    receiver.treat(other, failsForAnHour);
    for (const change of [
      { headers: { 'X-Own': 'other' } },
      { secret: `whsec_${'a'.repeat(32)}` },
      { url: receiver.url(other) },
      { disabled: false },
    ]) {
      const changed = await sender.fleet.call('PUT', `/webhooks/${id}`, change);
      expect(changed.status).toBe(200);
      expect((await sender.row(id))['failing_since']).toBeNull();
      await sender.send(id);
      const again = await failingSince();
      expect(again).toBeGreaterThan(before);
      before = again;
    }
  });
});

/** The mail about a webhook of this name, once it was written. */
function mailAbout(name: string): Promise<string> {
  const outbox = join(system().dataDir, 'outbox');
  return eventually(() => {
    const mails = readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'));
    const found = mails
      .map((mail) => mail.replaceAll(/=\r?\n/g, ''))
      .find((mail) => {
        return mail.includes(name);
      });
    if (found === undefined) throw new Error(`no mail about ${name}`);
    return found;
  });
}

describe('a webhook is disabled, with a mail to its owner', () => {
  it('when its receiver answers 410; later messages are not attempted', async () => {
    const path = newPath();
    receiver.treat(path, answers(410));
    const id = await sender.webhook(receiver.url(path));
    const name = `gone-${randomUUID()}`;
    await sender.pool.query('UPDATE webhooks SET name = $2 WHERE id = $1', [id, name]);
    const jobId = await sender.send(id);
    const mail = await mailAbout(name);
    expect(mail).toContain(`To: ${system().adminEmail}`);
    expect(mail).toContain('410 Gone');
    expect(await sender.row(id)).toMatchObject({
      disabled_at: expect.any(Date),
      disabled_why: 'gone',
    });
    await eventually(async () => (await sender.job(jobId)).isFailed());
    expect((await sender.job(jobId)).attemptsMade).toBe(1);
    const next = await sender.send(id);
    await eventually(async () => (await (await sender.queue.getJob(next))?.isDelayed()) !== true);
    await eventually(async () => (await sender.queue.getActiveCount()) === 0);
    expect(receiver.at(path)).toHaveLength(1);
  });

  it('after five days of nothing but failures', async () => {
    const path = newPath();
    receiver.treat(path, answers(500));
    const id = await sender.webhook(receiver.url(path));
    const name = `failing-${randomUUID()}`;
    await sender.pool.query(
      `UPDATE webhooks SET name = $2, failing_since = now() - interval '5 days 1 minute'
       WHERE id = $1`,
      [id, name],
    );
    await sender.send(id);
    expect(await mailAbout(name)).toContain('five days');
    expect(await sender.row(id)).toMatchObject({ disabled_why: 'failing' });
  });

  it('after five days of failures in which it was given no more than another name', async () => {
    const path = newPath();
    receiver.treat(path, answers(500));
    const url = receiver.url(path);
    const headers = { 'X-Own': 'its own' };
    const id = await sender.webhook(url, { headers });
    await sender.pool.query(
      "UPDATE webhooks SET failing_since = now() - interval '5 days 1 minute' WHERE id = $1",
      [id],
    );
    const { failing_since: since } = await sender.row(id);
    const name = `renamed-${randomUUID()}`;
    for (const change of [
      { name },
      { messages: true },
      { metadata: { shift: 'night' } },
      { name, url, headers, secret: null },
    ]) {
      const changed = await sender.fleet.call('PUT', `/webhooks/${id}`, change);
      expect(changed.status).toBe(200);
      expect((await sender.row(id))['failing_since']).toEqual(since);
    }
    await sender.send(id);
    expect(await mailAbout(name)).toContain('five days');
    expect(await sender.row(id)).toMatchObject({ disabled_why: 'failing' });
  });

  it('but not when a delivery succeeded meanwhile', async () => {
    const path = newPath();
    receiver.treat(path, answers(500));
    const id = await sender.webhook(receiver.url(path));
    await sender.pool.query(
      `INSERT INTO webhook_deliveries (webhook_id, message_id, attempt, tried_at, duration_ms, status)
       VALUES ($1, 'earlier', 1, now() - interval '1 day', 5, 200)`,
      [id],
    );
    await sender.pool.query(
      "UPDATE webhooks SET failing_since = now() - interval '6 days' WHERE id = $1",
      [id],
    );
    await sender.send(id);
    await delivered(id, 2);
    expect(await sender.row(id)).toMatchObject({ disabled_at: null });
  });
});

describe('a change counts', () => {
  it('of the URL, for messages that wait for their next attempt', async () => {
    const [before, after] = [newPath(), newPath()];
    receiver.treat(before, failsForAnHour);
    const id = await sender.webhook(receiver.url(before));
    const jobId = await sender.send(id);
    await attempted(jobId);
    // It takes what follows: no attempt starts at one that only fails.
    receiver.treat(before, answers(200));
    await sender.pool.query('UPDATE webhooks SET url = $2 WHERE id = $1', [
      id,
      receiver.url(after),
    ]);
    await eventually(async () => {
      await sender.send(id);
      return receiver.at(after).length > 0;
    });
    await attemptNow(jobId);
    const tries = (at: string) =>
      receiver.at(at).filter(({ headers }) => headers['webhook-id'] === jobId).length;
    await eventually(() => tries(after) === 1);
    expect(tries(before)).toBe(1);
  });

  it('of a deletion, which ends the pending attempts', async () => {
    const path = newPath();
    receiver.treat(path, failsForAnHour);
    const id = await sender.webhook(receiver.url(path));
    const jobId = await sender.send(id);
    await attempted(jobId);
    await sender.pool.query('DELETE FROM webhooks WHERE id = $1', [id]);
    // What is remembered of it is forgotten within a second.
    await eventually(async () => {
      const probe = await sender.send(id);
      await eventually(async () => {
        const job = await sender.queue.getJob(probe);
        return job === undefined || (await job.isDelayed()) || (await job.isCompleted());
      });
      const job = await sender.queue.getJob(probe);
      return job === undefined || (await job.isCompleted());
    });
    const before = receiver.at(path).length;
    await attemptNow(jobId);
    await eventually(async () => {
      const job = await sender.queue.getJob(jobId);
      return job === undefined || (await job.isCompleted());
    });
    expect(receiver.at(path)).toHaveLength(before);
  });

  it('of a user who disables it: what waits is counted and not attempted, and nothing new comes', async () => {
    const [path, other] = [newPath(), newPath()];
    receiver.treat(path, failsForAnHour);
    const thing = await sender.fleet.thing();
    const id = await sender.webhook(receiver.url(path), {}, thing.id);
    await sender.webhook(receiver.url(other), {}, thing.id);
    const jobId = await sender.send(id);
    await attempted(jobId);
    receiver.treat(path, answers(200));
    const missed = async () => Number((await sender.row(id))['missed_deliveries']);
    const disable = async (disabled: boolean) =>
      expect((await sender.fleet.call('PUT', `/webhooks/${id}`, { disabled })).status).toBe(200);

    await disable(true);
    await eventually(async () => {
      await sender.send(id);
      return (await missed()) > 0;
    });
    const [came, missedBefore] = [receiver.at(path).length, await missed()];
    await attemptNow(jobId);
    await eventually(async () => (await missed()) > missedBefore);
    await sender.fleet.publish(thing.key, '[{"n":"a","v":1}]');
    await arrived(other);
    expect(receiver.at(path)).toHaveLength(came);
    const { rows } = await sender.pool.query(
      'SELECT offsets FROM webhook_jobs WHERE webhook_id = $1',
      [id],
    );
    expect(rows).toEqual([]);

    await disable(false);
    await eventually(async () => {
      await sender.fleet.publish(thing.key, '[{"n":"a","v":2}]');
      return receiver.at(path).length > came;
    });
  });
});

describe('a bundle', () => {
  async function isSettled(job: WebhookJob | undefined): Promise<boolean> {
    const { rows } = await sender.pool.query<{ settled: boolean }>(
      'SELECT settled_at IS NOT NULL AS settled FROM webhook_bundles WHERE log_id = $1',
      [job?.bundle.log],
    );
    return rows[0]?.settled === true;
  }

  it('goes to each webhook of each of its messages', async () => {
    const [one, two] = [newPath(), newPath()];
    const [first, second] = [
      await sender.webhook(receiver.url(one)),
      await sender.webhook(receiver.url(two)),
    ];
    const bundles = await sender.keepBundles(
      [
        { webhook_ids: [first, second], payload: 'both' },
        { webhook_ids: [second], payload: 'second' },
      ],
      2,
    );
    const [jobId = ''] = await sender.addBundles(bundles);
    await arrived(two, 2);
    const bodies = (path: string) => receiver.at(path).map(({ body }) => body.toString());
    expect([bodies(one), bodies(two).toSorted()]).toEqual([['both'], ['both', 'second']]);
    await eventually(async () => (await sender.job(jobId)).isCompleted());
    await eventually(async () => isSettled(bundles[0]));
  });

  it('is done when its failed deliveries are jobs of their own, which follow the schedule', async () => {
    const [bad, good] = [newPath(), newPath()];
    receiver.treat(bad, answers(500));
    const failing = await sender.webhook(receiver.url(bad));
    const well = await sender.webhook(receiver.url(good));
    const bundles = await sender.keepBundles(
      [{ webhook_ids: [failing, well] }, { webhook_ids: [well] }],
      2,
    );
    const [messageId = ''] = bundles.flatMap(messageIdsIn);
    const addedMs = Date.now();
    const [jobId = ''] = await sender.addBundles(bundles);
    await eventually(async () => (await sender.job(jobId)).isCompleted());
    expect(receiver.at(good)).toHaveLength(2);
    const ownId = webhookJobId(messageId, failing);
    const own = await sender.job(ownId);
    const dueMs = own.timestamp + own.delay;
    expect(dueMs).toBeGreaterThanOrEqual(addedMs + 4_000);
    expect(dueMs).toBeLessThanOrEqual(Date.now() + 6_000);
    expect(own.opts.attempts).toBe(9);
    await attemptNow(ownId, 0);
    const again = await attempted(ownId);
    expect(again.delay).toBeGreaterThanOrEqual(0.8 * 5 * 60_000);
    const rows = await delivered(failing, 2);
    expect(rows.map(({ attempt }) => attempt)).toEqual([1, 2]);
    const ids = receiver.at(bad).map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ownId, ownId]);
  });

  it('that was deleted is done, and messages of others are delivered', async () => {
    const path = newPath();
    const id = await sender.webhook(receiver.url(path));
    const some = [{ webhook_ids: [id] }, { webhook_ids: [id] }];
    const [whole, gone] = [await sender.keepBundles(some, 2), await sender.keepBundles(some, 2)];
    const [log] = gone.map(({ bundle }) => bundle.log);
    await sender.pool.query('DELETE FROM webhook_bundles WHERE log_id = $1', [log]);
    const jobIds = await sender.addBundles([...gone, ...whole]);
    await arrived(path, 2);
    for (const jobId of jobIds) {
      await eventually(async () => (await sender.job(jobId)).isCompleted());
    }
    expect(receiver.at(path)).toHaveLength(2);
  });

  it('makes jobs of their own of the messages that its receiver is too slow for', async () => {
    const [hanging, healthy] = [newPath(), newPath()];
    receiver.treat(hanging, () => undefined);
    const dead = await sender.webhook(receiver.url(hanging));
    const good = await sender.webhook(receiver.url(healthy));
    const count = 320;
    const all = Array.from({ length: count }, () => ({ webhook_ids: [dead, good] }));
    const beganMs = performance.now();
    await sender.addBundles(await sender.keepBundles(all, 32));
    await arrived(healthy, count);
    const begun = receiver.at(hanging).length;
    expect(begun).toBeLessThanOrEqual(endedMax(beganMs) + hangingMax);
    const waiting = await sender.queue.getJobs(['delayed', 'wait', 'active', 'prioritized']);
    expect(waiting.filter(({ id }) => id?.includes(dead)).length).toBeGreaterThan(0);
  });
});

describe('one receiver and the others', () => {
  it('a receiver that hangs delays no other', async () => {
    const [hanging, healthy] = [newPath(), newPath()];
    receiver.treat(hanging, () => undefined);
    const dead = await sender.webhook(receiver.url(hanging));
    const good = await sender.webhook(receiver.url(healthy));
    const beganMs = performance.now();
    await sender.sendAll(Array.from({ length: 1_000 }, () => ({ webhook_id: dead })));
    await arrived(hanging);
    await sender.sendAll(Array.from({ length: 500 }, () => ({ webhook_id: good })));
    await arrived(healthy, 500);
    const ended = await sender.deliveries(dead);
    const begun = receiver.at(hanging).length;
    expect(ended.length).toBeLessThanOrEqual(endedMax(beganMs));
    expect(begun).toBeLessThanOrEqual(endedMax(beganMs) + hangingMax);
  });

  it('a receiver that only fails gets no more attempts, and its messages wait', async () => {
    const path = newPath();
    receiver.treat(path, answers(500));
    const id = await sender.webhook(receiver.url(path));
    const ids = await sender.sendAll(Array.from({ length: 60 }, () => ({ webhook_id: id })));
    // One look at all of them: each waits for seconds only.
    await eventually(async () => {
      const dueAt = await sender.redis.zmscore(sender.queue.toKey('delayed'), ...ids);
      expect(dueAt.filter((at) => at === null)).toEqual([]);
    }, 60_000);
    const jobs = await Promise.all(ids.map((jobId) => sender.job(jobId)));
    expect(jobs.filter((job) => job.attemptsMade > 0).length).toBeLessThan(20);
    // It comes back by itself once the receiver does.
    receiver.treat(path, answers(200));
    await eventually(async () => {
      const reached = new Set(receiver.at(path).map(({ headers }) => headers['webhook-id']));
      return reached.size === ids.length;
    }, 60_000);
  });

  it('metrics show how attempts ended, what waits, and open circuits', async () => {
    const path = newPath();
    const id = await sender.webhook(receiver.url(path));
    await sender.send(id);
    await delivered(id);
    const text = await (await fetch(`${system().workersUrl}/metrics`)).text();
    expect(text).toMatch(/^millrace_webhook_attempts_total\{outcome="delivered"\} [1-9]/m);
    expect(text).toMatch(/^millrace_webhook_queue_jobs\{state="delayed"\} \d+$/m);
    expect(text).toMatch(/^millrace_webhook_queue_oldest_seconds \d/m);
    expect(text).toMatch(/^millrace_webhook_endpoints_open \d/m);
    expect(text).toMatch(/^millrace_webhook_try_seconds_count [1-9]/m);
    expect(text).toMatch(/^millrace_webhooks_disabled_total\{why="gone"\} \d+$/m);
  });
});
