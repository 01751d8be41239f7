import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';

/** A stream that is being sent. `end` completes what is written, `destroy` does not. */
export type OpenStream = { end: () => void; closed: Promise<void>; destroy: () => void };

/** Server-sent events for one client. */
export class EventStream {
  /** The client reads this. */
  readonly #out = new PassThrough();
  #isOpen = true;
  #writtenAt = performance.now();

  constructor() {
    this.#out.once('close', () => {
      this.#isOpen = false;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether nothing was written for so long that the client may take it for dead. */
  get isQuiet(): boolean {
    return performance.now() - this.#writtenAt >= limits.streamHeartbeatMs;
  }

  /** Writes nothing more; what is written already is still sent. */
  end(): void {
    this.#isOpen = false;
    this.#out.end();
  }

  /** Ends it where its caller may have no more; a failure cuts it off. */
  endFor(error: unknown): void {
    if (error instanceof DomainError) this.end();
    else this.#out.destroy(error instanceof Error ? error : undefined);
  }

  /** Waits while the client reads more slowly. A client that reads nothing is disconnected, and may connect again. */
  async write(text: string): Promise<void> {
    this.#writtenAt = performance.now();
    if (this.#out.write(text)) return;
    const stalled = setTimeout(() => this.#out.destroy(), limits.streamStallMsMax);
    await drained(this.#out);
    clearTimeout(stalled);
  }

  /** Sends it until the client leaves or it ends. */
  send(reply: FastifyReply): OpenStream {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    reply.raw.once('close', resolve);
    if (reply.raw.destroyed) resolve();
    reply.type('text/event-stream').header('x-accel-buffering', 'no');
    void reply.send(this.#out);
    return { closed, end: () => this.end(), destroy: () => reply.raw.destroy() };
  }
}

/** Resolves when there is room again, or it is closed. */
function drained(out: PassThrough): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    out.off('drain', done).off('close', done);
    resolve();
  };
  out.on('drain', done).on('close', done);
  return promise;
}
