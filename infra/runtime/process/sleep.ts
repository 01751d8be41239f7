import { setTimeout as delay } from 'node:timers/promises';

/** Pauses, but not past a stop. */
export async function sleep(ms: number, stopping: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: stopping }).catch(() => undefined);
}
