import { setTimeout as delay } from 'node:timers/promises';
import { Fleet, type Thing } from '../../../support/fleet.ts';
import { type Counts, Ledger } from '../ledger.ts';
import { type Load, openReceiver, recordsPerMessage } from '../load.ts';
import { adminEmail, adminPassword, type Hosts } from './hosts.ts';

const connectionsPerEdge = 10;
const firstSecond = 1_600_000_000;
/** Every so many messages one is JSON. */
const jsonEvery = 8;
const webhooksPerThing = 2;
const readEveryMs = 100;
const againMs = 50;

type Answers = Record<string, number>;
type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/**
 * Devices that send to both edges, and readers of both APIs. A message that an edge refuses with 503 is sent again, to
 * the other edge: a refusal must mean that nothing was taken. After a broken connection nobody knows, and a device
 * goes on with its next message, at the other edge.
 */
export class ApartLoad implements Load {
  readonly answers: Answers = {};
  readonly wrong: string[] = [];
  readonly ledger: Ledger;
  readonly senml: Thing;
  readonly json: Thing;
  readonly #edges: string[];
  readonly #fleets: Fleet[];
  readonly #receivers: Receiver[];
  /** Logged in at the first API. */
  readonly sender: Fleet;
  #working: Promise<void>[] = [];
  #ofPhase: Answers = {};
  #messages = 0;
  #stopping = false;

  private constructor(
    ledger: Ledger,
    edges: string[],
    fleets: Fleet[],
    sender: Fleet,
    things: { senml: Thing; json: Thing },
    receivers: Receiver[],
  ) {
    this.ledger = ledger;
    this.senml = things.senml;
    this.json = things.json;
    this.#edges = edges;
    this.#fleets = fleets;
    this.sender = sender;
    this.#receivers = receivers;
  }

  static async start({ edges, apis, network }: Hosts, rate: number): Promise<ApartLoad> {
    const logIn = (apiUrl = '') =>
      Fleet.login({ apiUrl, ingestUrl: '', adminEmail, adminPassword });
    const ledger = new Ledger();
    const sender = await logIn(apis[0]);
    const things = {
      senml: await sender.thing(),
      json: await sender.thing({ content_type: 'application/json' }),
    };
    const receivers = await Promise.all(
      Array.from({ length: webhooksPerThing }, () => openReceiver(ledger, network.address)),
    );
    for (const { id } of Object.values(things)) {
      const webhooks = receivers.map(({ url }) => ({ name: 'receiver', url }));
      const { status } = await sender.call('POST', `/things/${id}/webhooks`, webhooks);
      if (status >= 300) throw new Error(`no webhooks: ${status}`);
    }
    const fleets = await Promise.all(apis.map(logIn));
    const load = new ApartLoad(ledger, edges, fleets, sender, things, receivers);
    const everyMs = (1_000 * connectionsPerEdge * edges.length) / rate;
    load.#working = [
      ...edges.flatMap((_, edge) =>
        Array.from({ length: connectionsPerEdge }, () => load.#sendFrom(edge, everyMs)),
      ),
      ...fleets.map((fleet, api) => load.#read(fleet, api)),
    ];
    return load;
  }

  get received(): Counts[] {
    return this.#receivers.map(({ counts }) => counts);
  }

  /** What was answered since this was last called. */
  answersOfPhase(): Answers {
    const those = this.#ofPhase;
    this.#ofPhase = {};
    return those;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#working);
  }

  async close(): Promise<void> {
    for (const receiver of this.#receivers) await receiver.close();
    for (const fleet of [...this.#fleets, this.sender]) await fleet.close();
  }

  async #sendFrom(home: number, everyMs: number): Promise<void> {
    let edge = home;
    while (!this.#stopping) {
      const startedMs = performance.now();
      const isJson = this.#messages++ % jsonEvery === 0;
      const numbers = this.ledger.draw(recordsPerMessage);
      const message = numbers.map((v) => (isJson ? { v } : { n: 'number', t: firstSecond + v, v }));
      let status = await this.#send(edge, isJson, message);
      while (status === 503 && !this.#stopping) {
        await delay(againMs);
        edge = (edge + 1) % this.#edges.length;
        status = await this.#send(edge, isJson, message);
      }
      if (status === 202) this.ledger.acknowledge(numbers);
      edge = status === undefined ? (edge + 1) % this.#edges.length : home;
      await delay(Math.max(0, everyMs - (performance.now() - startedMs)));
    }
  }

  #send(edge: number, isJson: boolean, message: object): Promise<number | undefined> {
    const { key } = isJson ? this.json : this.senml;
    const contentType = isJson ? 'application/json' : 'application/senml+json';
    return this.#ask(`edge-${edge}`, 202, async () => {
      const ingestUrl = this.#edges[edge] ?? '';
      const answer = await this.sender.publish(key, message, { ingestUrl, contentType });
      return { status: answer.status, retryAfter: answer.retryAfter };
    });
  }

  async #read(fleet: Fleet, api: number): Promise<void> {
    while (!this.#stopping) {
      await this.#ask(`api-${api}`, 200, async () => {
        const { status, headers } = await fleet.call('GET', '/orgs');
        return { status, retryAfter: headers['retry-after'] };
      });
      await delay(readEveryMs);
    }
  }

  /** Counts the answer. Undefined where the connection broke. */
  async #ask(
    who: string,
    good: number,
    ask: () => Promise<{ status: number; retryAfter: unknown }>,
  ): Promise<number | undefined> {
    try {
      const { status, retryAfter } = await ask();
      this.#count(`${who} ${status}`);
      const isFine = status === good || (status === 503 && retryAfter !== undefined);
      if (!isFine && this.wrong.length < 20) this.wrong.push(`${who} ${status}`);
      return status;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      this.#count(`${who} broken`);
      await delay(againMs);
      return undefined;
    }
  }

  #count(what: string): void {
    for (const answers of [this.answers, this.#ofPhase]) answers[what] = (answers[what] ?? 0) + 1;
  }
}
