import { setTimeout as delay } from 'node:timers/promises';

const againMsMin = 10;
const againMsMax = 500;

/**
 * Tries until `check` neither throws nor gives false, and gives what it gave. A test never sleeps: it
 * waits for what it is waiting for. The longer that takes the rarer it looks, which is work as well.
 *
 * @throws what the last try threw, when `timeoutMs` have passed.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  timeoutMs = 30_000,
  againMs?: number,
): Promise<T> {
  const beganMs = performance.now();
  for (;;) {
    let failure: unknown = new Error('it never came true');
    try {
      const result = await check();
      if (result !== false) return result;
    } catch (error) {
      failure = error;
    }
    const passedMs = performance.now() - beganMs;
    if (passedMs > timeoutMs) throw failure;
    await delay(againMs ?? Math.min(Math.max(againMsMin, passedMs / 2), againMsMax));
  }
}
