import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import {
  createServer as createHttpsServer,
  Agent as HttpsAgent,
  request as httpsRequest,
} from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { Pool } from 'pg';
import { Value } from 'typebox/value';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IssuedCertificate } from '../../schemas/resources/certificate.ts';
import { buildApi } from '../support/api/build.ts';
import { pickPortsInRow } from '../../infra/local/installation/ports.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { OpenSsl } from '../support/services/openssl.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { lastAcceptedMs } from '../support/messages/last-accepted.ts';
import { system } from '../support/system.ts';
import { openReceiver } from '../webhooks/receiver.ts';

const message = JSON.stringify([{ n: 'a', v: 1 }]);
/** From where the proxy comes, and nobody else. */
const proxyAddress = '127.0.0.2';
const fromProxy = new Agent({ localAddress: proxyAddress });
const fromElsewhere = new Agent({ localAddress: '127.0.0.3' });

type Pair = { cert: string; key: string };

const openSsl = new OpenSsl();
const server = openSsl.selfSigned('localhost');
let fleet: Fleet;
/** Believes the proxy's `Client-Cert`, and has a port with TLS itself. */
let edge: OwnEdge;
let tlsPort: number;
/** Believes what nginx says, from here as well. */
let nginxEdge: OwnEdge;
let ca: string;
let proxy: ReturnType<typeof createHttpsServer>;
let proxyPort: number;
/** Begun before all, since the server takes its time to give up on it. */
let smuggled: { thing: Thing; answers: Promise<string>[] };

beforeAll(async () => {
  fleet = await Fleet.login(system());
  ca = (await issue(await fleet.thing())).issuing_ca;
  tlsPort = await pickPortsInRow(1);
  edge = await startOwnEdge({
    EDGE_CLIENT_CERT_PROXIES: `${proxyAddress}/32, ::1`,
    EDGE_CLIENT_CERT_HEADER: 'client-cert',
    EDGE_TLS_PORT: String(tlsPort),
    EDGE_TLS_CERT: server.certificate,
    EDGE_TLS_KEY: server.key,
    EDGE_TLS_CLIENT_CA: openSsl.file('client-ca.pem', ca),
  });
  nginxEdge = await startOwnEdge({
    EDGE_CLIENT_CERT_PROXIES: '127.0.0.0/30',
    EDGE_CLIENT_CERT_HEADER: 'x-ssl-client-cert',
  });
  proxy = createProxy();
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxyPort = portOf(proxy.address());
  smuggled = await smuggle();
});

afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await fleet.allStored();
  await Promise.all([fleet.close(), fromProxy.close(), fromElsewhere.close()]);
  await Promise.all([edge, nginxEdge].map(stopOwnEdge));
  openSsl.close();
});

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Ends TLS as RFC 9440 has it: what a client says of its certificate is dropped, what TLS says passed on. */
function createProxy() {
  const tls = { cert: readFileSync(server.certificate), key: readFileSync(server.key), ca };
  return createHttpsServer({ ...tls, requestCert: true }, (received, answer) => {
    void passOn(received).then(
      (status) => answer.writeHead(status).end(),
      () => answer.writeHead(502).end(),
    );
  });
}

async function passOn(received: IncomingMessage): Promise<number> {
  const { headers, socket, url = '' } = received;
  if (!(socket instanceof TLSSocket)) throw new Error('not TLS');
  const { statusCode, body } = await request(edge.url + url, {
    method: 'POST',
    dispatcher: fromProxy,
    headers: {
      'content-type': String(headers['content-type']),
      ...(headers.authorization === undefined ? {} : { authorization: headers.authorization }),
      'client-cert': clientCert(socket.getPeerCertificate().raw),
    },
    body: received,
  });
  await body.dump();
  return statusCode;
}

const clientCert = (der: Buffer) => `:${der.toString('base64')}:`;

async function issue(thing: Thing, body: object = {}): Promise<IssuedCertificate> {
  const wanted = { thing_id: thing.id, ttl: '1h', key_type: 'ecdsa', ...body };
  return Value.Parse(IssuedCertificate, (await fleet.call('POST', '/certs', wanted)).body);
}

const derOf = (pem: string) => Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ''), 'base64');
const pairOf = (issued: IssuedCertificate): Pair => ({
  cert: issued.certificate,
  key: issued.private_key,
});

