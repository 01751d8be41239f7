import { Agent, request } from 'undici';
import { system } from '../system.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An answer of the API. `text` is the body as it came. */
export type Answer = { status: number; headers: Record<string, unknown>; text: string };

export type Ask = {
  /** The whole `Authorization` header. */
  as?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  /** The loopback address the request comes from: limits count by it. */
  from?: string;
};

const agents = new Map<string, Agent>();

const walls = new Map<string, readonly string[]>();

/** From now on, an answer to this caller that holds any of these texts is a failure. */
export function wallOff(as: string, texts: readonly string[]): void {
  walls.set(as, texts);
}

function mustBeWithin(as: string, what: string, answer: Answer): void {
  const texts = walls.get(as);
  if (texts === undefined) return;
  const received = `${JSON.stringify(answer.headers)}\n${answer.text}`;
  const leaked = texts.find((text) => received.includes(text));
  if (leaked !== undefined) throw new Error(`${what} shows ${leaked}: ${answer.text}`);
}

function agentFrom(address: string): Agent {
  const agent = agents.get(address) ?? new Agent({ localAddress: address });
  agents.set(address, agent);
  return agent;
}

/** One request to the API of the shared system. */
export async function call(method: Method, path: string, ask: Ask = {}): Promise<Answer> {
  const body = ask.raw ?? (ask.body === undefined ? null : JSON.stringify(ask.body));
  const {
    statusCode,
    headers,
    body: stream,
  } = await request(`${system().apiUrl}${path}`, {
    method,
    dispatcher: agentFrom(ask.from ?? '127.0.0.1'),
    headers: {
      ...(ask.as === undefined ? {} : { authorization: ask.as }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...ask.headers,
    },
    body,
  });
  const isEndless = headers['content-type'] === 'text/event-stream';
  const text = isEndless ? await firstOf(stream) : await stream.text();
  const answer = { status: statusCode, headers, text };
  if (ask.as !== undefined) mustBeWithin(ask.as, `${method} ${path}`, answer);
  return answer;
}

/** The first words of what has no end; the rest is not waited for. */
async function firstOf(stream: AsyncIterable<Buffer>): Promise<string> {
  for await (const words of stream) return words.toString('utf8');
  return '';
}

/** The JSON of an answer. */
export function json(answer: Answer): unknown {
  return JSON.parse(answer.text);
}

/** What stands at a path of members and indexes in an answer's JSON. */
export function at(answer: Answer, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((value, name) => Object(value)[name], json(answer));
}

/** A string in an answer's JSON. */
export function textAt(answer: Answer, ...path: (string | number)[]): string {
  const value = at(answer, ...path);
  if (typeof value !== 'string') throw new Error(`no ${path.join('.')} in ${answer.text}`);
  return value;
}
