import type {
  Answers,
  OperationName,
  Requests,
} from '../../../../schemas/client/generated/types.ts';
import type { Asked } from './asked.ts';
import { address, type Parameters } from './address.ts';
import { Failure, failureOf } from './failure.ts';
import { places } from '../../../../schemas/client/generated/places.ts';
import { endSession } from './session.ts';

export type * from '../../../../schemas/client/generated/types.ts';

/** A read that the API puts off is asked again this often, unless it would have to wait for longer. */
const triesMax = 3;
const waitMsMax = 5_000;

type Given = { path?: Readonly<Record<string, string>>; query?: Parameters; body?: unknown };

/**
 * Calls an operation of the public API, by its name in the API's document. The types of the answer are the API's word,
 * by its own schemas.
 *
 * @throws Failure, and `AbortError` once `signal` has ended it
 */
export function call<Name extends Exclude<OperationName, Asked>>(
  name: Name,
  request: Requests[Name],
  signal?: AbortSignal,
): Promise<Answers[Name]>;
export function call(name: OperationName, request: Given, signal?: AbortSignal): Promise<unknown> {
  return ask(name, request, signal);
}

/** The same for what a person is asked about first: only `Question` calls it. */
export function callAsked<Name extends Asked>(
  name: Name,
  request: Requests[Name],
): Promise<Answers[Name]>;
export function callAsked(name: Asked, request: Given): Promise<unknown> {
  return ask(name, request, undefined);
}

async function ask(
  name: OperationName,
  request: Given,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const [method, pattern] = places[name];
  const { path = {}, query = {}, body } = request;
  const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, id: string) =>
    encodeURIComponent(path[id] ?? ''),
  );
  for (let tries = 1; ; tries++) {
    const response = await send(address(filled, query), method, body, signal);
    if (response.ok) return read(response);
    const failure = await failureOf(response);
    if (response.status === 401) endSession();
    const waitMs = (failure.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    const isPutOff = response.status === 429 || response.status === 503;
    if (method !== 'GET' || !isPutOff || tries === triesMax || waitMs > waitMsMax) throw failure;
    await pause(waitMs, signal);
  }
}

async function send(
  url: string,
  method: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TypeError) throw new Failure('', { status: 0 });
    throw error;
  }
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}
