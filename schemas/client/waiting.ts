import { errors } from 'undici';
import { ApiError, ConnectionError } from './errors.ts';

export const waitMsFirst = 1_000;
export const waitMsMax = 30_000;

/** Whether a stream broke because the connection did. */
export function isBroken(error: unknown): boolean {
  return error instanceof errors.SocketError || error instanceof errors.BodyTimeoutError;
}

/** Whether what ended a connection may be over the next time. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof ConnectionError || isBroken(error);
}

/** As long as the server asks; else longer after each failure, and not at the same moment as everybody else. */
export function waitBefore(failures: number, firstMs: number, error: unknown): number {
  if (error instanceof ApiError && error.retryAfterSeconds !== undefined) {
    return Math.min(error.retryAfterSeconds * 1_000, waitMsMax);
  }
  const capped = Math.min(firstMs * 2 ** Math.min(failures, 10), waitMsMax);
  return capped * (0.5 + Math.random() / 2);
}
