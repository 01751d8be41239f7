import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, errors, request } from 'undici';
import { AnswerError, ApiError, ConnectionError } from './errors.ts';
import type { Shape } from './shape.ts';

/** Tries of a read in all, and the longest that a server may ask to wait between two. */
const triesMax = 4;
const retryWaitMsMax = 30_000;
const retryWaitMsFirst = 500;

/** An error's text is short; this much of an answer is looked at. */
const errorBytesMax = 64 * 1024;

const connectMsMax = 10_000;
const headersMsMax = 120_000;

/** Who asks: a user by token or API key, or a thing by one of its keys. */
export type Credential = { scheme: 'Bearer' | 'Thing' | 'External'; value: string };

export type QueryValue = string | number | boolean | object | undefined;

export type Ask = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
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

  /** What a refusal says that came outside of this transport. */
  refusalOf(url: string, answer: IncomingMessage): Promise<ApiError> {
    const { statusCode = 0, headers } = answer;
    return errorOf(url, { statusCode, headers, body: answer });
  }

  /** The JSON of an answer. */
  async json<Type extends object>(ask: Ask, shape: Shape<Type>): Promise<Type> {
    const answer = await this.open(ask);
    return this.read(ask.url, await textOf(ask, answer), shape);
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

  /** Asks for what has no answer but its status; the id from `Location` where there is one. */
  async done(ask: Ask): Promise<string | undefined> {
    const answer = await this.open(ask);
    await textOf(ask, answer);
    const { location } = answer.headers;
    return typeof location === 'string' ? location.split('/').at(-1) : undefined;
  }

  /** Asks for what is created under an id of the server's. */
  async created(ask: Ask): Promise<string> {
    const id = await this.done(ask);
    if (id === undefined || id === '') {
      throw new AnswerError(originOf(ask.url), 'without a Location');
    }
    return id;
  }

  /** The answer with its body still to come. Only a success comes back. */
  async open(ask: Ask): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#send(ask);
      if (answer.statusCode < 300 || answer.statusCode === ask.orStatus) return answer;
      const error = await errorOf(ask.url, answer);
      const waitMs = waitBefore(attempt, error);
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
function waitBefore(attempt: number, error: ApiError): number | undefined {
  if (attempt >= triesMax || (error.status !== 429 && error.status !== 503)) return undefined;
  const asked = error.retryAfterSeconds;
  if (asked === undefined) return retryWaitMsFirst * 2 ** (attempt - 1);
  return asked * 1_000 > retryWaitMsMax ? undefined : asked * 1_000;
}

async function textOf(ask: Ask, answer: Answer): Promise<string> {
  try {
    return await answer.body.text();
  } catch (error) {
    throw new ConnectionError(originOf(ask.url), error);
  }
}

/** An answer as far as a refusal is read from it. */
type Refusal = Pick<Answer, 'statusCode' | 'headers'> & { body: AsyncIterable<Uint8Array> };

async function errorOf(url: string, answer: Refusal): Promise<ApiError> {
  const retryAfter = Number(answer.headers['retry-after']);
  const header = answer.headers['x-request-id'];
  const { error, code, request_id: requestId = header } = await errorBodyOf(url, answer);
  return new ApiError(
    answer.statusCode,
    typeof error === 'string' ? error : `the server answered ${answer.statusCode}`,
    {
      ...(Number.isFinite(retryAfter) && retryAfter >= 0 ? { retryAfterSeconds: retryAfter } : {}),
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof requestId === 'string' ? { requestId } : {}),
    },
  );
}

/** The server's `error`, and what stands beside it. */
async function errorBodyOf(url: string, answer: Refusal): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > errorBytesMax) break;
      chunks.push(part);
    }
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return { ...Object(body) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new ConnectionError(originOf(url), error);
    return {};
  }
}

function withQuery({ url, query = {} }: Ask): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const one of value) parameters.append(name, String(one));
    else parameters.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  const text = parameters.toString();
  return text === '' ? url : `${url}?${text}`;
}

export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Whether a stream broke because the connection did. */
export function isBroken(error: unknown): boolean {
  return error instanceof errors.SocketError || error instanceof errors.BodyTimeoutError;
}
