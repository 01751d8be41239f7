import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Credential } from './credential.ts';
import { AnswerError, ApiError, ConnectionError } from './errors.ts';
import { having } from './shape.ts';
import { originOf, type Transport } from './transport.ts';
import { isPassing, waitBefore, waitMsFirst } from './waiting.ts';

export type StreamOptions = {
  contentType?: string;
  /** Messages that are on the server's disk, all together. */
  onAcknowledged?: (count: number) => void;
  /** A message that the server refuses for good; the first is number 1. */
  onRefused?: (number: number, error: ApiError) => void;
  /** The connection was lost, and is made again after a while. */
  onLost?: (error: unknown, waitMs: number) => void;
  /** Ends it, though there is more. */
  signal?: AbortSignal;
};

/** The bytes that may be on their way, where each message counts a little more than it has; and those of one frame. */
const windowBytes = 256 * 1024;
const frameBytesMax = 64 * 1024;
const messageCost = 64;
const lengthBytes = 4;
const bodyBytesMax = frameBytesMax - lengthBytes;
const tooLarge = `a message of a stream has at most ${bodyBytesMax} bytes`;

/** The server asks a silent client every minute whether it lives. */
const silenceMsMax = 120_000;
const handshakeMsMax = 30_000;

/** The reasons to close a stream that the next connection would meet as well. */
const codesForGood = new Set([1007, 1008, 1009]);

type Message = {
  number: number;
  body: Uint8Array;
  /** Why it was refused; or that it is to be sent again. */
  refused: ApiError | 'again' | undefined;
};

const ack = having<{ ack: number }>('ack');
type Refusal = {
  from: number;
  to: number;
  status: number;
  error: string;
  code: string;
  retry_after?: number;
};
const refusal = having<{ refused: Refusal }>('refused');

/**
 * Sends messages over streams, one stream after the other: what is not acknowledged when a connection is lost is sent
 * again over the next one. A message may be stored twice then, if its ack was lost.
 */
export class MessageStream {
  readonly #transport: Transport;
  readonly #url: string;
  readonly #as: Credential;
  readonly #options: StreamOptions;
  readonly #source: AsyncIterator<readonly Uint8Array[]>;

  /** Messages to be sent, and those that were sent and have no answer, each in order. */
  #waiting: Message[] = [];
  #underWay: Message[] = [];
  #bytesUnderWay = 0;
  #read = 0;
  #hasEnded = false;
  #isReading = false;
  /** The error of the source. */
  #failed: Error | undefined;
  #acknowledged = 0;
  /** Nothing is sent before then (ms): the server asked to wait. */
  #notBefore = 0;

  // Of the connection that there is.
  #socket: WebSocket | undefined;
  #answered = 0;
  #lost: Error | undefined;
  /** Something has happened. */
  #changed = Promise.withResolvers<void>();