/** Sends a message over TLS with this certificate; gives the status, or what TLS said. */
function send(port: number, pair: Partial<Pair>, headers: Record<string, string> = {}) {
  const { promise, resolve } = Promise.withResolvers<number | string>();
  const sent = httpsRequest(
    {
      ...pair,
      ca: readFileSync(server.certificate),
      servername: 'localhost',
      checkServerIdentity: () => undefined,
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/http/messages',
      agent: new HttpsAgent({ keepAlive: false }),
      headers: { 'content-type': 'application/senml+json', ...headers },
    },
    (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
  );
  sent.on('error', (error) => resolve(String(error)));
  sent.end(message);
  return promise;
}

/** Sends a message without TLS, with headers as a proxy writes them, or as nobody should. */
async function claim(
  { url }: OwnEdge,
  headers: Record<string, string | string[]>,
  dispatcher: Agent = fromProxy,
): Promise<number> {
  return (await claimed({ url }, headers, dispatcher)).status;
}

/** As `claim`, with the code of the refusal. */
async function claimed(
  { url }: Pick<OwnEdge, 'url'>,
  headers: Record<string, string | string[]>,
  dispatcher: Agent = fromProxy,
): Promise<{ status: number; code: unknown; challenge: unknown }> {
  const {
    statusCode,
    headers: answered,
    body,
  } = await request(`${url}/http/messages`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/senml+json', ...headers },
    body: message,
  });
  const text = await body.text();
  const code: unknown = text === '' ? undefined : Object(JSON.parse(text)).code;
  return { status: statusCode, code, challenge: answered['www-authenticate'] };
}

/** As nginx passes a certificate on. */
const nginxHeaders = (certificate: string) => ({
  'x-ssl-client-verify': 'SUCCESS',
  'x-ssl-client-cert': encodeURIComponent(certificate),
});

const edgeText = async ({ url }: OwnEdge) => (await fetch(`${url}/metrics`)).text();
const forwardedMessages = (metrics: string) =>
  Number(/^millrace_webhook_sink_messages_total (\S+)$/m.exec(metrics)?.[1]);

