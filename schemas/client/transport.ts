import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import type { Credential } from './credential.ts';
import { AnswerError, type ApiError, ConnectionError, refusalOf } from './errors.ts';
import type { Method } from './generated/types.ts';
import { parametersOf, type QueryValue } from './request.ts';
import type { Shape } from './shape.ts';
import { waitBefore, waitMsMax } from './waiting.ts';

/** Tries of a read in all. */
const triesMax = 4;
const retryWaitMsFirst = 500;

/** A refusal is short: this much of it is read. */
const errorBytesMax = 64 * 1024;

const connectMsMax = 10_000;
const headersMsMax = 120_000;

export type Ask = {
  method: Method;
  url: string;
  as?: Credential | undefined;
  /** Absent members are left out, lists are repeated, objects become JSON. */
  query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, under `content-type` of `headers`. */
  body?: string | Uint8Array | Readable;
  headers?: Readonly<Record<string, string>>;
  /** Changes nothing, so that it may be asked again where the server asks to wait. */
  reads?: boolean;
  /** The server may work on it for as long as it takes. */
  takesLong?: boolean;
  /** A status that is an answer as well, beside the successes. */
  orStatus?: number;
  signal?: AbortSignal | undefined;
};

export type Answer = Dispatcher.ResponseData;

/** HTTP, with failures as `ApiError`, `ConnectionError` and `AnswerError`. */
export class Transport {
  readonly #agent: Agent;
  readonly #parse: (text: string) => unknown;
  readonly checksCertificates: boolean;

  constructor(options: { insecure?: boolean; parse?: (text: string) => unknown } = {}) {
    this.#parse = options.parse ?? JSON.parse;
    this.checksCertificates = options.insecure !== true;
    this.#agent = new Agent({
      connect: { rejectUnauthorized: this.checksCertificates, timeout: connectMsMax },
      // A stream may be silent for as long as the server has nothing to say.
      bodyTimeout: 0,
    });
  }

  /** Ends what is under way. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** The refusal of an answer that came in another way. */
  refusalOf(url: string, answer: IncomingMessage): Promise<ApiError> {
    const { statusCode = 0, headers } = answer;
    return errorOf(url, { statusCode, headers, body: answer });
  }

  /** The JSON of an answer. */
  async json<Type extends object>(ask: Ask, shape: Shape<Type>): Promise<Type> {
    const { text } = await this.text(ask);
    return this.read(ask.url, text, shape);
  }

  /** JSON that came from `url`. */
  read<Type extends object>(url: string, text: string, shape: Shape<Type>): Type {
    const value = this.#parsed(url, text);
    if (shape.fits(value)) return value;
    throw new AnswerError(originOf(url), 'with something else than was asked for');
  }

  #parsed(url: string, text: string): unknown {
    try {
      return this.#parse(text);
    } catch {
      throw new AnswerError(originOf(url), 'with what is not JSON');
    }
  }

  /** The whole answer. */
  async text(ask: Ask): Promise<{ headers: Answer['headers']; text: string }> {
    const { headers, body } = await this.open(ask);
    try {
      return { headers, text: await body.text() };
    } catch (error) {
      throw new ConnectionError(originOf(ask.url), error);
    }
  }

  /** The answer with its body still to come. Only a success comes back. */
  async open(ask: Ask): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#send(ask);
      if (answer.statusCode < 300 || answer.statusCode === ask.orStatus) return answer;
      const error = await errorOf(ask.url, answer);
      const waitMs = waitBeforeRead(attempt, error);
      if (ask.reads !== true || waitMs === undefined) throw error;
      await delay(waitMs, undefined, ask.signal === undefined ? {} : { signal: ask.signal });
    }
  }

  async #send(ask: Ask): Promise<Answer> {
    const { method, as, json, headers, signal } = ask;
    const body = json === undefined ? (ask.body ?? null) : JSON.stringify(json);
    try {
      return await request(withQuery(ask), {
        method,
        dispatcher: this.#agent,
        headers: {
          accept: 'application/json',
          ...(as === undefined ? {} : { authorization: `${as.scheme} ${as.value}` }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body,
        signal: signal ?? null,
        headersTimeout: ask.takesLong === true ? 0 : headersMsMax,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionError(originOf(ask.url), error);
    }
  }
}

/** How long to wait before a read is asked again; undefined where that is over, or makes no sense. */
function waitBeforeRead(attempt: number, error: ApiError): number | undefined {
  if (attempt >= triesMax || (error.status !== 429 && error.status !== 503)) return undefined;
  if ((error.retryAfterSeconds ?? 0) * 1_000 > waitMsMax) return undefined;
  return waitBefore(attempt - 1, retryWaitMsFirst, error);
}

/** An answer as far as a refusal is read from it. */
type Refusal = Pick<Answer, 'statusCode' | 'headers'> & { body: AsyncIterable<Uint8Array> };

async function errorOf(url: string, answer: Refusal): Promise<ApiError> {
  const { statusCode, headers } = answer;
  return refusalOf(statusCode, (name) => headers[name], await shortTextOf(url, answer));
}

async function shortTextOf(url: string, { body }: Refusal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > errorBytesMax) break;
      chunks.push(part);
    }
  } catch (error) {
    throw new ConnectionError(originOf(url), error);
  }
  return Buffer.concat(chunks).toString();
}

function withQuery({ url, query = {} }: Ask): string {
  const text = parametersOf(query).toString();
  return text === '' ? url : `${url}?${text}`;
}

export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
