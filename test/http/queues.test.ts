import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { away, buildApi } from '../support/api/build.ts';
import { type Answer, type Ask, at, call, json, type Method, textAt } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  loginAdmin,
  password,
  People,
  type Person,
} from '../support/api/people.ts';

/** Failed logins count for addresses of their own. */
const from = '127.0.0.71';

let admin: string;
let people: People;
let user: Person;
let redis: Redis;
let mail: Queue;
let webhooks: Queue;
/** The text of a mail has a link for nobody but whom it is sent to. */
const secret = `a link ${randomUUID()}`;
const mailId = `job-${randomUUID()}`;
const day = 86_400_000;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  user = await people.register();
  redis = new Redis(system().redisUrl, { maxRetriesPerRequest: null });
  mail = new Queue('mail', { connection: redis });
  webhooks = new Queue('webhooks', { connection: redis });
  // A day off: no worker takes it meanwhile.
  const data = { to: 'ada@example.com', subject: 'An invite', text: secret };
  await mail.add('mail', data, { jobId: mailId, delay: day, attempts: 17 });
});

afterAll(async () => {
  await (await mail.getJob(mailId))?.remove();
  await mail.close();
  await webhooks.close();
  redis.disconnect();
  await people.close();
});

/** The origin that `call` asks, as a browser there would tell it. */
const origin = () => {
  const url = new URL(system().apiUrl);
  url.hostname = '127.0.0.1';
  return url.origin;
};

