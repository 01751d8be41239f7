import { setTimeout as delay } from 'node:timers/promises';

const againMs = 5;

/** Publishes with what was revoked until it is refused. Tells how long after `since` it was accepted last. */
export async function lastAcceptedMs(
  publish: () => Promise<unknown>,
  since: number,
): Promise<number> {
  let last = 0;
  for (;;) {
    const sentAt = performance.now();
    if ((await publish()) !== 202) return last;
    last = sentAt - since;
    await delay(againMs);
  }
}
