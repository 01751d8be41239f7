import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Fleet, type Thing } from '../../support/fleet.ts';
import type { OwnSystem } from '../../support/system.ts';
import { Counts, Ledger } from './ledger.ts';

const connections = 20;
export const recordsPerMessage = 3;
const firstSecond = 1_600_000_000;
/** Every so many messages one is JSON: the other sink has work now and then. */
const jsonEvery = 8;
const webhooksPerThing = 2;
const readEveryMs = 250;
const againMs = 50;

/** Devices and a reader, on a fixed address, and the receivers of the devices' webhooks. */
export type Load = {
  ledger: Ledger;
  senml: Thing;
  json: Thing;
  /** What came to each receiver. */
  received: Counts[];
  /** How often each status was the answer, by who was asked. */
  answers: Record<string, number>;
  /** Answers that must not be. */
  wrong: string[];
  /** Ends the sending and waits for what is under way; the receivers go on. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

/** Sends numbered records, each once whatever becomes of it, at a steady rate. */
export async function startLoad(system: OwnSystem, rate: number): Promise<Load> {
  const fleet = await Fleet.login(system);
  const ledger = new Ledger();
  const senml = await fleet.thing();
  const json = await fleet.thing({ content_type: 'application/json' });
  const receivers = await Promise.all(
    Array.from({ length: webhooksPerThing }, () => openReceiver(ledger)),
  );
  for (const { id } of [senml, json]) {
    const webhooks = receivers.map(({ url }) => ({ name: 'receiver', url }));
    const { status } = await fleet.call('POST', `/things/${id}/webhooks`, webhooks);
    if (status >= 300) throw new Error(`no webhooks: ${status}`);
  }
  const answers: Record<string, number> = {};
  const wrong: string[] = [];
  let stopping = false;

  function note(who: string, status: number, retryAfter: boolean, good: number[]): void {
    const what = `${who} ${status}`;
    answers[what] = (answers[what] ?? 0) + 1;
    const isFine = good.includes(status) || (status === 503 && retryAfter);
    if (!isFine && wrong.length < 20) wrong.push(`${what}${retryAfter ? '' : ', no Retry-After'}`);
  }

  /** Nobody knows what became of a request whose connection broke. */
  async function unlessBroken(who: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      answers[`${who} broken`] = (answers[`${who} broken`] ?? 0) + 1;
      await delay(againMs);
    }
  }

  let nextDue = performance.now();
  let messages = 0;
  async function send(): Promise<void> {
    while (!stopping) {
      nextDue = Math.max(nextDue + 1_000 / rate, performance.now() - 1_000);
      const early = nextDue - performance.now();
      if (early > 0) await delay(early);
      const isJson = messages++ % jsonEvery === 0;
      const numbers = ledger.draw(recordsPerMessage);
      const message = numbers.map((v) => (isJson ? { v } : { n: 'number', t: firstSecond + v, v }));
      await unlessBroken('edge', async () => {
        const { status, retryAfter } = isJson
          ? await fleet.publish(json.key, message, { contentType: 'application/json' })
          : await fleet.publish(senml.key, message);
        note('edge', status, retryAfter !== undefined, [202]);
        if (status === 202) ledger.acknowledge(numbers);
      });
    }
  }

  async function read(): Promise<void> {
    while (!stopping) {
      await unlessBroken('api', async () => {
        const { status, headers } = await fleet.call('GET', '/orgs');
        note('api', status, headers['retry-after'] !== undefined, [200]);
      });
      await delay(readEveryMs);
    }
  }

  const working = [...Array.from({ length: connections }, send), read()];
  return {
    ledger,
    senml,
    json,
    received: receivers.map(({ counts }) => counts),
    answers,
    wrong,
    async stop() {
      stopping = true;
      await Promise.all(working);
    },
    async close() {
      for (const receiver of receivers) await receiver.close();
      await fleet.close();
    },
  };
}

/** Counts the numbers in what it is sent. */
export async function openReceiver(
  ledger: Ledger,
  host = '127.0.0.1',
): Promise<{ url: string; counts: Counts; close(): Promise<void> }> {
  const counts = new Counts();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const numbers = body.matchAll(/"(?:v|value)":(\d+)/g);
      for (const [, number] of numbers) counts.add(Number(number), ledger);
      response.end();
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://${host}:${port}/`,
    counts,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