  constructor(
    transport: Transport,
    url: string,
    as: Credential,
    source: AsyncIterable<readonly Uint8Array[]>,
    options: StreamOptions,
  ) {
    this.#transport = transport;
    this.#url = url;
    this.#as = as;
    this.#options = options;
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Sends all that the source gives. Gives how many messages the server has. @throws for what the server refuses of the stream itself. */
  async sendAll(): Promise<number> {
    const { signal, onLost } = this.#options;
    const stop = () => this.#change();
    signal?.addEventListener('abort', stop);
    try {
      for (let failures = 0; ; ) {
        const before = this.#acknowledged;
        try {
          await this.#sendOver(await this.#open());
          return this.#acknowledged;
        } catch (error) {
          if (signal?.aborted === true || !isPassing(error)) throw error;
          if (this.#acknowledged > before) failures = 0;
          const waitMs = waitBefore(failures++, waitMsFirst, error);
          onLost?.(error, waitMs);
          await delay(waitMs, undefined, signal === undefined ? {} : { signal });
        }
        for (const message of this.#underWay) message.refused = undefined;
        this.#waiting = [...this.#underWay, ...this.#waiting];
        this.#underWay = [];
        this.#bytesUnderWay = 0;
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      // Not waited for: what gives the messages may wait itself.
      void this.#source.return?.();
    }
  }

  async #sendOver(socket: WebSocket): Promise<void> {
    try {
      for (;;) {
        this.#options.signal?.throwIfAborted();
        if (this.#failed !== undefined) throw this.#failed;
        if (this.#lost !== undefined) throw this.#lost;
        this.#changed = Promise.withResolvers();
        const waitMs = this.#notBefore - performance.now();
        const frame = waitMs > 0 ? undefined : this.#nextFrame();
        if (frame !== undefined) {
          socket.send(frame);
          continue;
        }
        if (this.#waiting.length === 0 && this.#hasEnded && this.#underWay.length === 0) return;
        if (this.#waiting.length === 0 && !this.#hasEnded) void this.#readMore();
        const timer = waitMs > 0 ? setTimeout(() => this.#change(), waitMs) : undefined;
        await this.#changed.promise;
        clearTimeout(timer);
      }
    } finally {
      socket.close(1000);
      setTimeout(() => socket.terminate(), 1_000).unref();
    }
  }

  /** The next messages that fit the window and one frame. */
  #nextFrame(): Buffer | undefined {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    let taken = 0;
    for (const { body } of this.#waiting) {
      const { length } = body;
      const more = lengthBytes + length;
      const cost = messageCost + length;
      if (bytes + more > frameBytesMax || this.#bytesUnderWay + cost > windowBytes) break;
      const head = Buffer.alloc(lengthBytes);
      head.writeUInt32BE(length);
      parts.push(head, body);
      bytes += more;
      this.#bytesUnderWay += cost;
      taken += 1;
    }
    if (taken === 0) return undefined;
    this.#underWay.push(...this.#waiting.splice(0, taken));
    return Buffer.concat(parts, bytes);
  }

  async #readMore(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const { done, value } = await this.#source.next();
      if (done === true) this.#hasEnded = true;
      else for (const body of value) this.#take(body);
    } catch (error) {
      this.#failed = error instanceof Error ? error : new Error(String(error));
    }
    this.#isReading = false;
    this.#change();
  }

  #take(body: Uint8Array): void {
    const number = ++this.#read;
    if (body.length <= bodyBytesMax) this.#waiting.push({ number, body, refused: undefined });
    else this.#options.onRefused?.(number, new ApiError(413, tooLarge, { code: 'too_large' }));
  }

  #received(data: string): void {
    const value: unknown = JSON.parse(data);
    if (ack.fits(value)) this.#acknowledge(value.ack);
    else if (refusal.fits(value)) this.#refuse(value.refused);
    this.#change();
  }

  /** All messages of this connection up to this one are answered. */
  #acknowledge(upTo: number): void {
    const answered = this.#underWay.splice(0, upTo - this.#answered);
    this.#answered = upTo;
    const again: Message[] = [];
    for (const message of answered) {
      const { refused, number, body } = message;
      this.#bytesUnderWay -= messageCost + body.length;
      if (refused === undefined) this.#acknowledged += 1;
      else if (refused === 'again') again.push({ ...message, refused: undefined });
      else this.#options.onRefused?.(number, refused);
    }
    if (again.length > 0) this.#waiting = [...again, ...this.#waiting];
    this.#options.onAcknowledged?.(this.#acknowledged);
  }

  /** These messages are not kept; an ack follows. */
  #refuse({ from, to, status, error, code, retry_after: seconds }: Refusal): void {
    const isPassingOne = status === 429 || status === 503;
    if (isPassingOne) this.#notBefore = performance.now() + (seconds ?? 1) * 1_000;
    const refused = isPassingOne ? 'again' : new ApiError(status, error, { code });
    const first = from - this.#answered - 1;
    for (const message of this.#underWay.slice(first, to - this.#answered)) {
      message.refused = refused;
    }
  }

  #change(): void {
    this.#changed.resolve();
  }

  #lose(socket: WebSocket, error: Error): void {
    if (socket !== this.#socket) return;
    this.#lost ??= error;
    this.#change();
  }

  /** @throws ApiError, ConnectionError */
  async #open(): Promise<WebSocket> {
    const { contentType = 'application/senml+json', signal } = this.#options;
    const socket = new WebSocket(this.#url.replace(/^http/, 'ws'), {
      headers: {
        authorization: `${this.#as.scheme} ${this.#as.value}`,
        'content-type': contentType,
      },
      handshakeTimeout: handshakeMsMax,
      perMessageDeflate: false,
      rejectUnauthorized: this.#transport.checksCertificates,
    });
    this.#socket = socket;
    this.#answered = 0;
    this.#lost = undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const origin = originOf(this.#url);
    const stop = () => socket.terminate();
    const silence = setTimeout(stop, silenceMsMax);
    socket
      .on('open', resolve)
      .on('unexpected-response', (_request, answer) => {
        const refused = this.#transport.refusalOf(this.#url, answer);
        void refused.then(reject, reject).finally(() => socket.terminate());
      })
      .on('ping', () => silence.refresh())
      .on('error', (error) => {
        reject(new ConnectionError(origin, error));
        this.#lose(socket, new ConnectionError(origin, error));
      })
      .on('close', (code, reason) => {
        clearTimeout(silence);
        reject(new ConnectionError(origin, new Error('closed before it was open')));
        signal?.removeEventListener('abort', stop);
        this.#lose(socket, closedWith(origin, code, String(reason)));
      });
    socket.addEventListener('message', ({ data }) => {
      silence.refresh();
      if (typeof data === 'string' && socket === this.#socket) this.#received(data);
    });
    signal?.addEventListener('abort', stop, { once: true });
    await promise;
    return socket;
  }
}

/** The error that the close of a stream stands for: it may be over the next time, or the next connection would meet it too. */
function closedWith(origin: string, code: number, reason: string): Error {
  if (code >= 4_400 && code < 4_600) {
    const text = `the server has closed the stream: ${reason}`;
    return new ApiError(code - 4_000, text, { code: reason });
  }
  if (codesForGood.has(code)) return new AnswerError(origin, `by closing the stream: ${reason}`);
  return new ConnectionError(origin, new Error(`the stream was closed (${code}) ${reason}`.trim()));
}
