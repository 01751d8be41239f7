import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mailQueue } from '../../schemas/internal/mail.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { type Mailbox, openMailbox, plain } from '../support/services/mailbox.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

/*
 * What leaves Millrace for servers of others, from one system: traces and mail.
 */

const Attributes = Type.Array(
  Type.Object({ key: Type.String(), value: Type.Record(Type.String(), Type.Unknown()) }),
);

/** OTLP over HTTP, as JSON: as much of it as is looked at. */
const Export = Type.Object({
  resourceSpans: Type.Array(
    Type.Object({
      resource: Type.Object({ attributes: Attributes }),
      scopeSpans: Type.Array(
        Type.Object({
          spans: Type.Array(
            Type.Object({
              traceId: Type.String(),
              spanId: Type.String(),
              parentSpanId: Type.Optional(Type.String()),
              name: Type.String(),
              startTimeUnixNano: Type.String(),
              endTimeUnixNano: Type.String(),
              attributes: Attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});

type Received = {
  service: unknown;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
};

const newEmail = () => `${randomUUID()}@example.com`;

/** How long a killed process' mail may be held for it, and a mail's first pauses. */
const takenUpMsMax = 45_000;
const password = `secret-${randomUUID()}`;

const spans: Received[] = [];
const hooks: string[] = [];
let receiver: Server;
let url: string;
let mailbox: Mailbox;
let system: OwnSystem;
let fleet: Fleet;
let failed = false;

/** The receiver takes what OpenTelemetry sends, and, at /hook, what webhooks do. */
beforeAll(async () => {
  receiver = createServer((request, response) => {
    void take(request).then(() => {
      return response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  mailbox = await openMailbox(password);
  system = await startSystem({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_TRACES_SAMPLER_ARG: '1',
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'The Mill <mill@example.org>',
      PUBLIC_URL: 'https://mill.example.org/',
      LOG_LEVEL: 'trace',
    },
  });
  fleet = await Fleet.login(system);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
  await mailbox.close();
  receiver.closeAllConnections();
  receiver.close();
});

async function take(request: IncomingMessage): Promise<void> {
  const body = await text(request);
  if (request.url === '/v1/traces') spans.push(...read(JSON.parse(body)));
  else hooks.push(String(request.headers['webhook-id']));
}

function read(body: unknown): Received[] {
  return Value.Parse(Export, body).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service } = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ spans: sent }) =>
      sent.map(({ name, traceId, spanId, parentSpanId, attributes }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
        attributes: valuesOf(attributes),
      })),
    );
  });
}

function valuesOf(attributes: { key: string; value: Record<string, unknown> }[]) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** The spans directly under one, by name. */
const under = (parent: Received): Received[] =>
  spans.filter(
    ({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId,
  );

/** Waits for a span. */
function spanThat(matches: (span: Received) => boolean): Promise<Received> {
  return eventually(() => {
    const span = spans.find(matches);
    if (span === undefined) throw new Error('no such span came');
    return span;
  }, 20_000);
}

const traceId = (digit: string) => digit.repeat(32);
const traceparent = (digit: string, flags = '01') =>
  `00-${traceId(digit)}-${digit.repeat(16)}-${flags}`;

describe('traces', () => {
  it('follow a message to the log, in the trace of its sender', async () => {
    const { key } = await fleet.thing();
    const answer = await fetch(`${system.ingestUrl}/http/messages`, {
      method: 'POST',
      headers: {
        authorization: `Thing ${key}`,
        'content-type': 'application/senml+json',
        traceparent: traceparent('a'),
      },
      body: '[{"n":"a","v":1}]',
    });
    expect(answer.status).toBe(202);
    const request = await spanThat(
      ({ traceId: of, name }) => of === traceId('a') && name === 'POST /http/messages',
    );
    await eventually(() => under(request).length > 0);
    expect(request).toMatchObject({
      service: 'millrace-ingest',
      name: 'POST /http/messages',
      parentSpanId: 'a'.repeat(16),
      attributes: { 'http.response.status_code': 202 },
    });
    expect(under(request)).toMatchObject([{ name: 'log append', attributes: {} }]);
  });

  it('follow a batch into the store', async () => {
    const sink = await spanThat(({ name }) => name === 'sink insert');
    expect(sink).toMatchObject({
      service: 'millrace-ingest',
      parentSpanId: undefined,
      attributes: { 'millrace.sink': expect.stringMatching(/^(senml|json)$/) },
    });
    await eventually(() => under(sink).length > 0);
    expect(under(sink).map(({ name }) => name)).toContain('clickhouse INSERT');
  });

  it('follow a request of the API to PostgreSQL, ClickHouse and the edge', async () => {
    const thing = await fleet.thing();
    const made = await spanThat(
      ({ name, service }) => service === 'millrace-api' && name === 'POST /profiles/:id/things',
    );
    await eventually(() => under(made).some(({ name }) => name.startsWith('postgres ')));
    await fleet.stored(thing.id);
    const page = await spanThat(({ name }) => name === 'GET /reader/senml');
    await eventually(() => under(page).some(({ name }) => name === 'clickhouse SELECT'));
    const passed = await fetch(`${system.apiUrl}/http/messages`, {
      method: 'POST',
      headers: {
        authorization: `Thing ${thing.key}`,
        'content-type': 'application/senml+json',
        traceparent: traceparent('b'),
      },
      body: '[{"n":"a","v":1}]',
    });
    expect(passed.status).toBe(202);
    const atApi = await spanThat(
      (span) => span.traceId === traceId('b') && span.service === 'millrace-api',
    );
    const atEdge = await spanThat(
      (span) => span.traceId === traceId('b') && span.name === 'POST /http/messages',
    );
    expect(atEdge.parentSpanId).toBe(atApi.spanId);
  });

  it('have each attempt of a webhook', async () => {
    const thing = await fleet.thing();
    await fleet.call('POST', `/things/${thing.id}/webhooks`, [
      { name: 'hook', url: `${url}/hook` },
    ]);
    await fleet.publish(thing.key, [{ n: 'a', v: 1 }]);
    const delivery = await spanThat(({ name }) => name === 'webhook delivery');
    expect(hooks).toContain(delivery.attributes['millrace.webhook_message_id']);
    expect(delivery).toMatchObject({
      service: 'millrace-workers',
      attributes: { 'http.response.status_code': 200 },
    });
  });

  it('are not sent to servers of others', async () => {
    const answer = await fetch(`${system.apiUrl}/health`, {
      headers: { traceparent: traceparent('c', '00') },
    });
    expect(answer.status).toBe(200);
    await fetch(`${system.apiUrl}/health`, { headers: { traceparent: traceparent('d') } });
    await spanThat((span) => span.traceId === traceId('d'));
    expect(spans.filter((span) => span.traceId === traceId('c'))).toEqual([]);
  });

  it('have no values, no keys and no tokens', () => {
    const all = JSON.stringify(spans);
    expect(all).not.toContain(system.adminPassword);
    expect(all).not.toMatch(/Bearer|Thing [0-9a-f]/);
  });
});

describe('with an SMTP server', () => {
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
    // Mails are sent several at once. The invited person registers after the first one has come.
    await arrived(email);
    const body = { email, password: 'long enough' };
    expect((await fleet.call('POST', `/register/invite/${id}`, body)).status).toBe(201);
    const waiting = await eventually(() => {
      const mail = mailbox.mailsTo(email)[1];
      if (mail === undefined) throw new Error('no second mail');
      return plain(mail);
    });
    expect(waiting).toContain(`${system.adminEmail} invites you to join the organization`);
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
    const connection = new Redis(system.redisUrl, { maxRetriesPerRequest: null });
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
    const waiting = Array.from({ length: 10 }, newEmail);
    const invited = Promise.all(waiting.map((email) => invite(email)));
    await system.kill('workers', 'SIGKILL');
    await invited;
    for (const email of [underWay, ...waiting])
      expect(await arrived(email, takenUpMsMax)).toContain(email);
  }, 120_000);

  it('a mail that is queued twice is sent once', async () => {
    const [email, next] = [newEmail(), newEmail()];
    await invite(email);
    const [, id] = /^Message-ID: <(.*)@/m.exec(await arrived(email)) ?? [];
    const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
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
    await system.kill('redis', 'SIGKILL');
    for (const email of emails) await invite(email);
    for (const email of emails) expect(await arrived(email, takenUpMsMax)).toContain(email);
  });

  it('the workers report their health', async () => {
    await eventually(async () => {
      const answer = await fetch(`${system.workersUrl}/health`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain('application/health+json');
      expect(await answer.json()).toMatchObject({
        status: 'pass',
        checks: { redis: [{ status: 'pass' }] },
      });
    });
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(`${system.workersUrl}${path}`, { method })).status;
    const metrics = await (await fetch(`${system.workersUrl}/metrics`)).text();
    expect(metrics).toMatch(/^millrace_mails_sent_total \d+$/m);
    expect(await statusOf('/')).toBe(404);
    expect(await statusOf('/health', 'POST')).toBe(405);
  });

  it('the password of the server is in no log line', () => {
    expect(system.output()).not.toContain(password);
  });

  it('a stop interrupts mails under way, in time and in order, and the next start sends them', async () => {
    const email = newEmail();
    mailbox.treat(email, (nthTry) => (nthTry === 1 ? 'hang' : 'take'));
    await invite(email);
    await eventually(() => mailbox.triesFor(email) === 1);
    const pid = await system.pid('workers');
    const stopped = eventually(() => system.output().includes('stopping reason=SIGTERM'));
    await system.kill('workers', 'SIGTERM');
    await stopped;
    await eventually(async () => (await system.pid('workers')) !== pid);
    expect(system.output()).toMatch(/ workers +info  stopped/);
    await arrived(email, takenUpMsMax);
  });
});
