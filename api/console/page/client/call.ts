import type {
  Answers,
  OperationName,
  Requests,
} from '../../../../schemas/client/generated/types.ts';
import type { Asked } from './asked.ts';
import { type AnyRequest, isRead, routeOf } from '../../../../schemas/client/request.ts';
import { urlOf } from './url.ts';
import { refusalIn, send } from './send.ts';
import { endSession } from './session.ts';

export type * from '../../../../schemas/client/generated/types.ts';

/** A read that the API puts off is asked again this often, unless it would have to wait for longer. */
const triesMax = 3;
const waitMsMax = 5_000;

/**
 * Calls an operation of the public API, by its name in the API's document. The types of the answer are the API's word,
 * by its own schemas.
 *
 * @throws ApiError, ConnectionError, and `AbortError` once `signal` has ended it
 */
export function call<Name extends Exclude<OperationName, Asked>>(
  name: Name,
  request: Requests[Name],
  signal?: AbortSignal,
): Promise<Answers[Name]>;
export async function call(
  name: OperationName,
  request: AnyRequest,
  signal?: AbortSignal,
): Promise<unknown> {
  return valueOf(await ask(name, request, signal));
}

/** The answer as it is written, for what reads it in another way. */
export const callForText = (
  name: Exclude<OperationName, Asked>,
  request: AnyRequest,
  signal?: AbortSignal,
): Promise<string> => ask(name, request, signal);

/** The same for what a person is asked about first: only `Question` calls it. */
export function callAsked<Name extends Asked>(
  name: Name,
  request: Requests[Name],
): Promise<Answers[Name]>;
export async function callAsked(name: Asked, request: AnyRequest): Promise<unknown> {
  return valueOf(await ask(name, request, undefined));
}

async function ask(
  name: OperationName,
  { path, query = {}, body }: AnyRequest,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { method, path: filled } = routeOf(name, path);
  for (let tries = 1; ; tries++) {
    const response = await send(urlOf(filled, query), method, body, signal);
    if (response.ok) return response.text();
    const refusal = await refusalIn(response);
    if (response.status === 401) endSession();
    const waitMs = (refusal.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    const isPutOff = response.status === 429 || response.status === 503;
    if (!isRead(name) || !isPutOff || tries === triesMax || waitMs > waitMsMax) throw refusal;
    await pause(waitMs, signal);
  }
}

const valueOf = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}
