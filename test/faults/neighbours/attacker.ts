import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { eventually } from '../../support/eventually.ts';
import { Fleet, type Thing } from '../../support/fleet.ts';

const connections = 1_000;
const wrongKept = 10;
const readEveryMs = 200;
const trickleBytes = 1_024;
const againMs = 200;
const loginMsMax = 60_000;
const answeredMsMax = 10_000;

/** Where it attacks, and as whom. */
export type Target = { apiUrl: string; ingestUrl: string; email: string; password: string };

/** What an attack was answered. `wrong` is what no attack may bring about. */
export type Tally = { statuses: Record<string, number>; wrong: string[] };

/** An attack: `prepare` sets up what it needs and gives one wave of it, which is repeated until time is up. */
export type Attack = {
  name: string;
  prepare(attacker: Attacker): Promise<() => Promise<void>>;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a client that holds a connection takes what comes. */
type Manner = 'reads all' | 'reads nothing' | 'trickles';

/** A user with an org of their own, who means no good. */
export class Attacker {
  /** For what is prepared in good order. */
  readonly fleet: Fleet;
  /** 1 in the long runs; a part of it in CI. */
  readonly scale: number;
  readonly tally: Tally = { statuses: {}, wrong: [] };
  readonly #target: Target;
  readonly #address: string;
  readonly #agent: Agent;

  private constructor(target: Target, fleet: Fleet, scale: number, address: string) {
    this.#target = target;
    this.#address = address;
    this.#agent = new Agent({ localAddress: address, connections, pipelining: 1 });
    this.fleet = fleet;
    this.scale = scale;
  }

  /** From an address of its own: limits that count by address count it apart from everyone else. */
  static async open(target: Target, scale: number, address: string): Promise<Attacker> {
    const { email: adminEmail, password: adminPassword } = target;
    const login = () => Fleet.login({ ...target, adminEmail, adminPassword });
    return new Attacker(target, await eventually(login, loginMsMax), scale, address);
  }

  /** So many in the long runs, and their part in CI. */
  scaled(count: number): number {
    return Math.max(1, Math.ceil(count * this.scale));
  }

  wrong(what: string): void {
    if (this.tally.wrong.length < wrongKept) this.tally.wrong.push(what);
  }

  /** A request to the API; as the attacking user unless told otherwise. */
  api(method: Method, path: string, body?: unknown, as = `Bearer ${this.fleet.token}`) {
    return this.#send(method, `${this.#target.apiUrl}${path}`, body, {
      ...(as === '' ? {} : { authorization: as }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    });
  }

  /** A message to the edge. */
  edge(authorization: string, body: unknown, contentType = 'application/senml+json') {
    const headers = { authorization, 'content-type': contentType };
    return this.#send('POST', `${this.#target.ingestUrl}/http/messages`, body, headers);
  }

  async #send(
    method: Method,
    url: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    try {
      const answer = await request(url, {
        method,
        headers,
        dispatcher: this.#agent,
        body: body === undefined ? null : isRaw ? body : JSON.stringify(body),
      });
      const text = await answer.body.text();
      const what = `${method} ${new URL(url).pathname}`;
      this.#count(what, answer.statusCode, answer.headers['retry-after'] !== undefined, text);
      return { status: answer.statusCode, text };
    } catch {
      // Whoever attacks may well be hung up on.
      this.#add('broken');
      return { status: 0, text: '' };
    }
  }

  #add(status: string): void {
    this.tally.statuses[status] = (this.tally.statuses[status] ?? 0) + 1;
  }

  #count(what: string, status: number, hasRetryAfter: boolean, text: string): void {
    this.#add(String(status));
    const isRefusal = status === 429 || status === 503;
    if (status >= 500 && status !== 503) this.wrong(`${what}: ${status} ${text.slice(0, 200)}`);
    else if (isRefusal && !hasRetryAfter) this.wrong(`${what}: ${status} without Retry-After`);
  }

  /** How many answers it has had. */
  get answers(): number {
    return Object.values(this.tally.statuses).reduce((sum, count) => sum + count, 0);
  }

  /** Waits until so many of these have been answered, or not for long. */
  async answered(count: number, since: number): Promise<void> {
    await eventually(() => this.answers >= since + count, answeredMsMax).catch(() => undefined);
  }

  /** Holds a GET open, and opens it again whenever it is ended. Never settles. */
  async hold(path: string, as: string, manner: Manner): Promise<never> {
    const { hostname, port } = new URL(this.#target.apiUrl);
    for (;;) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: this.#address });
      socket.on('error', () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${as}\r\n\r\n`);
      await this.#take(socket, path, manner);
      await delay(againMs);
    }
  }

  async #take(socket: Socket, path: string, manner: Manner): Promise<void> {
    const closed = once(socket, 'close').catch(() => undefined);
    let head = '';
    socket.once('readable', () => {
      const first: unknown = socket.read();
      head = Buffer.isBuffer(first) ? first.toString('latin1') : '';
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
      if (status === 0) this.#add('broken');
      else this.#count(`GET ${path}`, status, /^retry-after:/im.test(head), head);
      if (status >= 400) socket.destroy();
      else if (manner === 'reads all') socket.resume();
    });
    const timer = setInterval(() => {
      if (manner === 'trickles' && head !== '') socket.read(trickleBytes);
    }, readEveryMs);
    await closed;
    clearInterval(timer);
  }

  /** Things of one profile in the shared group. */
  async things(count: number, members: object = {}): Promise<Thing[]> {
    const first = await this.fleet.thing();
    const list = Array.from({ length: count }, (_, i) => ({
      name: `thing ${i}`,
      type: 'sensor',
      ...members,
    }));
    const made = await this.fleet.createThings(first.profileId, list);
    return made.map((thing) => ({ ...first, ...thing }));
  }

  /** The largest of these sizes that is taken; what it is depends on the limits. */
  async largest(sizes: number[], take: (size: number) => Promise<number>): Promise<number> {
    for (const size of sizes) if ((await take(size)) < 300) return size;
    throw new Error(`none of ${sizes.join(', ')} is taken`);
  }
}
