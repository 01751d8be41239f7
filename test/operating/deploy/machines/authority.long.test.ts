import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { pickPorts } from '../../../../infra/local/installation/ports.ts';
import { IssuedCertificate } from '../../../../schemas/resources/certificate.ts';
import { eventually } from '../../../support/eventually.ts';
import { Fleet, type Thing } from '../../../support/fleet.ts';
import { OpenSsl } from '../../../support/services/openssl.ts';
import { type OwnSystem, startSystem } from '../../../support/system.ts';

/*
 * Another certificate authority, as infra/guide/operating/secrets.md tells it, while devices send by certificates: who
 * is refused that should not be, and who is let in that should not be.
 */

const devicesMax = 6;
const sendEveryMs = 50;
/** How long a revoked certificate may still be taken. */
const revokedMsMax = 1_000;
const messagesPerStep = 60;

type Device = { thing: Thing; issued: IssuedCertificate };

const openSsl = new OpenSsl();
const server = openSsl.selfSigned('localhost');
const [before, after, foreign] = ['before', 'after', 'foreign'].map((name) =>
  openSsl.selfSigned(name),
);
const clientCa = openSsl.file('client-ca.pem', '');
const dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));

let env: Record<string, string>;
let system: OwnSystem;
let fleet: Fleet;
let port: number;
let failed = false;

const certificateOf = (authority: { certificate: string } | undefined) =>
  readFileSync(authority?.certificate ?? '', 'utf8');

/** Which authorities the edge's own port with TLS knows, and which one the API signs by. */
async function restart(known: (typeof before)[], signing: typeof before): Promise<void> {
  writeFileSync(clientCa, known.map(certificateOf).join(''));
  env['CERTS_CA_CERT'] = signing?.certificate ?? '';
  env['CERTS_CA_KEY'] = signing?.key ?? '';
  await system?.stop();
  system = await startSystem({ dataDir, env });
}

beforeAll(async () => {
  const [api = 0, ingest = 0, tls = 0] = await pickPorts(3);
  port = tls;
  env = {
    API_PORT: String(api),
    INGEST_PORT: String(ingest),
    EDGE_TLS_PORT: String(tls),
    EDGE_TLS_CERT: server.certificate,
    EDGE_TLS_KEY: server.key,
    EDGE_TLS_CLIENT_CA: clientCa,
  };
  await restart([before], before);
  fleet = await Fleet.login(system);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
  openSsl.close();
  if (!failed) rmSync(dataDir, { recursive: true });
});

type Pair = { cert: string; key: string };
const pairOf = ({ certificate, private_key: key }: IssuedCertificate): Pair => ({
  cert: certificate,
  key,
});

/** Sends a message with this certificate. Gives the status; `refused` where TLS refuses it, `away` without an edge. */
function send(pair: Pair, value: number): Promise<number | 'refused' | 'away'> {
  const { promise, resolve } = Promise.withResolvers<number | 'refused' | 'away'>();
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
      headers: { 'content-type': 'application/senml+json' },
    },
    (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
  );
  sent.on('error', (error) => {
    const code = 'code' in error ? String(error.code) : '';
    resolve(code.startsWith('ERR_SSL') ? 'refused' : 'away');
  });
  sent.end(JSON.stringify([{ n: 'number', t: 1_600_000_000 + value, v: value }]));
  return promise;
}

/** A loop that sends until it is stopped; `pair` may change meanwhile. */
function sender(pair: () => Pair) {
  const answers = new Map<string, number>();
  const taken: number[] = [];
  let stopping = false;
  const ended = (async () => {
    for (let value = 0; !stopping; value++) {
      const answer = await send(pair(), value);
      answers.set(String(answer), (answers.get(String(answer)) ?? 0) + 1);
      if (answer === 202) taken.push(value);
      await delay(sendEveryMs);
    }
  })();
  return {
    answers,
    taken,
    async stop() {
      stopping = true;
      await ended;
    },
  };
}

async function issue(thing: Thing): Promise<IssuedCertificate> {
  const wanted = { thing_id: thing.id, ttl: '1h', key_type: 'ecdsa' };
  return Value.Parse(IssuedCertificate, (await fleet.call('POST', '/certs', wanted)).body);
}

