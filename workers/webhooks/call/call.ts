import type { Dispatcher } from 'undici';
import type { Tracing } from '../../../infra/runtime/observability/tracing.ts';
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

/** `breakOff` ends the calls under way, which then fail as stopped. The client makes no call after it. */
export type HttpClient = { call(request: Call): Promise<CallResult>; breakOff(): void };

const nothing = Buffer.alloc(0);

/** How much later than its time limit a call may be broken off. */
const lookEveryMs = 100;

export function createHttpClient(agents: Agents): HttpClient {
  /** Oldest first. */
  const underWay = new Set<CallUnderWay>();
  // One timer for all of them: they have the same time limit.
  const late = new BusyInterval(() => {
    const startedMsMax = performance.now() - limits.attemptMsMax;
    for (const running of underWay) {
      if (running.startedMs > startedMsMax) break;
      running.breakOff(timedOut);
    }
    return underWay.size > 0;
  }, lookEveryMs);
  return {
    call(request) {
      const { promise, resolve } = Promise.withResolvers<CallResult>();
      const running = new CallUnderWay((result) => {
        underWay.delete(running);
        resolve(result);
      });
      underWay.add(running);
      late.start();
      try {
        agents.current().dispatch({ method: 'POST', ...request }, running);
      } catch (error) {
        running.onResponseError(undefined, error);
      }
      return promise;
    },
    breakOff() {
      late.stop();
      for (const running of underWay) running.breakOff(stopped);
    },
  };
}

/** Traces each call: where it went, and its result. The receiver gets nothing of the trace. */
export function traceCalls(client: HttpClient, tracing: Tracing | undefined): HttpClient {
  if (tracing === undefined) return client;
  return {
    async call(request) {
      const { host } = new URL(request.origin);
      const traced = tracing.begin('webhook delivery', 'client', {
        'http.request.method': 'POST',
        'server.address': host,
        'millrace.webhook_message_id': headerOf(request.headers, 'webhook-id'),
      });
      const result = await client.call(request);
      if (result.kind === 'failure') traced?.end(true, { 'error.type': result.failure.kind });
      else traced?.end(result.status >= 300, { 'http.response.status_code': result.status });
      return result;
    },
    breakOff: () => client.breakOff(),
  };
}

/** Of names and values in turn. */
function headerOf(headers: readonly string[], name: string): string {
  return headers[headers.indexOf(name) + 1] ?? '';
}

/** One request and its response: gives one result, and then lets go of the connection. */
class CallUnderWay implements Dispatcher.DispatchHandler {
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