describe('behind a proxy that ends TLS', () => {
  it('a thing authenticates with its certificates, large ones too, and its messages are stored as its own', async () => {
    const thing = await fleet.thing();
    for (const kind of [{}, { key_type: 'rsa' }, { key_type: 'rsa', key_bits: 4_096 }]) {
      const pair = pairOf(await issue(thing, kind));
      expect(await send(proxyPort, pair)).toBe(202);
      expect(await send(proxyPort, pair)).toBe(202);
    }
    await eventually(async () => (await fleet.stored(thing.id)) === 6);
  });

  it('a key in the request has priority over the certificate', async () => {
    const [one, other] = [await fleet.thing(), await fleet.thing()];
    const pair = pairOf(await issue(one));
    expect(await send(proxyPort, pair, { authorization: `Thing ${other.key}` })).toBe(202);
    await eventually(async () => (await fleet.stored(other.id)) === 1);
    expect(await send(proxyPort, pair, { authorization: 'Thing unknown' })).toBe(401);
    expect(await fleet.stored(one.id)).toBe(0);
  });

  it('a revoked certificate is refused within a second; a renewed one is taken', async () => {
    const thing = await fleet.thing();
    const old = await issue(thing);
    expect(await send(proxyPort, pairOf(old))).toBe(202);
    const answer = await fleet.call('PUT', `/certs/${old.serial}`);
    const renewed = pairOf(Value.Parse(IssuedCertificate, answer.body));
    expect(await send(proxyPort, renewed)).toBe(202);
    expect(await send(proxyPort, pairOf(old))).toBe(202);
    expect(await fleet.call('DELETE', `/certs/${old.serial}`)).toMatchObject({ status: 200 });
    const since = performance.now();
    const passedOn = { 'client-cert': clientCert(derOf(old.certificate)) };
    expect(await lastAcceptedMs(() => claim(edge, passedOn), since)).toBeLessThan(1_000);
    expect(await send(proxyPort, pairOf(old))).toBe(401);
    expect(await claimed(edge, passedOn)).toMatchObject({
      status: 401,
      code: 'credential_revoked',
      challenge: expect.stringContaining('was revoked'),
    });
    expect(await send(proxyPort, renewed)).toBe(202);
  });

  it('a deleted thing’s certificate is refused within a second', async () => {
    const thing = await fleet.thing();
    const headers = { 'client-cert': clientCert(derOf((await issue(thing)).certificate)) };
    expect(await claim(edge, headers)).toBe(202);
    await fleet.call('DELETE', `/things/${thing.id}`);
    const since = performance.now();
    expect(await lastAcceptedMs(() => claim(edge, headers), since)).toBeLessThan(1_000);
    expect(await claimed(edge, headers)).toMatchObject({ code: 'credential_revoked' });
  });

  it('a changed profile is used within a second, and so is another profile', async () => {
    const [thing, cbor] = [await fleet.thing(), await fleet.thing()];
    const headers = { 'client-cert': clientCert(derOf((await issue(thing)).certificate)) };
    const takes = async (profileId: string, type: string) => {
      const config = { content_type: type };
      await fleet.call('PUT', `/profiles/${profileId}`, { name: profileId, config });
    };
    await takes(cbor.profileId, 'application/senml+cbor');
    expect(await claim(edge, headers)).toBe(202);
    const move = { profile_id: cbor.profileId, group_id: cbor.groupId };
    expect(await fleet.call('PATCH', `/things/${thing.id}`, move)).toMatchObject({ status: 200 });
    const moved = performance.now();
    expect(await lastAcceptedMs(() => claim(edge, headers), moved)).toBeLessThan(1_000);
    expect(await claim(edge, headers)).toBe(400);
    await takes(cbor.profileId, 'application/senml+json');
    await eventually(async () => (await claim(edge, headers)) === 202, 1_000);
  });

  it('webhooks that are made later get its messages within a second', async () => {
    const thing = await fleet.thing();
    const headers = { 'client-cert': clientCert(derOf((await issue(thing)).certificate)) };
    expect(await claim(edge, headers)).toBe(202);
    const receiver = await openReceiver();
    try {
      const made = await fleet.call('POST', `/things/${thing.id}/webhooks`, [
        { name: 'hook', url: receiver.url('/cert') },
      ]);
      expect(made.status).toBe(201);
      await eventually(async () => {
        expect(await claim(edge, headers)).toBe(202);
        return forwardedMessages(await edgeText(edge)) > 0;
      }, 1_000);
      await eventually(() => receiver.at('/cert').length > 0);
    } finally {
      await receiver.close();
    }
  });

  it('only valid certificates are journaled when a webhook is made, disabled, enabled or deleted', async () => {
    const thing = await fleet.thing();
    const [live, revoked] = [await issue(thing), await issue(thing)];
    expect(await fleet.call('DELETE', `/certs/${revoked.serial}`)).toMatchObject({ status: 200 });
    const pool = new Pool({ connectionString: system().databaseUrl, max: 1 });
    const fingerprint = ({ certificate }: { certificate: string }) =>
      createHash('sha256').update(derOf(certificate)).digest();
    /** How often the journal has each of the two since a change. */
    const journaledBy = async (text: string, values: unknown[]) => {
      const before = await pool.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
      await pool.query(text, values);
      const { rows } = await pool.query<{ live: number; revoked: number }>(
        `SELECT count(*) FILTER (WHERE lookup = $2)::int AS live,
                count(*) FILTER (WHERE lookup = $3)::int AS revoked
         FROM key_changes WHERE position > $1::text::xid8`,
        [before.rows[0]?.id, fingerprint(live), fingerprint(revoked)],
      );
      return rows[0];
    };
    const liveAlone = { live: 1, revoked: 0 };
    const none = { live: 0, revoked: 0 };
    const of = [thing.id];
    try {
      const insert = `INSERT INTO webhooks (id, thing_id, name, url)
                      VALUES (gen_random_uuid(), $1, 'hook', 'https://receiver.invalid/')`;
      const update = (what: string) => `UPDATE webhooks SET ${what} WHERE thing_id = $1`;
      expect(await journaledBy(insert, of)).toEqual(liveAlone);
      expect(await journaledBy(update("name = 'other'"), of)).toEqual(none);
      expect(await journaledBy(update('disabled_at = now()'), of)).toEqual(liveAlone);
      expect(await journaledBy(update('disabled_at = NULL'), of)).toEqual(liveAlone);
      expect(await journaledBy('DELETE FROM webhooks WHERE thing_id = $1', of)).toEqual(liveAlone);
    } finally {
      await pool.end();
    }
  });

  it('a cached certificate is refused when it expires', async () => {
    const issued = await issue(await fleet.thing(), { ttl: '3s' });
    const headers = { 'client-cert': clientCert(derOf(issued.certificate)) };
    expect(await claim(edge, headers)).toBe(202);
    await lastAcceptedMs(() => claim(edge, headers), 0);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(issued.expires_at));
    for (const one of [edge, nginxEdge]) {
      const known = one === edge ? headers : nginxHeaders(issued.certificate);
      expect(await claimed(one, known)).toMatchObject({
        status: 401,
        code: 'credential_expired',
        challenge: expect.stringContaining('its time is over'),
      });
    }
    expect(await fleet.call('DELETE', `/certs/${issued.serial}`)).toMatchObject({ status: 200 });
    await eventually(async () => {
      expect(await claimed(edge, headers)).toMatchObject({ code: 'credential_revoked' });
    });
  });

  it('a certificate of another authority ends the connection', async () => {
    const { certificate, key } = openSsl.selfSigned('stranger');
    const stranger = { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
    expect(await send(proxyPort, stranger)).toMatch(/alert|reset|hang up|EPIPE/i);
    expect(await send(proxyPort, {})).toMatch(/alert|reset|hang up|EPIPE/i);
  });
});

