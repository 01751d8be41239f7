/**
 * Things that send over streams, each as fast as its messages are acknowledged: 64 messages are on their way at any
 * time, in two frames at least. Frames are made before the clock runs and written to the socket as they are: a library
 * for WebSockets would cost more than the edge.
 *
 * Arguments: the file of prepared messages (a line for each; the thing of a stream is the one of its first), how many
 * streams, how many messages a frame, for how many seconds.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { printSummary } from './summary.ts';

const [path = '', streamsText = '64', perFrameText = '1', secondsText = '1'] =
  process.argv.slice(2);
const [host = '', port = ''] = (process.env['BENCH_TARGET'] ?? '').split(':');
const perFrame = Number(perFrameText);
const forMs = Number(secondsText) * 1_000;
const framesUnderWay = Math.max(2, 64 / perFrame);
const lastAcksMsMax = 10_000;

const waits: number[] = [];
let messages = 0;
let refused = 0;
let failed = 0;
let sending = false;

class StreamOfThing {
  readonly #socket: Socket;
  readonly #frames: Buffer[];
  #next = 0;
  #sent = 0;
  #acknowledged = 0;
  /** When the frames without an ack were sent. */
  readonly #sentMs: number[] = [];
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, frames: Buffer[]) {
    this.#socket = socket;
    this.#frames = frames;
    socket.on('data', (data: Buffer) => this.#received(data));
    socket.on('error', () => (failed += 1));
  }

  get isAnswered(): boolean {
    return this.#acknowledged === this.#sent;
  }

  send(): void {
    // What may be sent at one time is one write.
    this.#socket.cork();
    while (sending && this.#sentMs.length < framesUnderWay) {
      const frame = this.#frames[this.#next++ % this.#frames.length];
      if (frame === undefined) break;
      this.#sentMs.push(performance.now());
      this.#sent += perFrame;
      this.#socket.write(frame);
    }
    this.#socket.uncork();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** What the edge sends is short: frames with one byte of length, or two more. */
  #received(data: Buffer): void {
    let rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    for (;;) {
      const isLong = (rest[1] ?? 0) === 126;
      const start = isLong ? 4 : 2;
      if (rest.length < start) break;
      const end = start + (isLong ? rest.readUInt16BE(2) : (rest[1] ?? 0));
      if (rest.length < end) break;
      this.#told(rest.toString('latin1', start, end));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    this.send();
  }

  #told(text: string): void {
    const [, ack] = /^\{"ack":(\d+)\}$/.exec(text) ?? [];
    if (ack === undefined) {
      refused += 1;
      return;
    }
    const now = performance.now();
    messages += Number(ack) - this.#acknowledged;
    this.#acknowledged = Number(ack);
    const framesLeft = Math.ceil((this.#sent - this.#acknowledged) / perFrame);
    while (this.#sentMs.length > framesLeft) waits.push(now - (this.#sentMs.shift() ?? now));
  }
}

/** A text frame from a client, whose content is masked (RFC 6455 §5.2). */
function frameOf(text: string): Buffer {
  const content = Buffer.from(text);
  const mask = randomBytes(4);
  for (let at = 0; at < content.length; at++)
    content[at] = (content[at] ?? 0) ^ (mask[at % 4] ?? 0);
  const length = Buffer.alloc(content.length < 126 ? 1 : 3);
  length[0] = 0x80 | Math.min(content.length, 126);
  if (content.length >= 126) length.writeUInt16BE(content.length, 1);
  return Buffer.concat([Buffer.of(0x81), length, mask, content]);
}

async function open(credential: string, frames: Buffer[]): Promise<StreamOfThing> {
  const socket = connect({ host, port: Number(port), noDelay: true });
  const head = [
    'GET /http/messages/stream HTTP/1.1',
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Authorization: ${credential}`,
    '\r\n',
  ].join('\r\n');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  let answer = '';
  const read = (piece: Buffer) => {
    answer += piece.toString('latin1');
    if (!answer.endsWith('\r\n\r\n')) return;
    if (answer.startsWith('HTTP/1.1 101')) resolve();
    else reject(new Error(answer));
  };
  socket.on('data', read);
  socket.write(head);
  await promise;
  socket.off('data', read);
  return new StreamOfThing(socket, frames);
}

const lines = readFileSync(path, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));
const framesPerStream = 4;
const streams: StreamOfThing[] = [];
for (let at = 0; at < Number(streamsText); at++) {
  const frames = Array.from({ length: framesPerStream }, (_, frame) => {
    const bodies = Array.from({ length: perFrame }, (__, message) => {
      const line = lines[(at + (frame * perFrame + message) * 7) % lines.length];
      return line?.[2] ?? '';
    });
    return frameOf(bodies.join('\n'));
  });
  streams.push(await open(lines[at % lines.length]?.[0] ?? '', frames));
}

sending = true;
const startedMs = performance.now();
for (const stream of streams) stream.send();
await delay(forMs);
sending = false;
const elapsedMs = performance.now() - startedMs;
const inTime = messages;
const deadline = performance.now() + lastAcksMsMax;
while (streams.some(({ isAnswered }) => !isAnswered) && performance.now() < deadline)
  await delay(5);
for (const stream of streams) stream.close();

printSummary(waits, elapsedMs, {
  requests: inTime,
  refused,
  errors: failed + streams.filter(({ isAnswered }) => !isAnswered).length,
});
