/**
 * Things that send over MQTT 3.1.1 or 5 with QoS 1, each as fast as its messages are acknowledged, or at due times: then the
 * latency of a message that waits for its window begins when it was due. Packets are made before the clock runs and
 * written to the socket as they lie in memory: a library for MQTT would cost more than the edge.
 *
 * Arguments: the version, the file of prepared messages (a line for each: credential, content type, body, topic; the thing
 * of a connection is the one of its line), how many connections, how many messages each may have under way, for how many
 * seconds, how many messages a second of all together (0: as fast as they are acknowledged).
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { percentile } from '../../../test/support/statistics.ts';
import { seededRandom } from '../requests.ts';
import { printSummary } from './summary.ts';

const [
  versionText = '4',
  path = '',
  connectionsText = '64',
  windowText = '64',
  secondsText = '1',
  perSecondText = '0',
] = process.argv.slice(2);
const [host = '', port = ''] = (process.env['BENCH_TARGET'] ?? '').split(':');
const protocolVersion = versionText === '5' ? 5 : 4;
const window = Number(windowText);
const forMs = Number(secondsText) * 1_000;
const perSecond = Number(perSecondText);
/** More than are under way, so that a packet id is free again when its turn comes. */
const packetsPerConnection = 4 * window;
const ackBytes = 4;
/** One wait in so many is kept. */
const waitOneIn = 8;
const lastAcksMsMax = 10_000;
const tickMs = 1;

const waits: number[] = [];
/** Of messages that were due: how much later they were begun with. */
const lateness: number[] = [];
let messages = 0;
let refused = 0;
let failed = 0;
let closedLoop = false;

class Client {
  readonly #socket: Socket;
  /** All packets, one after the other, and where each one begins. */
  readonly #bytes: Buffer;
  readonly #starts: readonly number[];
  readonly #sentMs: Float64Array;
  readonly #due: number[] = [];
  #sent = 0;
  #acknowledged = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, packets: readonly Buffer[]) {
    this.#socket = socket;
    this.#bytes = Buffer.concat(packets);
    let start = 0;
    this.#starts = [0, ...packets.map(({ length }) => (start += length))];
    this.#sentMs = new Float64Array(packets.length);
    socket.on('data', (data: Buffer) => this.#received(data));
    socket.on('error', () => (failed += 1));
  }

  get isAnswered(): boolean {
    return this.#acknowledged === this.#sent && this.#due.length === 0;
  }

  /** Fills the window. */
  send(): void {
    const now = performance.now();
    this.#write(window - (this.#sent - this.#acknowledged), () => now);
  }

  publish(dueMs: number): void {
    this.#due.push(dueMs);
  }

  sendDue(): void {
    const count = Math.min(window - (this.#sent - this.#acknowledged), this.#due.length);
    this.#write(count, () => this.#due.shift() ?? 0);
  }

  close(): void {
    this.#socket.destroy();
  }

  #write(count: number, sinceMs: () => number): void {
    for (let left = count; left > 0; ) {
      const at = this.#sent % packetsPerConnection;
      const now = Math.min(left, packetsPerConnection - at);
      for (let index = at; index < at + now; index++) this.#sentMs[index] = sinceMs();
      this.#socket.write(this.#bytes.subarray(this.#starts[at], this.#starts[at + now]));
      this.#sent += now;
      left -= now;
    }
  }

  /** A message that is taken is acknowledged with four bytes; they come in the order of the messages. */
  #received(data: Buffer): void {
    const bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    const now = performance.now();
    let at = 0;
    for (; at + ackBytes <= bytes.length; at += ackBytes) {
      const index = this.#acknowledged % packetsPerConnection;
      if (bytes.readUInt32BE(at) !== 0x4002_0000 + index + 1) {
        refused += 1;
        this.#socket.destroy();
        return;
      }
      if (this.#acknowledged % waitOneIn === 0) waits.push(now - (this.#sentMs[index] ?? now));
      this.#acknowledged += 1;
      messages += 1;
    }
    this.#rest = bytes.subarray(at);
    if (closedLoop) this.send();
    else if (this.#due.length > 0) this.sendDue();
  }
}

type Line = { key: string; contentType: string; body: string; topic: string };

function packetsOf(lines: readonly Line[]): Buffer[] {
  return Array.from({ length: packetsPerConnection }, (_, at) => {
    const line = lines[at % lines.length];
    if (line === undefined) throw new Error('there are no messages');
    return generate(
      {
        cmd: 'publish',
        topic: line.topic,
        payload: line.body,
        qos: 1,
        dup: false,
        retain: false,
        messageId: at + 1,
        ...(protocolVersion === 5 ? { properties: { contentType: line.contentType } } : {}),
      },
      { protocolVersion },
    );
  });
}

async function open(lines: readonly Line[]): Promise<Client> {
  const socket = connect({ host, port: Number(port), noDelay: true });
  const key = lines[0]?.key ?? '';
  socket.write(
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion,
      clientId: key,
      clean: true,
      keepalive: 60,
      username: 'internal',
      password: Buffer.from(key),
    }),
  );
  const [connack]: Buffer[] = await once(socket, 'data');
  if (connack?.[0] !== 0x20 || connack[3] !== 0) throw new Error('not connected');
  return new Client(socket, packetsOf(lines));
}

/** Random arrivals (a Poisson process), each of a random thing. */
async function openLoop(clients: readonly Client[]): Promise<void> {
  const random = seededRandom(7);
  const startedMs = performance.now();
  let dueMs = startedMs;
  while (dueMs < startedMs + forMs) {
    for (const now = performance.now(); dueMs <= now; ) {
      clients[Math.floor(random() * clients.length)]?.publish(dueMs);
      if (random() < 1 / waitOneIn) lateness.push(now - dueMs);
      dueMs -= (Math.log(1 - random()) * 1_000) / perSecond;
    }
    for (const client of clients) client.sendDue();
    await delay(tickMs);
  }
}

const byKey = Map.groupBy(
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Line => {
      const [credential = '', contentType = '', body = '', topic = ''] = line.split('\t');
      return { key: credential.replace(/^Thing /, ''), contentType, body, topic };
    }),
  ({ key }) => key,
);
const clients: Client[] = [];
for (const lines of [...byKey.values()].slice(0, Number(connectionsText))) {
  clients.push(await open(lines));
}
if (clients.length < Number(connectionsText)) throw new Error('there are too few things');

const cpuBefore = process.cpuUsage();
const startedMs = performance.now();
if (perSecond > 0) await openLoop(clients);
else {
  closedLoop = true;
  for (const client of clients) client.send();
  await delay(forMs);
  closedLoop = false;
}
const elapsedMs = performance.now() - startedMs;
const inTime = messages;
const { user, system } = process.cpuUsage(cpuBefore);
const deadlineMs = performance.now() + lastAcksMsMax;
while (clients.some(({ isAnswered }) => !isAnswered) && performance.now() < deadlineMs) {
  await delay(5);
}
for (const client of clients) client.close();

printSummary(waits, elapsedMs, {
  requests: inTime,
  refused,
  errors: failed + clients.filter(({ isAnswered }) => !isAnswered).length,
  cpuMs: Math.round((user + system) / 1_000),
  ...(lateness.length === 0 ? {} : { lateP99Us: Math.round(percentile(lateness, 0.99) * 1_000) }),
});