describe('a header with a certificate is believed', () => {
  it('from the proxies only', async () => {
    const { certificate } = await issue(await fleet.thing());
    const headers = { 'client-cert': clientCert(derOf(certificate)) };
    expect(await claim(edge, headers)).toBe(202);
    expect(await claim(edge, headers, fromElsewhere)).toBe(401);
    const forwarded = { ...headers, 'x-forwarded-for': proxyAddress };
    expect(await claim(edge, forwarded, fromElsewhere)).toBe(401);
    const shared = { url: system().ingestUrl.replace('localhost', '127.0.0.1') };
    expect(await claim({ ...edge, ...shared }, headers)).toBe(401);
  });

  it('in one header alone', async () => {
    const { certificate } = await issue(await fleet.thing());
    const own = clientCert(derOf(certificate));
    const nginx = nginxHeaders(certificate);
    expect(await claim(edge, nginx)).toBe(401);
    expect(await claim(nginxEdge, nginx)).toBe(202);
    expect(await claim(nginxEdge, { 'client-cert': own })).toBe(401);
    const { 'x-ssl-client-cert': escaped } = nginx;
    expect(await claim(nginxEdge, { 'x-ssl-client-cert': escaped })).toBe(401);
    const failed = { ...nginx, 'x-ssl-client-verify': 'FAILED:certificate has expired' };
    expect(await claim(nginxEdge, failed)).toBe(401);
  });

  it('only once in a request', async () => {
    const { certificate } = await issue(await fleet.thing());
    const good = clientCert(derOf(certificate));
    expect(await claim(edge, { 'client-cert': [good, good] })).toBe(401);
    expect(await claim(edge, { 'client-cert': [good, ':AAAA:'] })).toBe(401);
    expect(await claim(edge, { 'client-cert': `${good}, ${good}` })).toBe(401);
  });

  it('only for certificates that were issued, whoever signed them', async () => {
    const thing = await fleet.thing();
    const { certificate } = await issue(thing);
    const caDir = join(system().dataDir, 'ca');
    const signer = ['-CA', join(caDir, 'certificate.pem'), '-CAkey', join(caDir, 'key.pem')];
    const forged = openSsl.selfSigned(thing.id, { more: signer });
    const signed = readFileSync(forged.certificate, 'utf8');
    expect(openSsl.run('verify', '-CAfile', signer[1] ?? '', forged.certificate)).toMatch(/: OK/);
    expect(await claim(edge, { 'client-cert': clientCert(derOf(signed)) })).toBe(401);
    const changed = derOf(certificate);
    changed[changed.length - 1] = Number(changed.at(-1)) ^ 1;
    expect(await claim(edge, { 'client-cert': clientCert(changed) })).toBe(401);
  });

  it.each([
    '',
    ':',
    '::',
    ':AAAA:',
    'AAAA',
    ':%00:',
    '"text"',
    ':AAAA:;a=1',
    'ü',
    ':'.repeat(2_000),
  ])('and nonsense (%j) authenticates nobody', async (text) => {
    expect(await claim(edge, { 'client-cert': Buffer.from(text).toString('latin1') })).toBe(401);
    const nginx = {
      'x-ssl-client-verify': 'SUCCESS',
      'x-ssl-client-cert': `%${text}`.slice(0, 99),
    };
    const escaped = { ...nginx, 'x-ssl-client-cert': encodeURI(nginx['x-ssl-client-cert']) };
    expect(await claim(nginxEdge, escaped)).toBe(401);
  });

  it('and a fingerprint in its place authenticates nobody', async () => {
    const { certificate } = await issue(await fleet.thing());
    const headers = { 'client-cert': clientCert(derOf(certificate)) };
    expect(await claim(edge, headers)).toBe(202);
    const fingerprint = fingerprintOf(certificate);
    for (const authorization of [
      `certificate ${fingerprint}`,
      `Thing ${fingerprint}`,
      `External ${fingerprint}`,
    ]) {
      expect(await claim(edge, { authorization })).toBe(401);
    }
  });

  it('not from clients of the API, which forwards requests from a trusted address', async () => {
    const { certificate } = await issue(await fleet.thing());
    const headers = {
      'x-ssl-client-verify': 'SUCCESS',
      'x-ssl-client-cert': encodeURIComponent(certificate),
      'client-cert': clientCert(derOf(certificate)),
    };
    const fromHere = new Agent({ localAddress: '127.0.0.1' });
    expect(await claim(nginxEdge, headers, fromHere)).toBe(202);
    const api = buildApi({ ingestUrl: nginxEdge.url });
    const url = await api.server.listen({ host: '127.0.0.1', port: 0 });
    expect(await claim({ ...nginxEdge, url }, headers, fromHere)).toBe(401);
    await Promise.all([api.close(), fromHere.close()]);
  });
});