/** `Cookie` of someone who has signed in at the console. */
async function cookieOf(email: string, given: string): Promise<string> {
  const body = { email, password: given };
  const headers = { origin: origin() };
  const answer = await call('POST', '/console/sign-in', { from, body, headers });
  expect(answer.status).toBe(204);
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

const adminCookie = () => cookieOf(system().adminEmail, system().adminPassword);

const jobPath = (id: string | undefined, queue = 'mail') =>
  `/operations/queues/${queue}/jobs/${encodeURIComponent(id ?? '')}`;

/** A job of no message: it fails when a worker takes it. */
async function failedJob(): Promise<string> {
  const job = await webhooks.add('message', { no: 'message' });
  await eventually(async () => (await job.getState()) === 'failed');
  return job.id ?? '';
}

/** The entries of the audit log of a request. */
const toldOf = ({ headers }: Answer) =>
  people.rows(
    'SELECT actor_email, operation, action, entity_id, changes FROM audit_entries WHERE request_id = $1',
    [headers['x-request-id']],
  );

describe('the queues of the workers', () => {
  it('are told to the platform’s admin: how many jobs they have, and whether they go on', async () => {
    const answer = await call('GET', '/operations/queues', { as: admin });
    expect([answer.status, [at(answer, 'queues')].flat().length]).toEqual([200, 2]);
    const one = await call('GET', '/operations/queues/mail', { as: admin });
    expect(json(one)).toMatchObject({
      name: 'mail',
      is_paused: false,
      counts: { delayed: expect.any(Number), failed: expect.any(Number) },
      attempts_per_minute: expect.any(Number),
    });
    expect((await call('GET', '/operations/queues/nothing', { as: admin })).status).toBe(400);
  });

  it('show a mail by its receiver and subject, and never its text', async () => {
    const one = await call('GET', jobPath(mailId), { headers: { cookie: await adminCookie() } });
    expect(json(one)).toMatchObject({
      id: mailId,
      state: 'delayed',
      attempts: 0,
      attempts_max: 17,
      to: 'ada@example.com',
      subject: 'An invite',
    });
    expect(Date.parse(textAt(one, 'due_at')) - Date.parse(textAt(one, 'queued_at'))).toBe(day);
    const list = await call('GET', '/operations/queues/mail/jobs?state=delayed&limit=200', {
      as: admin,
    });
    expect([list.text.includes(mailId), (one.text + list.text).includes(secret)]).toEqual([
      true,
      false,
    ]);
  });

  it('show a delivery by its thing, its webhook and the origin of its URL, and no more of that', async () => {
    const estate = await createEstate(user.as);
    const things = [{ name: `meter ${randomUUID()}`, type: 'sensor' }];
    const [thing] = await createThings(user.as, estate.profileId, things);
    const hooks = [{ name: 'dead', url: `http://127.0.0.1:9/${secret.slice(7)}` }];
    const made = await call('POST', `/things/${thing?.id}/webhooks`, { as: user.as, body: hooks });
    const id = textAt(made, 0, 'id');
    const ping = await call('POST', `/webhooks/${id}/ping`, { as: user.as });
    const path = jobPath(`${textAt(ping, 'message_id')}_${id}`, 'webhooks');
    await eventually(async () => {
      const one = await call('GET', path, { as: admin });
      expect(json(one)).toMatchObject({
        state: 'delayed',
        deliveries: 1,
        things: [{ id: thing?.id, name: things[0]?.name }],
        webhooks: [{ id, name: 'dead', origin: 'http://127.0.0.1:9' }],
        error: expect.any(String),
      });
      expect(one.text).not.toContain(secret.slice(7));
    });
    // A removed delivery is not put into the queue again.
    const removed = await call('DELETE', path, { as: admin });
    expect(removed.status).toBe(204);
    expect((await call('GET', path, { as: admin })).status).toBe(404);
    const left = 'SELECT id FROM webhook_jobs WHERE webhook_id = $1';
    expect(await people.rows(left, [id])).toEqual([]);
  });

  it('are read page by page, by a cursor', async () => {
    const ids = await Promise.all([failedJob(), failedJob(), failedJob()]);
    const seen: string[] = [];
    let cursor = '';
    do {
      const path = `/operations/queues/webhooks/jobs?state=failed&limit=2${cursor}`;
      const page = await call('GET', path, { as: admin });
      seen.push(...[at(page, 'jobs')].flat().map((job) => String(Object(job).id)));
      cursor = at(page, 'next') === undefined ? '' : `&cursor=${String(at(page, 'next'))}`;
    } while (cursor !== '');
    expect(ids.filter((id) => !seen.includes(id))).toEqual([]);
    const wrong = '/operations/queues/webhooks/jobs?state=failed&cursor=nothing';
    expect((await call('GET', wrong, { as: admin })).status).toBe(400);
  });

  it('show nobody else anything', async () => {
    const others: [Ask, number][] = [
      [{}, 401],
      [{ as: user.as }, 403],
      [{ headers: { cookie: await cookieOf(user.email, password) } }, 403],
    ];
    for (const [ask, status] of others) {
      for (const path of ['/operations/queues', jobPath(mailId)]) {
        expect([path, (await call('GET', path, ask)).status]).toEqual([path, status]);
      }
    }
  });

  it('are at the console: their old address leads there', async () => {
    for (const [path, location] of [
      ['/queues', './#/operations/queues'],
      ['/queues/queue/mail?status=failed', '../../#/operations/queues'],
    ]) {
      const answer = await call('GET', path ?? '');
      expect([path, answer.status, answer.headers['location']]).toEqual([path, 303, location]);
    }
  });
});

describe('a change of a queue', () => {
  it.each<[string, Record<string, string>]>([
    ['nowhere', {}],
    ['another site', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sandbox', { origin: 'null' }],
  ])('is refused from %s, cookie or not', async (_name, headers) => {
    const cookie = await adminCookie();
    const actions: [Method, string, unknown][] = [
      ['PUT', '/operations/queues/mail', { is_paused: true }],
      ['DELETE', jobPath(mailId), undefined],
    ];
    for (const [method, path, body] of actions) {
      const ask = { headers: { cookie, ...headers }, ...(body === undefined ? {} : { body }) };
      expect([path, (await call(method, path, ask)).status]).toEqual([path, 403]);
    }
    expect(await mail.isPaused()).toBe(false);
  });

  it('pauses it until it is let go on, and the audit log tells who did', async () => {
    const set = (isPaused: boolean) =>
      call('PUT', '/operations/queues/mail', { as: admin, body: { is_paused: isPaused } });
    const answer = await set(true);
    expect([answer.status, await mail.isPaused()]).toEqual([200, true]);
    expect((await set(false)).status).toBe(200);
    expect(await mail.isPaused()).toBe(false);
    expect(await toldOf(answer)).toEqual([
      {
        actor_email: system().adminEmail,
        operation: 'changeQueue',
        action: 'update',
        entity_id: 'mail',
        changes: { is_paused: { from: 'false', to: 'true' } },
      },
    ]);
  });

  it('tries a failed job once more, and no other', async () => {
    const id = await failedJob();
    const retry = `${jobPath(id, 'webhooks')}/retry`;
    const answer = await call('POST', retry, { as: admin });
    expect(answer.status).toBe(200);
    await eventually(async () => {
      const again = await webhooks.getJob(id);
      return (again?.attemptsStarted ?? 0) >= 2 && (await again?.isFailed()) === true;
    });
    expect(await toldOf(answer)).toMatchObject([
      { operation: 'retryQueueJob', changes: { job: { to: id } } },
    ]);
    const delayed = await call('POST', `${jobPath(mailId)}/retry`, { as: admin });
    expect([delayed.status, at(delayed, 'error')]).toEqual([
      409,
      'entity already exists: job: is not failed',
    ]);
    expect((await call('POST', `${jobPath('none')}/retry`, { as: admin })).status).toBe(404);
  });

  it('tries a delayed job now', async () => {
    const job = await webhooks.add('message', { no: 'message' }, { delay: day });
    const promote = `${jobPath(job.id, 'webhooks')}/promote`;
    expect((await call('POST', promote, { as: admin })).status).toBe(200);
    await eventually(async () => (await job.getState()) === 'failed');
    expect((await call('POST', promote, { as: admin })).status).toBe(409);
  });

  it('tries all failed jobs once more, or removes them, and says how many they were', async () => {
    const id = await failedJob();
    const all = await call('POST', '/operations/queues/webhooks/retry', { as: admin });
    expect(Number(at(all, 'jobs'))).toBeGreaterThan(0);
    await eventually(async () => {
      const again = await webhooks.getJob(id);
      return (again?.attemptsStarted ?? 0) >= 2 && (await again?.isFailed()) === true;
    });
    const gone = await call('DELETE', '/operations/queues/webhooks/failed', { as: admin });
    expect(Number(at(gone, 'jobs'))).toBeGreaterThan(0);
    expect(await webhooks.getJob(id)).toBeUndefined();
    expect(await toldOf(gone)).toMatchObject([{ action: 'delete', entity_id: 'webhooks' }]);
  });
});

describe('with Redis away', () => {
  it('the queues say so', async () => {
    const api = buildApi({ redisUrl: away.redisUrl });
    try {
      const { adminEmail: email, adminPassword } = system();
      const tokens = await api.server.inject({
        method: 'POST',
        url: '/tokens',
        payload: { email, password: adminPassword },
        remoteAddress: from,
      });
      const headers = { authorization: `Bearer ${tokens.json().token}` };
      const answer = await api.server.inject({ url: '/operations/queues', headers });
      expect([answer.statusCode, answer.json()]).toMatchObject([
        503,
        { error: 'service unavailable' },
      ]);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await api.close();
    }
  });
});
