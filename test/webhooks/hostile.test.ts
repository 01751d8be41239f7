import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { residentBytes } from '../support/usage.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import {
  type BadReceiver,
  conducts,
  openBadReceiver,
  openUntrustedReceiver,
} from './bad-receivers.ts';
import { answers, openReceiver, type Receiver } from './receiver.ts';
import { type Delivery, Sender } from './sender.ts';

let sender: Sender;
let receiver: Receiver;
let workersPid: number;
let residentBefore: number;
/** The attempt at each bad receiver. Some of them take all the time there is. */
const tries = new Map<string, Delivery>();
let badAttempts: Promise<unknown>;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  workersPid = await system().pid('workers');
  residentBefore = residentBytes(workersPid);
  sender = await Sender.open(system());
  receiver = await openReceiver();
  open.push(receiver);
  badAttempts = Promise.all(
    Object.entries(conducts).map(async ([name, conduct]) => {
      const bad: BadReceiver = await openBadReceiver(conduct);
      open.push(bad);
      tries.set(name, await firstAttempt(`http://127.0.0.1:${bad.port}/`));
    }),
  );
});

afterAll(async () => {
  await sender.close();
  await Promise.all(open.map((one) => one.close()));
});

const tryMsMax = 20_000;

/** The first attempt at a URL. */
async function firstAttempt(url: string, headers: Record<string, string> = {}): Promise<Delivery> {
  const id = await sender.webhook(url, { headers });
  await sender.send(id);
  return eventually(async () => {
    const [row] = await sender.deliveries(id);
    if (row === undefined) throw new Error(`no attempt at ${url}`);
    return row;
  }, tryMsMax);
}

const expected: Record<string, { status: number | null; error: string | RegExp | null }> = {
  'resets the connection': { status: null, error: 'the connection was closed' },
  'closes without an answer': { status: null, error: 'the connection was closed' },
  'closes within the head': { status: null, error: 'the connection was closed' },
  'closes within the body': { status: null, error: 'the connection was closed' },
  'answers no HTTP': { status: null, error: 'the answer was not HTTP' },
  'answers a head without end': { status: null, error: 'the head of the answer was too long' },
  'switches protocols': { status: null, error: 'the connection was closed' },
  hangs: { status: null, error: 'no whole answer within 15000 ms' },
  'drips its head': { status: null, error: 'no whole answer within 15000 ms' },
  'drips its body': { status: null, error: 'no whole answer within 15000 ms' },
  'sends a body without end': { status: 200, error: null },
  'sends a refusal without end': { status: 500, error: null },
  'sends a gzip bomb': { status: 200, error: null },
};

describe('a webhook with a URL', () => {
  it('of a private address fails, and no connection is opened', async () => {
    for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:10.0.0.1]', '[fd00::1]', '0']) {
      const row = await firstAttempt(`http://${host}/`);
      expect(row).toMatchObject({ status: null, error: 'the address of the host is not allowed' });
    }
  });

  it('of a port without a listener, or of a host that does not exist, fails', async () => {
    const nobody = await openReceiver();
    await nobody.close();
    expect(await firstAttempt(nobody.url())).toMatchObject({ error: 'the connection was refused' });
    const gone = await firstAttempt('http://nowhere-to-be-found.invalid/');
    expect(gone).toMatchObject({ status: null, error: 'the host was not found' });
  });

  it('of a server with a certificate by an unknown CA fails', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-cert-'));
    const [key, cert] = [join(directory, 'key'), join(directory, 'cert')];
    const make = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1'.split(' ');
    execFileSync('openssl', [...make, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const bad = await openUntrustedReceiver(readFileSync(key, 'utf8'), readFileSync(cert, 'utf8'));
    open.push(bad);
    rmSync(directory, { recursive: true });
    const row = await firstAttempt(`https://127.0.0.1:${bad.port}/`);
    expect(row).toMatchObject({ status: null, error: expect.stringMatching(/^TLS failed: /) });
  });

  it('of HTTPS to a server without TLS fails', async () => {
    const row = await firstAttempt(receiver.url().replace('http:', 'https:'));
    expect(row).toMatchObject({ status: null, error: expect.stringMatching(/^TLS failed: /) });
  });

  it.each([
    'no URL at all',
    'ftp://127.0.0.1/',
    'http://',
    'http://a b/',
    'http://%E0%A4/',
    'file:///etc',
  ])('that is invalid fails: %s', async (url) => {
    const row = await firstAttempt(url.padEnd(8, ' '));
    expect(row).toMatchObject({ status: null, error: expect.stringMatching(/can not be/) });
  });

  it.each([
    { 'X-A': 'b\r\nX-Injected: 1' },
    { 'X-A': 'b\nX-Injected: 1' },
    { 'X-A\r\nX-Injected': '1' },
    { 'X A': '1' },
    { 'X-A': 'a\u0001b' },
    { 'X-A': '€' },
    { '': '1' },
  ])('and with forbidden headers fails: %j', async (headers) => {
    const path = `/${randomUUID()}`;
    const row = await firstAttempt(receiver.url(path), headers);
    expect(row).toMatchObject({ status: null, error: expect.stringMatching(/can not be sent/) });
    expect(receiver.at(path)).toEqual([]);
  });
});

describe('a receiver that', () => {
  beforeAll(() => badAttempts);

  it.each(Object.entries(expected))('%s is an attempt with a row that says so', (name, row) => {
    expect(tries.get(name)).toMatchObject(row);
  });

  it('sends a large response: 4 KiB of it are kept, and memory stays', () => {
    for (const name of ['sends a body without end', 'sends a refusal without end']) {
      expect(tries.get(name)?.answer.toString()).toBe('x'.repeat(4_096));
    }
    const bomb = tries.get('sends a gzip bomb')?.answer;
    expect(bomb?.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(bomb?.length).toBeLessThanOrEqual(4_096);
    expect(residentBytes(workersPid) - residentBefore).toBeLessThan(200 * 1024 ** 2);
  });

  it('redirects: that is not followed', async () => {
    const [from, to] = [`/${randomUUID()}`, `/${randomUUID()}`];
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.treat(`${from}/${status}`, answers(status, { location: receiver.url(to) }));
      const row = await firstAttempt(receiver.url(`${from}/${status}`));
      expect(row).toMatchObject({ status, error: null });
    }
    expect(receiver.at(to)).toEqual([]);
  });
});

describe('the worker', () => {
  it('fails a job with invalid data, and goes on', async () => {
    const job = await sender.queue.add('message', { webhook_id: 'x' });
    await eventually(() => job.isFailed());
    expect((await sender.job(job.id ?? '')).failedReason).toBe('the job is malformed');
  });

  it('has survived all of this', async () => {
    expect(await system().pid('workers')).toBe(workersPid);
  });
});
