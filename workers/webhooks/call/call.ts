import { type Dispatcher, errors } from 'undici';
import { createClock } from '../admission/clock.ts';
import { AddressRefused, type Agents } from './dial.ts';
import { answerBytesMax, keptAnswerBytesMax, tryMsMax } from '../limits.ts';

/** One POST. */
export type Call = {
  origin: string;
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body: Buffer;
};

/** What became of it: a status, or why there is none. */
export type Answer = {
  durationMs: number;
  /** Its first bytes. */
  body: Buffer;
} & ({ status: number; retryAfter: string | undefined } | { status: undefined; why: NoAnswer });

/** `what` is told to who owns the webhook. */
export type NoAnswer = {
  kind: 'stopped' | 'timed out' | 'not allowed' | 'not sent' | 'no connection' | 'broken off';
  what: string;
};

const stopped: NoAnswer = { kind: 'stopped', what: 'this process was stopped' };
const timedOut: NoAnswer = { kind: 'timed out', what: `no whole answer within ${tryMsMax} ms` };

const nothing = Buffer.alloc(0);

/** How much later than its time a try may be broken off. */
const clockMs = 100;

/** Makes calls. `breakOff` ends those that are under way, which then have no answer, and is the end. */
export type Caller = { call(request: Call): Promise<Answer>; breakOff(): void };

export function createCaller(agents: Agents): Caller {
  /** Oldest first. */
  const underWay = new Set<Exchange>();
  // One clock for all of them: they all have as long.
  const clock = createClock(() => {
    const longSince = performance.now() - tryMsMax;
    for (const exchange of underWay) {
      if (exchange.startedMs > longSince) break;
      exchange.breakOff(timedOut);
    }
    return underWay.size > 0;
  }, clockMs);
  return {
    call(request) {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      const exchange = new Exchange((answer) => {
        underWay.delete(exchange);
        resolve(answer);
      });
      underWay.add(exchange);
      clock.start();
      try {
        agents.current().dispatch({ method: 'POST', ...request }, exchange);
      } catch (error) {
        exchange.onResponseError(undefined, error);
      }
      return promise;
    },
    breakOff() {
      clock.stop();
      for (const exchange of underWay) exchange.breakOff(stopped);
    },
  };
}

/** One request on its way: gives one answer, and then lets go of the connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly startedMs = performance.now();
  readonly #resolve: (answer: Answer) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #retryAfter: string | undefined;
  #kept: Buffer[] = [];
  #bytes = 0;

  constructor(resolve: (answer: Answer) => void) {
    this.#resolve = resolve;
  }

  /** Ends it from outside. */
  breakOff(why: NoAnswer): void {
    this.#settle({ status: undefined, why });
    this.#controller?.abort(new Error(why.what));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('nobody waits for it'));
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController): void {
    controller.abort(new Error('nobody asked for an upgrade'));
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
    const room = keptAnswerBytesMax - this.#bytes;
    // A copy: a view would keep the whole chunk.
    if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += chunk.length;
    if (this.#bytes <= answerBytesMax) return;
    this.onResponseEnd();
    controller.abort(new Error('that is enough'));
  }

  onResponseEnd(): void {
    this.#settle({ status: this.#status, retryAfter: this.#retryAfter });
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#settle({ status: undefined, why: nameOf(error) });
  }

  #settle(
    outcome:
      | { status: number; retryAfter: string | undefined }
      | { status: undefined; why: NoAnswer },
  ): void {
    if (this.#settled) return;
    this.#settled = true;
    const durationMs = Math.round(performance.now() - this.startedMs);
    const body = this.#kept.length === 0 ? nothing : Buffer.concat(this.#kept);
    this.#resolve({ ...outcome, durationMs, body });
  }
}

/** Gives what went wrong a name, by its code; of the text, which may tell what lies within, nothing. */
function nameOf(error: unknown): NoAnswer {
  if (error instanceof AddressRefused) {
    return { kind: 'not allowed', what: 'the address of the host is not allowed' };
  }
  const causes = error instanceof AggregateError ? error.errors : [error];
  const code = String(Object(causes[0]).code ?? '');
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return { kind: 'timed out', what: 'no connection in time' };
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { kind: 'no connection', what: 'the host was not found' };
    case 'ECONNREFUSED':
      return { kind: 'no connection', what: 'the connection was refused' };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { kind: 'no connection', what: 'the host can not be reached' };
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
    case 'ERR_INVALID_URL':
      return { kind: 'not sent', what: 'its URL or its headers can not be sent' };
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return { kind: 'broken off', what: 'the connection was closed' };
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { kind: 'broken off', what: 'the head of the answer was too long' };
    default:
      break;
  }
  if (error instanceof errors.HTTPParserError) {
    return { kind: 'broken off', what: 'the answer was not HTTP' };
  }
  if (/CERT|SSL|TLS|ISSUER|SIGNATURE|EPROTO|HOSTNAME/.test(code)) {
    return { kind: 'no connection', what: `TLS failed: ${code}` };
  }
  return { kind: 'broken off', what: code === '' ? 'it failed' : `it failed: ${code}` };
}
