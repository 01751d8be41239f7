import { ApiError, ConnectionError } from './errors.ts';
import { isBroken } from './transport.ts';

export const reconnectMsFirst = 1_000;
export const reconnectMsMax = 30_000;

/** Whether what ended a connection may be over the next time. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof ConnectionError || isBroken(error);
}

/** Longer after each failure, and not at the same moment as everybody else. */
export function waitBefore(failures: number, firstMs: number, lost: unknown): number {
  if (lost instanceof ApiError && lost.retryAfterSeconds !== undefined) {
    return Math.min(lost.retryAfterSeconds * 1_000, reconnectMsMax);
  }
  const capped = Math.min(firstMs * 2 ** Math.min(failures, 10), reconnectMsMax);
  return capped * (0.5 + Math.random() / 2);
}
