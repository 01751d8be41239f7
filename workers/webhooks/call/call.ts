import type { Dispatcher } from 'undici';
import { BusyInterval } from '../../../infra/runtime/process/busy-interval.ts';
import { limits } from '../../limits.ts';
import type { Agents } from './dial.ts';
import { type CallFailure, failureOf, stopped, timedOut } from './failures.ts';

/** One POST. */
export type Call = {
  origin: string;
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body: Buffer;
};

/** The result of a call. `body` holds the first bytes of the response, also of one that was cut off. */
export type CallResult = { durationMs: number; body: Buffer } & (
  | { kind: 'response'; status: number; retryAfter: string | undefined }
  | { kind: 'failure'; failure: CallFailure }
);

/** `breakOff` ends the calls under way, which then fail as stopped. The caller makes no call after it. */
export type Caller = { call(request: Call): Promise<CallResult>; breakOff(): void };

const nothing = Buffer.alloc(0);

/** How much later than its time limit a call may be broken off. */
const lookEveryMs = 100;

export function createCaller(agents: Agents): Caller {
  /** Oldest first. */
  const underWay = new Set<Exchange>();
  // One timer for all of them: they have the same time limit.
  const late = new BusyInterval(() => {
    const startedMsMax = performance.now() - limits.attemptMsMax;
    for (const exchange of underWay) {
      if (exchange.startedMs > startedMsMax) break;
      exchange.breakOff(timedOut);
    }
    return underWay.size > 0;
  }, lookEveryMs);
  return {
    call(request) {
      const { promise, resolve } = Promise.withResolvers<CallResult>();
      const exchange = new Exchange((result) => {
        underWay.delete(exchange);
        resolve(result);
      });
      underWay.add(exchange);
      late.start();
      try {
        agents.current().dispatch({ method: 'POST', ...request }, exchange);
      } catch (error) {
        exchange.onResponseError(undefined, error);
      }
      return promise;
    },
    breakOff() {
      late.stop();
      for (const exchange of underWay) exchange.breakOff(stopped);
    },
  };
}

/** One request and its response: gives one result, and then lets go of the connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly startedMs = performance.now();
  readonly #resolve: (result: CallResult) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isDone = false;
  #status = 0;
  #retryAfter: string | undefined;
  #kept: Buffer[] = [];
  #bytes = 0;

  constructor(resolve: (result: CallResult) => void) {
    this.#resolve = resolve;
  }

  /** Ends it from outside. */
  breakOff(failure: CallFailure): void {
    this.#fail(failure);
    this.#controller?.abort(new Error(failure.what));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isDone) controller.abort(new Error('the call has ended'));
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController): void {
    controller.abort(new Error('an upgrade is not taken'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const retryAfter = headers['retry-after'];
    this.#status = status;
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : undefined;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = limits.keptResponseBytesMax - this.#bytes;
    // A copy: a view would keep the whole chunk.
    if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += chunk.length;
    if (this.#bytes <= limits.responseBytesMax) return;
    this.onResponseEnd();
    controller.abort(new Error('the response is longer than what is read of it'));
  }

  onResponseEnd(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    const { durationMs, body } = this.#end();
    const [status, retryAfter] = [this.#status, this.#retryAfter];
    this.#resolve({ kind: 'response', status, retryAfter, durationMs, body });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#fail(failureOf(error));
  }

  #fail(failure: CallFailure): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#resolve({ kind: 'failure', failure, ...this.#end() });
  }

  #end(): { durationMs: number; body: Buffer } {
    return {
      durationMs: Math.round(performance.now() - this.startedMs),
      body: this.#kept.length === 0 ? nothing : Buffer.concat(this.#kept),
    };
  }
}
