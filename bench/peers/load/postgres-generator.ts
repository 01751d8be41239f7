/**
 * Sends prepared requests to PostgreSQL as fast as the answers come, one at a time on each connection. Their bytes were
 * made before; only their times are written anew, so that no point is sent twice. It is a process of its own, as wrk is,
 * and prints the same summary.
 *
 * Its argument: the options below, as JSON.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { printSummary } from '../../harness/load/summary.ts';
import { MessageWriter } from './message-writer.ts';

const Options = Type.Object({
  port: Type.Integer(),
  user: Type.String(),
  /** Of each session. */
  settings: Type.String(),
  /** What each connection prepares first; empty: nothing. */
  statementName: Type.String(),
  statement: Type.String(),
  /** Requests: the number of their bytes, that of their times, the places of these, the bytes. */
  requestsPath: Type.String(),
  connections: Type.Integer(),
  seconds: Type.Integer(),
  /** The second in the prepared times, and that of the first request, both of PostgreSQL's own time. */
  placeholderSecond: Type.Integer(),
  firstSecond: Type.Integer(),
  /** Requests until the next second. */
  requestsASecond: Type.Integer(),
});

const options = Value.Parse(Options, JSON.parse(process.argv[2] ?? ''));
const { connections, requestsASecond, firstSecond } = options;
const protocolVersion = 196_608;
const lastAnswersMsMax = 10_000;
const microsPerSecond = 1_000_000;
const [errorType, readyType] = ['E', 'Z'].map((type) => type.charCodeAt(0));
/** Of all connections: each reads at once what has come into it. */
const received = Buffer.alloc(65_536);
const nothing = Buffer.alloc(0);

class Connection {
  /** Called when the server is ready for the next request, with its error about the last one. */
  answered: (error: string) => void = () => undefined;
  isAnswered = true;
  sentMs = 0;
  readonly #socket: Socket;
  #rest = nothing;
  #error = '';

  constructor() {
    this.#socket = connect({
      host: '127.0.0.1',
      port: options.port,
      noDelay: true,
      onread: {
        buffer: received,
        callback: (length) => {
          this.#read(received.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => {
      failed += 1;
      this.answered(error.message);
    });
  }

  send(request: Uint8Array): void {
    this.isAnswered = false;
    this.sentMs = performance.now();
    this.#socket.write(request);
  }

  /** @throws the server's error. */
  async ask(request: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.answered = (error) => (error === '' ? resolve() : reject(new Error(error)));
    this.send(request);
    await promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Messages: a type, the length of what follows with itself, the content. */
  #read(data: Buffer): void {
    const bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    let at = 0;
    let isReady = false;
    while (bytes.length - at > 4) {
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      if (bytes[at] === errorType) this.#error = bytes.toString('utf8', at, end);
      if (bytes[at] === readyType) isReady = true;
      at = end;
    }
    this.#rest = at === bytes.length ? nothing : Buffer.from(bytes.subarray(at));
    if (!isReady) return;
    const error = this.#error;
    this.#error = '';
    this.isAnswered = true;
    this.answered(error);
  }
}

const waits: number[] = [];
let refused = 0;
let failed = 0;
let sent = 0;
let isSending = false;

/** The prepared requests, and where their times are: those of one lie from its place on to that of the next. */
type Requests = {
  bytes: Buffer;
  parts: Uint8Array[];
  timesFrom: Int32Array;
  timesAt: Int32Array;
  /** Microseconds from the placeholder's second on. */
  offsets: Int32Array;
};

function readRequests(): Requests {
  const bytes = readFileSync(options.requestsPath);
  const parts: Uint8Array[] = [];
  const timesFrom = [0];
  const timesAt: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    const times = bytes.readUInt32LE(at + 4);
    const begin = at + 8 + times * 4;
    for (let i = 0; i < times; i++) timesAt.push(begin + bytes.readUInt32LE(at + 8 + i * 4));
    timesFrom.push(timesAt.length);
    parts.push(bytes.subarray(begin, begin + length));
    at = begin + length;
  }
  const placeholder = options.placeholderSecond * microsPerSecond;
  const offsets = timesAt.map((at) => Number(bytes.readBigInt64BE(at)) - placeholder);
  return {
    bytes,
    parts,
    timesFrom: Int32Array.from(timesFrom),
    timesAt: Int32Array.from(timesAt),
    offsets: Int32Array.from(offsets),
  };
}

function sendNext(connection: Connection, requests: Requests): void {
  const { bytes, parts, timesFrom, timesAt, offsets } = requests;
  const number = sent % parts.length;
  const second = firstSecond + Math.floor(sent / requestsASecond);
  sent += 1;
  const to = timesFrom[number + 1] ?? 0;
  for (let i = timesFrom[number] ?? 0; i < to; i++) {
    const micros = second * microsPerSecond + (offsets[i] ?? 0);
    const high = Math.floor(micros / 2 ** 32);
    const at = timesAt[i] ?? 0;
    bytes.writeUInt32BE(high, at);
    bytes.writeUInt32BE(micros - high * 2 ** 32, at + 4);
  }
  connection.send(parts[number] ?? nothing);
}

async function open(): Promise<Connection> {
  const connection = new Connection();
  const { user, settings, statementName, statement } = options;
  const writer = new MessageWriter();
  // The first message has no type.
  writer.begin('');
  writer.int32(protocolVersion);
  for (const text of ['user', user, 'database', 'postgres', 'options', settings, '']) {
    writer.text(text);
  }
  writer.end();
  await connection.ask(writer.take().bytes);
  if (statement !== '') {
    writer.begin('P');
    writer.text(statementName);
    writer.text(statement);
    // The server finds out the types of the parameters.
    writer.int16(0);
    writer.end();
    writer.begin('S');
    writer.end();
    await connection.ask(writer.take().bytes);
  }
  return connection;
}

async function run(opened: Connection[], requests: Requests) {
  for (const connection of opened) {
    connection.answered = (error) => {
      if (!isSending) return;
      waits.push(performance.now() - connection.sentMs);
      if (error !== '') refused += 1;
      sendNext(connection, requests);
    };
  }
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  isSending = true;
  for (const connection of opened) sendNext(connection, requests);
  await delay(options.seconds * 1_000);
  isSending = false;
  const elapsedMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { elapsedMs, cpuMs: (user + system) / 1_000 };
}

const requests = readRequests();
const opened: Connection[] = [];
for (let at = 0; at < connections; at++) opened.push(await open());
const { elapsedMs, cpuMs } = await run(opened, requests);
const deadlineMs = performance.now() + lastAnswersMsMax;
while (opened.some(({ isAnswered }) => !isAnswered) && performance.now() < deadlineMs)
  await delay(5);
for (const connection of opened) connection.close();

printSummary(waits, elapsedMs, {
  refused,
  errors: failed + opened.filter(({ isAnswered }) => !isAnswered).length,
  cpuMs: Math.round(cpuMs),
});
