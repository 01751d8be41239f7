import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../infra/runtime/process/logger.ts';

const retryMs = 500;

/** Reads from Postgres, and waits while it is away. Undefined when `signal` says to stop. */
export async function readPatiently<Result>(
  read: () => Promise<Result>,
  log: Logger,
  signal: AbortSignal,
): Promise<Result | undefined> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      return await read();
    } catch (error) {
      if (tries === 0) log.warn({ error }, 'webhooks wait: Postgres can not be read');
      await delay(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