async function smuggle(): Promise<typeof smuggled> {
  const thing = await fleet.thing();
  const { certificate } = await issue(thing);
  expect(await claim(edge, { 'client-cert': clientCert(derOf(certificate)) })).toBe(202);
  await eventually(async () => (await fleet.stored(thing.id)) === 1);
  const known = `certificate ${fingerprintOf(certificate)}`;
  const answers = ['\n', '\r', '\n\n', '\r\n '].map((between) =>
    answerTo(edge, `Authorization:${between}${known}`),
  );
  return { thing, answers };
}

function fingerprintOf(certificate: string): string {
  const path = openSsl.file('known.pem', certificate);
  const printed = openSsl.run('x509', '-in', path, '-noout', '-fingerprint', '-sha256');
  return printed.split('=')[1]?.trim().replaceAll(':', '').toLowerCase() ?? '';
}

/** The first line of the answer to a request with a header as it should not be. */
async function answerTo({ url }: OwnEdge, header: string): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(url).port),
    localAddress: proxyAddress,
  });
  socket.write(
    `POST /http/messages HTTP/1.1\r\nHost: x\r\n${header}\r\nContent-Type: application/senml+json\r\n` +
      `Content-Length: ${message.length}\r\nConnection: close\r\n\r\n${message}`,
  );
  const answer = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.destroy();
  return String(answer[0]).split('\r\n')[0] ?? '';
}

describe('on the edge’s own port with TLS', () => {
  it('a thing authenticates with its certificate, or with its key', async () => {
    const thing = await fleet.thing();
    const pair = pairOf(await issue(thing));
    expect(await send(tlsPort, pair)).toBe(202);
    expect(await send(tlsPort, {}, { authorization: `Thing ${thing.key}` })).toBe(202);
    expect(await send(tlsPort, {})).toBe(401);
    await eventually(async () => (await fleet.stored(thing.id)) === 2);
  });

  it('a header proves nothing, from wherever it comes', async () => {
    const { certificate } = await issue(await fleet.thing());
    const headers = { 'client-cert': clientCert(derOf(certificate)) };
    expect(await send(tlsPort, {}, headers)).toBe(401);
  });

  it('a revoked certificate is refused, and one of another authority ends the connection', async () => {
    const issued = await issue(await fleet.thing());
    expect(await send(tlsPort, pairOf(issued))).toBe(202);
    await fleet.call('DELETE', `/certs/${issued.serial}`);
    await eventually(async () => (await send(tlsPort, pairOf(issued))) === 401, 1_000);
    const { certificate, key } = openSsl.selfSigned('stranger');
    const stranger = { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
    expect(await send(tlsPort, stranger)).toMatch(/alert|reset|hang up|EPIPE/i);
  });
});

describe('a header with a line break in it', () => {
  it('authenticates nobody, even with the text that the edge caches a certificate under', async () => {
    const { thing, answers } = smuggled;
    for (const answer of await Promise.all(answers)) expect(answer).not.toContain('202');
    expect(await fleet.stored(thing.id)).toBe(1);
  });
});
