/**
 * A fleet of devices, each with its own connection. They publish at due times, whether the last response came or not:
 * the latency of a message that waits for its connection, or for us, begins when it was due.
 *
 * Arguments: the file of prepared messages (a line for each device), the second that stands in them, the
 * messages a second of all devices together (0: each sends again once it is answered), for how many seconds.
 * What the messages have for that second is counted on, so that no two are the same.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../../test/support/statistics.ts';
import { seededRandom } from '../requests.ts';
import { printSummary } from './summary.ts';

const [path = '', secondText = '', perSecondText = '0', secondsText = '1'] = process.argv.slice(2);
const [host = '', port = ''] = (process.env['BENCH_TARGET'] ?? '').split(':');
const second = Number(secondText);
const perSecond = Number(perSecondText);
const forMs = Number(secondsText) * 1_000;
const tickMs = 1;
const lastAnswersMsMax = 10_000;

const waits: number[] = [];
const lateness: number[] = [];
let refused = 0;
let failed = 0;
let unanswered = 0;
let measuring = false;
let closedLoop = false;

class Device {
  readonly #socket: Socket;
  readonly #request: Buffer;
  readonly #textTimes: number[];
  readonly #binaryTimes: number[];
  /** The due times of messages that are not sent yet. */
  readonly #due: number[] = [];
  #sentDue = 0;
  #busy = false;
  #second = second;

  constructor(socket: Socket, request: Buffer) {
    this.#socket = socket;
    this.#request = request;
    const binary = Buffer.alloc(5, 0x1a);
    binary.writeUInt32BE(second, 1);
    this.#textTimes = placesOf(request, Buffer.from(secondText));
    this.#binaryTimes = placesOf(request, binary).map((at) => at + 1);
    socket.on('data', (answer) => this.#answered(answer));
    socket.on('error', () => (failed += 1));
  }

  publish(due: number): void {
    unanswered += 1;
    this.#due.push(due);
    this.#sendNext();
  }

  close(): void {
    this.#socket.destroy();
  }

  #sendNext(): void {
    const due = this.#busy ? undefined : this.#due.shift();
    if (due === undefined) return;
    this.#busy = true;
    this.#sentDue = due;
    this.#second += 1;
    for (const at of this.#textTimes) this.#request.write(String(this.#second), at, 'latin1');
    for (const at of this.#binaryTimes) this.#request.writeUInt32BE(this.#second, at);
    this.#socket.write(this.#request);
  }

  /** A response is short and comes in one piece; each connection has one request at a time. */
  #answered(answer: Buffer | string): void {
    if (!answer.toString('latin1', 9, 12).startsWith('202')) refused += 1;
    if (measuring) waits.push(performance.now() - this.#sentDue);
    this.#busy = false;
    unanswered -= 1;
    this.#sendNext();
    if (closedLoop) this.publish(performance.now());
  }
}

function placesOf(source: Buffer, wanted: Buffer): number[] {
  const places: number[] = [];
  for (let at = source.indexOf(wanted); at !== -1; at = source.indexOf(wanted, at + 1)) {
    places.push(at);
  }
  return places;
}

function openDevice(line: string): Promise<Device> {
  const [credential = '', contentType = '', text = ''] = line.split('\t');
  const body = contentType.endsWith('cbor') ? Buffer.from(text, 'hex') : Buffer.from(text);
  const head = [
    'POST /http/messages HTTP/1.1',
    `Host: ${host}`,
    `Authorization: ${credential}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${body.length}`,
    '\r\n',
  ].join('\r\n');
  const { promise, resolve, reject } = Promise.withResolvers<Device>();
  const socket = connect({ host, port: Number(port), noDelay: true });
  socket.once('error', reject);
  socket.once('connect', () =>
    resolve(new Device(socket, Buffer.concat([Buffer.from(head), body]))),
  );
  return promise;
}

async function untilAnswered(): Promise<void> {
  const deadline = performance.now() + lastAnswersMsMax;
  while (unanswered > 0 && performance.now() < deadline) await delay(5);
}

/** Random arrivals (a Poisson process), each of a random device. */
async function openLoop(devices: Device[]): Promise<void> {
  const random = seededRandom(7);
  const startedAt = performance.now();
  let due = startedAt;
  while (due < startedAt + forMs) {
    for (const now = performance.now(); due <= now; ) {
      lateness.push(performance.now() - due);
      devices[Math.floor(random() * devices.length)]?.publish(due);
      due -= (Math.log(1 - random()) * 1_000) / perSecond;
    }
    await delay(tickMs);
  }
}

const devices: Device[] = [];
for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
  devices.push(await openDevice(line));
}
// The edge has met all keys before the clock runs.
for (const device of devices) device.publish(performance.now());
await untilAnswered();

measuring = true;
const startedAt = performance.now();
if (perSecond > 0) {
  await openLoop(devices);
} else {
  closedLoop = true;
  for (const device of devices) device.publish(performance.now());
  await delay(forMs);
  closedLoop = false;
}
const elapsedMs = performance.now() - startedAt;
await untilAnswered();
for (const device of devices) device.close();

printSummary(waits, elapsedMs, {
  refused,
  errors: failed + unanswered,
  lateP99Us: lateUs(0.99),
  lateP999Us: lateUs(0.999),
});

/** Without a rate no message has a due time. */
function lateUs(share: number): number {
  return lateness.length === 0 ? 0 : Math.round(percentile(lateness, share) * 1_000);
}
