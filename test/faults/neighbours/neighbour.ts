import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { eventually } from '../../support/eventually.ts';
import { type Addresses, Fleet, type Thing } from '../../support/fleet.ts';

/** What of a neighbour is timed. `arrival`: from a 202 until its reader has it; `webhook`: until the receiver does. */
export const probes = [
  'publish',
  'read',
  'export',
  'orgs',
  'stream',
  'arrival',
  'webhook',
] as const;
export type Probe = (typeof probes)[number];

/** One thing that was done: when it was due, and how long it took from then. */
type Sample = { probe: Probe; dueAt: number; ms: number };

/** How often each of them is due, as clients that don't wait for each other. */
const everyMs = { publish: 50, read: 200, export: 1_000, orgs: 100, stream: 1_000, arrival: 500 };
const atOnce = 4;
/** What could not even begin for so long is counted with that, and given up: its successors are due. */
const lateMsMax = 2_000;
/** Nobody waits longer than this for an answer. */
const answerMsMax = 30_000;
const arrivalPollMs = 25;
const firstSecond = 1_600_000_000;
const wrongKept = 20;
/** Longer than any probe's turn. */
const wellMs = 3_000;

type Answer = { status: number; text: string };

/** A tenant of their own, who does every day's work and notes how it goes. */
export class Neighbour {
  readonly #samples: Sample[] = [];
  /** Requests that were answered wrongly, or not at all; the first of them. */
  #wrong: string[] = [];
  readonly #fleet: Fleet;
  readonly #thing: Thing;
  /** Asked for by the number alone: its messages are few. */
  readonly #looked: Thing;
  readonly #agent = new Agent({
    connections: 16,
    headersTimeout: answerMsMax,
    bodyTimeout: answerMsMax,
  });
  readonly #acknowledged = new Map<number, number>();
  readonly #received = new Map<number, number>();
  readonly #closing: (() => Promise<void>)[] = [];
  readonly #working: Promise<void>[] = [];
  /** When the oldest of what is due and not done was due. */
  readonly #oldest = new Map<Probe, number>();
  #sent = 0;
  #lastWrongAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  private constructor(fleet: Fleet, thing: Thing, looked: Thing) {
    this.#fleet = fleet;
    this.#thing = thing;
    this.#looked = looked;
  }

  /** Moves in: a user, their org, a device with a webhook. Works from now on. */
  static async open(addresses: Addresses): Promise<Neighbour> {
    const fleet = await Fleet.login({ ...addresses, ...(await createUser(addresses)) });
    const neighbour = new Neighbour(fleet, await fleet.thing(), await fleet.thing());
    await neighbour.#openReceiver();
    const works: [keyof typeof everyMs, () => Promise<void>][] = [
      ['publish', () => neighbour.#publish()],
      ['read', () => neighbour.#read()],
      ['export', () => neighbour.#export()],
      ['orgs', () => neighbour.#listOrgs()],
      ['stream', () => neighbour.#openStream()],
      ['arrival', () => neighbour.#followOne()],
    ];
    for (const [probe, work] of works) neighbour.#repeat(probe, work);
    return neighbour;
  }

  /** What was answered wrongly since this was asked last. */
  takeWrong(): string[] {
    const wrong = this.#wrong;
    this.#wrong = [];
    return wrong;
  }

  /** What was due from one moment to the other, in milliseconds, by what it was. */
  between(from: number, to: number): Record<Probe, number[]> {
    const of = (probe: Probe) =>
      this.#samples
        .filter((sample) => sample.probe === probe && sample.dueAt >= from && sample.dueAt < to)
        .map(({ ms }) => ms);
    return {
      publish: of('publish'),
      read: of('read'),
      export: of('export'),
      orgs: of('orgs'),
      stream: of('stream'),
      arrival: of('arrival'),
      webhook: [...this.#acknowledged].flatMap(([number, sentAt]) => {
        const receivedAt = this.#received.get(number) ?? performance.now();
        return sentAt >= from && sentAt < to ? [receivedAt - sentAt] : [];
      }),
    };
  }

  /** Waits until each probe that was due before this moment has its answer; to have none is worth a complaint. */
  async caughtUp(): Promise<void> {
    const now = performance.now();
    const isAnswered = () => [...this.#oldest.values()].every((oldest) => oldest > now);
    await eventually(isAnswered, 2 * answerMsMax).catch(() => this.#complain('no answer at all'));
  }

  /** Waits until nothing was answered wrongly for a while. */
  async recovered(timeoutMs: number): Promise<void> {
    const isWell = () => performance.now() - this.#lastWrongAt > wellMs;
    await eventually(isWell, timeoutMs).catch(() => undefined);
  }

  /** Waits until all that was acknowledged has come to the receiver; how many have not. */
  async missingWebhooks(timeoutMs: number): Promise<number> {
    const numbers = [...this.#acknowledged.keys()];
    const missing = () => numbers.filter((number) => !this.#received.has(number)).length;
    await eventually(() => missing() === 0, timeoutMs).catch(() => undefined);
    return missing();
  }

  /** Stops working. How many were acknowledged and how many are stored, once as many are or time is up. */
  async leave(timeoutMs: number): Promise<{ acknowledged: number; stored: number }> {
    this.#stopped = true;
    await Promise.all(this.#working);
    const acknowledged = this.#acknowledged.size;
    const stored = () => this.#fleet.stored(this.#thing.id);
    await eventually(async () => (await stored()) >= acknowledged, timeoutMs).catch(
      () => undefined,
    );
    const counts = { acknowledged, stored: await stored() };
    for (const close of this.#closing) await close();
    await this.#agent.destroy();
    await this.#fleet.close();
    return counts;
  }

  /** Does something at its times, whether or not what was due before is done: a stall counts in full. */
  #repeat(probe: keyof typeof everyMs, work: () => Promise<void>): void {
    let nextDue = performance.now();
    const underWay = new Set<number>();
    const walk = async () => {
      while (!this.#stopped) {
        const dueAt = nextDue;
        nextDue += everyMs[probe];
        underWay.add(dueAt);
        this.#oldest.set(probe, Math.min(...underWay));
        const early = dueAt - performance.now();
        if (early > 0) await delay(early);
        if (this.#stopped) return;
        try {
          if (-early < lateMsMax) await work();
        } catch (error) {
          this.#complain(`${probe}: ${error instanceof Error ? error.message : String(error)}`);
        }
        this.#samples.push({ probe, dueAt, ms: performance.now() - dueAt });
        underWay.delete(dueAt);
        this.#oldest.set(probe, Math.min(...underWay, nextDue));
      }
    };
    for (let at = 0; at < atOnce; at++) this.#working.push(walk());
  }

  #complain(what: string): void {
    this.#lastWrongAt = performance.now();
    if (this.#wrong.length < wrongKept) this.#wrong.push(what);
  }

  async #ask(
    base: string,
    path: string,
    authorization: string,
    good: number,
    body?: unknown,
  ): Promise<Answer> {
    const answer = await request(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      dispatcher: this.#agent,
      headers: { authorization, 'content-type': 'application/senml+json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== good) throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`);
    return { status: answer.statusCode, text };
  }

  get #user(): string {
    return `Bearer ${this.#fleet.token}`;
  }

  async #publish(): Promise<void> {
    const number = this.#sent++;
    const sentAt = performance.now();
    const message = [{ n: 'number', v: number, t: firstSecond + number }];
    const as = `Thing ${this.#thing.key}`;
    await this.#ask(this.#fleet.ingestUrl, '/http/messages', as, 202, message);
    this.#acknowledged.set(number, sentAt);
  }

  async #read(): Promise<void> {
    const path = `/reader/senml?publisher=${this.#thing.id}&limit=10`;
    await this.#ask(this.#fleet.apiUrl, path, this.#user, 200);
  }

  async #export(): Promise<void> {
    const path = `/reader/senml/export?convert=csv&publisher=${this.#looked.id}`;
    await this.#ask(this.#fleet.apiUrl, path, this.#user, 200);
  }

  async #listOrgs(): Promise<void> {
    await this.#ask(this.#fleet.apiUrl, '/orgs', this.#user, 200);
  }

  /** Opens one, and leaves once it is open. */
  async #openStream(): Promise<void> {
    const url = `${this.#fleet.apiUrl}/reader/senml/live?publisher=${this.#looked.id}`;
    const answer = await request(url, {
      dispatcher: this.#agent,
      headers: { authorization: this.#user },
    });
    answer.body.on('error', () => undefined);
    answer.body.destroy();
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}`);
  }

  async #followOne(): Promise<void> {
    const name = randomUUID();
    const as = `Thing ${this.#looked.key}`;
    await this.#ask(this.#fleet.ingestUrl, '/http/messages', as, 202, [{ n: name, v: 1 }]);
    const path = `/reader/senml?publisher=${this.#looked.id}&name=${name}&limit=1`;
    const deadline = performance.now() + answerMsMax;
    for (;;) {
      const { text } = await this.#ask(this.#fleet.apiUrl, path, this.#user, 200);
      if (text.includes(name)) return;
      if (performance.now() > deadline) throw new Error('what was acknowledged is not there');
      await delay(arrivalPollMs);
    }
  }

  async #openReceiver(): Promise<void> {
    const server = createServer((incoming, answer) => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
      incoming.on('end', () => {
        const number = Number(/"(?:v|value)":(\d+)/.exec(body)?.[1]);
        if (!this.#received.has(number)) this.#received.set(number, performance.now());
        answer.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    this.#closing.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const webhooks = [{ name: 'neighbour', url: `http://127.0.0.1:${port}/` }];
    const made = await this.#fleet.call('POST', `/things/${this.#thing.id}/webhooks`, webhooks);
    if (made.status >= 300) throw new Error(`no webhook: ${made.status}`);
  }
}

/** A new user, as the platform's admin makes them. */
export async function createUser(
  addresses: Addresses,
): Promise<{ adminEmail: string; adminPassword: string }> {
  const admin = await Fleet.login(addresses);
  const user = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const { status } = await admin.call('POST', '/users', user);
  await admin.close();
  if (status !== 201) throw new Error(`no user was made: ${status}`);
  return { adminEmail: user.email, adminPassword: user.password };
}
