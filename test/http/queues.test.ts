import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { away, buildApi } from '../support/api/build.ts';
import { type Ask, at, call, json, type Method, textAt } from '../support/api/http.ts';
import { sign } from '../access/matrix/world.ts';
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
/** What a customer's job holds, as whoever sees it would. */
const payload = `of a customer ${randomUUID()}`;
const jobId = `job-${randomUUID()}`;

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  user = await people.register();
  redis = new Redis(system().redisUrl, { maxRetriesPerRequest: null });
  mail = new Queue('mail', { connection: redis });
  // A day off: no worker takes it meanwhile.
  await mail.add('mail', { text: payload }, { jobId, delay: 86_400_000 });
});

afterAll(async () => {
  await (await mail.getJob(jobId))?.remove();
  await mail.close();
  redis.disconnect();
  await people.close();
});

/** The origin that `call` asks, as a browser there would tell it. */
const origin = () => {
  const url = new URL(system().apiUrl);
  url.hostname = '127.0.0.1';
  return url.origin;
};

const html = { accept: 'text/html,application/xhtml+xml' };

/** `Cookie` of someone who has signed in at the console. */
async function cookieOf(email: string, secret: string): Promise<string> {
  const body = { email, password: secret };
  const headers = { origin: origin() };
  const answer = await call('POST', '/console/sign-in', { from, body, headers });
  expect(answer.status).toBe(204);
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

const adminCookie = () => cookieOf(system().adminEmail, system().adminPassword);

/** A user who is made an admin of the platform, in PostgreSQL itself. */
async function secondAdmin(): Promise<Person> {
  const person = await people.register();
  await people.rows('UPDATE users SET platform_admin = true WHERE id = $1', [person.id]);
  return person;
}

const jobs = '/queues/api/queues?activeQueue=mail&status=delayed&page=1&jobsPerPage=100';

describe('the queues’ dashboard', () => {
  it('shows jobs to the platform’s admin, by cookie and by token', async () => {
    const cookie = await adminCookie();
    for (const ask of [{ headers: { cookie } }, { as: admin }]) {
      const answer = await call('GET', jobs, ask);
      expect([answer.status, answer.text.includes(payload)]).toEqual([200, true]);
      const names = [at(answer, 'queues')].flat().map((queue) => String(Object(queue).name));
      expect(names.toSorted()).toEqual(['mail', 'webhooks']);
    }
    const one = await call('GET', `/queues/api/queues/mail/${jobId}`, { as: admin });
    expect([one.status, one.text.includes(payload)]).toEqual([200, true]);
  });

  it('names jobs by thing and destination, and mails by their subject', async () => {
    const estate = await createEstate(user.as);
    const things = [{ name: `meter ${randomUUID()}`, type: 'sensor' }];
    const [thing] = await createThings(user.as, estate.profileId, things);
    const hooks = [{ name: 'dead', url: 'http://127.0.0.1:9/hook' }];
    const made = await call('POST', `/things/${thing?.id}/webhooks`, { as: user.as, body: hooks });
    const id = textAt(made, 0, 'id');
    const ping = await call('POST', `/webhooks/${id}/ping`, { as: user.as });
    const path = `/queues/api/queues/webhooks/${textAt(ping, 'message_id')}_${id}`;
    const name = `${things[0]?.name} → dead (http://127.0.0.1:9/hook)`;
    await eventually(async () => {
      expect(at(await call('GET', path, { as: admin }), 'job', 'name')).toBe(name);
    });
    const list = '/queues/api/queues?activeQueue=webhooks&status=delayed&page=1&jobsPerPage=100';
    expect((await call('GET', list, { as: admin })).text).toMatch(/"name":"[^"]+ → [^"]+ \(http/);
    const data = { to: 'a@example.com', subject: 'An invite', text: 'Come in.' };
    const mailId = `job-${randomUUID()}`;
    await mail.add('mail', data, { jobId: mailId, delay: 86_400_000 });
    const one = await call('GET', `/queues/api/queues/mail/${mailId}`, { as: admin });
    expect(at(one, 'job', 'name')).toBe('An invite → a@example.com');
    await (await mail.getJob(mailId))?.remove();
  });

  it('is a page with nothing from other hosts', async () => {
    const cookie = await adminCookie();
    for (const path of [
      '/queues',
      '/queues/',
      '/queues/queue/mail',
      `/queues/queue/mail/${jobId}`,
    ]) {
      const page = await call('GET', path, { headers: { ...html, cookie } });
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.headers['content-type']).toContain('text/html');
      const files = [...page.text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(String);
      expect(files.length).toBeGreaterThan(4);
      for (const match of page.text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)) {
        const file = `/queues/${match[1]}`;
        expect([file, (await call('GET', file, { headers: { cookie } })).status]).toEqual([
          file,
          200,
        ]);
        expect([file, (await call('GET', file)).status]).toEqual([file, 401]);
      }
    }
  });

  it('shows nobody else anything', async () => {
    const bearer = admin.replace('Bearer ', '');
    const others: [Ask, number][] = [
      [{}, 401],
      [{ as: 'Bearer rubbish' }, 401],
      [{ as: 'Thing rubbish' }, 401],
      [{ as: user.as }, 403],
      [{ headers: { cookie: 'millrace_session=' } }, 401],
      [{ headers: { cookie: 'millrace_session=rubbish' } }, 401],
      // A token for the API opens the dashboard as a header only: a cookie comes along unasked.
      [{ headers: { cookie: `millrace_session=${bearer}` } }, 401],
      [{ headers: { cookie: `millrace_session=${await sign(user.id, 60)}` } }, 401],
      [{ headers: { cookie: await cookieOf(user.email, password) } }, 403],
    ];
    for (const [ask, status] of others) {
      for (const path of ['/queues', jobs, `/queues/api/queues/mail/${jobId}`]) {
        const answer = await call('GET', path, ask);
        expect([path, ask, answer.status]).toEqual([path, ask, status]);
        expect(json(answer)).toMatchObject({ error: expect.any(String) });
      }
      const answer = await call('PUT', '/queues/api/queues/mail/pause', ask);
      expect([ask, answer.status]).toEqual([ask, status]);
    }
    expect(await mail.isPaused()).toBe(false);
  });

  it('redirects browsers to the login of the console, and back', async () => {
    for (const path of ['/queues', '/queues/queue/mail?status=failed']) {
      const answer = await call('GET', path, { headers: html });
      expect([answer.status, answer.headers['location'], answer.text]).toEqual([
        303,
        `/#/sign-in?next=${encodeURIComponent(path)}`,
        '',
      ]);
    }
  });

  it('leads browsers of others than admins to the page of the console that tells them so', async () => {
    const cookie = await cookieOf(user.email, password);
    const answer = await call('GET', '/queues', { headers: { ...html, cookie } });
    expect([answer.status, answer.headers['location']]).toEqual([303, '/#/operations']);
  });

  it('cannot be framed, and runs nothing from other hosts', async () => {
    const cookie = await adminCookie();
    for (const [path, script] of [
      ['/queues', "script-src 'self'"],
      [jobs, "script-src 'self'"],
    ] as const) {
      const { headers } = await call('GET', path, { headers: { cookie } });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain(script);
      expect(policy).not.toMatch(/https?:|unsafe-eval|script-src[^;]*unsafe/);
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });
});

describe('the right to the dashboard', () => {
  it('ends at once when the admin loses the role or is deleted', async () => {
    const [demoted, deleted] = [await secondAdmin(), await secondAdmin()];
    const cookies = [
      await cookieOf(demoted.email, password),
      await cookieOf(deleted.email, password),
    ];
    const statuses = () =>
      Promise.all(
        cookies.map(async (cookie) => (await call('GET', jobs, { headers: { cookie } })).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    await people.rows('UPDATE users SET platform_admin = false WHERE id = $1', [demoted.id]);
    await people.rows('DELETE FROM users WHERE id = $1', [deleted.id]);
    expect(await statuses()).toEqual([403, 401]);
  });
});

describe('a change in the dashboard', () => {
  const actions: [Method, string][] = [
    ['PUT', '/queues/api/queues/mail/pause'],
    ['PUT', '/queues/api/queues/mail/empty'],
    ['PUT', `/queues/api/queues/mail/${jobId}/clean`],
    ['PATCH', `/queues/api/queues/mail/${jobId}/update-data`],
    ['POST', '/queues/api/queues/mail/add'],
  ];

  it.each<[string, Record<string, string>]>([
    ['nowhere', {}],
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a sandbox', { origin: 'null' }],
    ['an address typed in', { 'sec-fetch-site': 'none' }],
    ['what looks alike', { origin: 'http://127.0.0.1.evil.example' }],
    ['rubbish', { origin: 'rubbish' }],
  ])('is refused from %s, cookie or not', async (_name, headers) => {
    const cookie = await adminCookie();
    // A session without TLS is none of a page with it.
    const refused = headers['origin']?.startsWith('https:') === true ? 401 : 403;
    for (const [method, path] of actions) {
      const answer = await call(method, path, { headers: { cookie, ...headers }, body: {} });
      expect([path, answer.status]).toEqual([path, refused]);
    }
    expect(await mail.isPaused()).toBe(false);
    expect((await mail.getJob(jobId))?.data).toEqual({ text: payload });
  });

  it('works from the dashboard, and with a token', async () => {
    const cookie = await adminCookie();
    const path = `/queues/api/queues/mail/${jobId}`;
    const jobData = { text: payload, seen: true };
    for (const ask of [
      { headers: { cookie, origin: origin() } },
      { headers: { cookie, 'sec-fetch-site': 'same-origin' } },
      { as: admin },
    ]) {
      const answer = await call('PATCH', `${path}/update-data`, { ...ask, body: { jobData } });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      expect((await mail.getJob(jobId))?.data).toEqual(jobData);
      const entries = await people.rows(
        'SELECT actor_email, kind, entity_id, changes FROM audit_entries WHERE request_id = $1',
        [answer.headers['x-request-id']],
      );
      const action = { to: 'PATCH /queues/api/queues/:queueName/:jobId/update-data' };
      expect(entries).toEqual([
        {
          actor_email: system().adminEmail,
          kind: 'queue',
          entity_id: 'mail',
          changes: { action, job: { to: jobId } },
        },
      ]);
      await (await mail.getJob(jobId))?.updateData({ text: payload });
    }
  });

  it('retries a failed job of a webhook', async () => {
    const webhooks = new Queue('webhooks', { connection: redis });
    const job = await webhooks.add('message', { no: 'message' });
    await eventually(async () => (await job.getState()) === 'failed');
    const path = `/queues/api/queues/webhooks/${job.id}`;
    const answer = await call('PUT', `${path}/retry/failed`, { as: admin });
    expect([answer.status, json(answer)]).toMatchObject([404, { error: 'entity not found: path' }]);
    expect((await call('PUT', `${path}/retry`, { as: admin })).status).toBe(204);
    await eventually(async () => {
      const again = await webhooks.getJob(job.id ?? '');
      return (again?.attemptsStarted ?? 0) >= 2 && (await again?.isFailed()) === true;
    });
    expect((await call('PUT', `${path}/clean`, { as: admin })).status).toBe(204);
    expect(await webhooks.getJob(job.id ?? '')).toBeUndefined();
    await webhooks.close();
  });

  it('that is malformed is refused', async () => {
    for (const [method, path, body] of [
      ['PUT', '/queues/api/queues/nothing/pause', undefined],
      ['PUT', '/queues/api/queues/mail/nothing/retry', undefined],
      ['POST', '/queues/api/queues/mail/add', '{'],
      ['PATCH', `/queues/api/queues/mail/${jobId}/update-data`, '{"jobData":"\\u0000"}'],
      ['GET', '/queues/api/queues/mail/__proto__', undefined],
      ['GET', '/queues/static/../../package.json', undefined],
      ['GET', '/queues/static/nothing.js', undefined],
      ['GET', '/queues/nothing', undefined],
    ] as const) {
      const answer = await call(method, path, {
        as: admin,
        ...(body === undefined ? {} : { raw: body }),
      });
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true]);
      expect(json(answer)).toHaveProperty('error');
    }
  });
});

describe('with Redis away', () => {
  it('the dashboard says so', async () => {
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
      const answer = await api.server.inject({ url: '/queues/api/queues', headers });
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
