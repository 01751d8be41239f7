import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mailQueue } from '../../schemas/internal/mail.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { type Mailbox, openMailbox, plain } from '../support/services/mailbox.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const newEmail = () => `${randomUUID()}@example.com`;

/** How long a killed process' mail may be held for it, and a mail's first pauses. */
const takenUpMsMax = 45_000;

describe('with an SMTP server', () => {
  const password = `secret-${randomUUID()}`;
  let mailbox: Mailbox;
  let own: OwnSystem;
  let fleet: Fleet;
  let failed = false;

  beforeAll(async () => {
    mailbox = await openMailbox(password);
    own = await startSystem({
      env: {
        SMTP_URL: mailbox.url,
        MAIL_FROM: 'The Mill <mill@example.org>',
        PUBLIC_URL: 'https://mill.example.org/',
        LOG_LEVEL: 'trace',
      },
    });
    fleet = await Fleet.login(own);
  });

  afterEach(({ task }) => {
    failed ||= task.result?.state === 'fail';
  });

  afterAll(async () => {
    await fleet.close();
    await own.stop(failed);
    await mailbox.close();
  });

  async function invite(email: string, more: Record<string, unknown> = {}): Promise<string> {
    const answer = await fleet.call('POST', '/invites', { invitee_email: email, ...more });
    expect(answer.status).toBe(201);
    return String(answer.headers['location']).replace('/invites/', '');
  }

  function arrived(email: string, timeoutMs?: number): Promise<string> {
    return eventually(() => {
      const [mail] = mailbox.mailsTo(email);
      if (mail === undefined) throw new Error(`no mail to ${email}`);
      return plain(mail);
    }, timeoutMs);
  }

  // A refused mail waits for its next attempts: meanwhile the others arrive.
  it.concurrent('an invite to the platform arrives once, with the sender and the link of the settings', async () => {
    const email = newEmail();
    const id = await invite(email, { redirect_path: '/register' });
    const mail = await arrived(email);
    expect(mail).toContain('From: The Mill <mill@example.org>\r\n');
    expect(mail).toContain(`To: ${email}\r\n`);
    expect(mail).toMatch(/^Message-ID: <[0-9a-f-]{36}@example\.org>\r$/m);
    expect(mail).toContain(`\r\n  https://mill.example.org/register/${id}\r\n`);
    expect(mailbox.triesFor(email)).toBe(1);
  });

  it.concurrent('an org invite that waited for an invite to the platform arrives', async () => {
    const email = newEmail();
    const org = await fleet.call('POST', '/orgs', { name: 'Mill & Söhne' });
    const orgId = String(org.headers['location']).replace('/orgs/', '');
    const id = await invite(email, { org_id: orgId, role: 'viewer' });
    const body = { email, password: 'long enough' };
    expect((await fleet.call('POST', `/register/invite/${id}`, body)).status).toBe(201);
    const waiting = await eventually(() => {
      const mail = mailbox.mailsTo(email)[1];
      if (mail === undefined) throw new Error('no second mail');
      return plain(mail);
    });
    expect(waiting).toContain(`${own.adminEmail} invites you to join the organization`);
    const list = await fleet.call('GET', `/orgs/${orgId}/invites`);
    expect(list.body).toMatchObject({ total: 1, invites: [{ invitee_email: email }] });
  });

  it.concurrent('a refused mail is attempted again', async () => {
    const email = newEmail();
    mailbox.treat(email, (nthTry) => (nthTry < 3 ? 'later' : 'take'));
    await invite(email);
    await arrived(email, takenUpMsMax);
    expect(mailbox.triesFor(email)).toBe(3);
  });

  it.concurrent('a mail that is refused for good is not attempted again, and is in the failed set', async () => {
    const email = newEmail();
    mailbox.treat(email, () => 'never');
    await invite(email);
    const connection = new Redis(own.redisUrl, { maxRetriesPerRequest: null });
    const queue = new Queue(mailQueue, { connection });
    try {
      const job = await eventually(async () => {
        const found = (await queue.getFailed()).find(({ data }) => Object(data).to === email);
        return found ?? false;
      });
      expect(job).toMatchObject({ attemptsMade: 1 });
    } finally {
      await queue.close();
      connection.disconnect();
    }
    expect(mailbox.triesFor(email)).toBe(1);
    expect(mailbox.mailsTo(email)).toEqual([]);
  });

  it('kill -9 of the workers loses no mail, under way or waiting', async () => {
    const underWay = newEmail();
    mailbox.treat(underWay, (nthTry) => (nthTry === 1 ? 'hang' : 'take'));
    await invite(underWay);
    await eventually(() => mailbox.triesFor(underWay) === 1);
    const emails = [underWay];
    for (let kills = 0; kills < 3; kills++) {
      for (let i = 0; i < 10; i++) emails.push(newEmail());
      const invited = Promise.all(emails.slice(-10).map((email) => invite(email)));
      await own.kill('workers', 'SIGKILL');
      await invited;
      await arrived(emails.at(-1) ?? '', takenUpMsMax);
    }
    for (const email of emails) expect(await arrived(email, takenUpMsMax)).toContain(email);
  }, 120_000);

  it('a mail that is queued twice is sent once', async () => {
    const [email, next] = [newEmail(), newEmail()];
    await invite(email);
    const [, id] = /^Message-ID: <(.*)@/m.exec(await arrived(email)) ?? [];
    const pool = new Pool({ connectionString: own.databaseUrl, max: 1 });
    try {
      await pool.query('INSERT INTO mail_outbox (id, message) VALUES ($1, $2)', [
        id,
        JSON.stringify({ to: email, subject: 'again', text: 'again' }),
      ]);
      await eventually(async () => (await pool.query('SELECT 1 FROM mail_outbox')).rowCount === 0);
    } finally {
      await pool.end();
    }
    await invite(next);
    await arrived(next);
    expect(mailbox.triesFor(email)).toBe(1);
  });

  it('kill -9 of Redis loses no mail', async () => {
    const emails = [newEmail(), newEmail(), newEmail()];
    await own.kill('redis', 'SIGKILL');
    for (const email of emails) await invite(email);
    for (const email of emails) expect(await arrived(email, takenUpMsMax)).toContain(email);
  });

  it('the workers report their health', async () => {
    await eventually(async () => {
      const answer = await fetch(`${own.workersUrl}/health`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain('application/health+json');
      expect(await answer.json()).toMatchObject({
        status: 'pass',
        checks: { redis: [{ status: 'pass' }] },
      });
    });
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(`${own.workersUrl}${path}`, { method })).status;
    const metrics = await (await fetch(`${own.workersUrl}/metrics`)).text();
    expect(metrics).toMatch(/^millrace_mails_sent_total \d+$/m);
    expect(await statusOf('/')).toBe(404);
    expect(await statusOf('/health', 'POST')).toBe(405);
  });

  it('the password of the server is in no log line', () => {
    expect(own.output()).not.toContain(password);
  });

  it('a stop interrupts mails under way, in time and in order, and the next start sends them', async () => {
    const email = newEmail();
    mailbox.treat(email, (nthTry) => (nthTry === 1 ? 'hang' : 'take'));
    await invite(email);
    await eventually(() => mailbox.triesFor(email) === 1);
    const pid = await own.pid('workers');
    const stopped = eventually(() => own.output().includes('stopping reason=SIGTERM'));
    await own.kill('workers', 'SIGTERM');
    await stopped;
    await eventually(async () => (await own.pid('workers')) !== pid);
    expect(own.output()).toMatch(/ workers +info  stopped/);
    await arrived(email, takenUpMsMax);
  });
});