/** A certificate for a thing that another authority signed. */
function forge({ id }: Thing, authority: typeof before): Pair {
  const name = `forged-${id}`;
  const key = join(openSsl.directory, `${name}.key`);
  const request = join(openSsl.directory, `${name}.csr`);
  const certificate = join(openSsl.directory, `${name}.pem`);
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openSsl.run('req', '-new', ...kind, '-subj', `/CN=${id}`, '-keyout', key, '-out', request);
  const by = ['-CA', authority?.certificate ?? '', '-CAkey', authority?.key ?? ''];
  openSsl.run('x509', '-req', '-in', request, ...by, '-CAcreateserial', '-out', certificate);
  return { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}

it('another authority: every device is served all the time, and nobody else', async () => {
  const devices: Device[] = await Promise.all(
    Array.from({ length: devicesMax }, async () => {
      const thing = await fleet.thing();
      return { thing, issued: await issue(thing) };
    }),
  );
  const late = { thing: await fleet.thing() };
  const lateIssued = await issue(late.thing);
  const loops = devices.map((device) => sender(() => pairOf(device.issued)));
  const lateLoop = sender(() => pairOf(lateIssued));
  const [first] = devices;
  if (first === undefined) throw new Error('there are devices');
  const forged = [foreign, after].map((authority) => forge(first.thing, authority));
  const forgers = forged.map((pair) => sender(() => pair));
  const all = [...loops, lateLoop, ...forgers];
  /** Each device is served again and again. */
  const step = async () => {
    const counts = loops.map(({ taken }) => taken.length + messagesPerStep);
    await eventually(() => {
      for (const [at, { taken }] of loops.entries())
        expect(taken.length).toBeGreaterThan(counts[at] ?? 0);
    }, 120_000);
  };

  await step();
  // The edges know both, before anybody has a certificate of the new one.
  await restart([before, after], before);
  await step();
  await restart([before, after], after);
  await step();
  const revoked: ReturnType<typeof sender>[] = [];
  for (const device of devices) {
    const { body } = await fleet.call('PUT', `/certs/${device.issued.serial}`);
    const old = device.issued;
    device.issued = Value.Parse(IssuedCertificate, body);
    expect(device.issued.issuing_ca.trim()).toBe(certificateOf(after).trim());
    // What is under way with the old one is answered.
    await delay(2 * sendEveryMs);
    expect((await fleet.call('DELETE', `/certs/${old.serial}`)).status).toBe(200);
    await delay(revokedMsMax);
    revoked.push(sender(() => pairOf(old)));
  }
  await step();
  const { taken: lateTaken } = lateLoop;
  const lateBefore = lateTaken.length;
  expect(lateBefore).toBeGreaterThan(0);
  // The old one is given up: who did not renew is refused from now on, and that is meant.
  await restart([after], after);
  const lateAtEnd = lateTaken.length;
  await step();
  for (const loop of [...all, ...revoked]) await loop.stop();

  const wrong = loops.flatMap(({ answers }) =>
    [...answers].filter(([answer]) => !['202', 'away', '503'].includes(answer)),
  );
  const letIn = [...forgers, ...revoked].reduce((sum, { taken }) => sum + taken.length, 0);
  const takenAll = loops.reduce((sum, { taken }) => sum + taken.length, 0);
  process.stdout.write(
    `${JSON.stringify({
      part: 'another authority',
      devices: devicesMax,
      taken: takenAll,
      refusedWrongly: wrong.reduce((sum, [, count]) => sum + count, 0),
      forgedOrRevokedLetIn: letIn,
      answersToThem: [...forgers, ...revoked].map(({ answers }) => [...answers]),
    })}\n`,
  );
  expect(wrong).toEqual([]);
  expect(letIn).toBe(0);
  expect(lateTaken.length).toBe(lateAtEnd);
  expect([...lateLoop.answers.keys()].some((answer) => ['401', 'refused'].includes(answer))).toBe(
    true,
  );
  for (const [at, { thing }] of devices.entries()) {
    const count = loops[at]?.taken.length ?? 0;
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(count), 60_000);
  }
});
