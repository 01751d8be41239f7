import { setTimeout as delay } from 'node:timers/promises';

const defaultAgainMs = 25;

/**
 * Tries until `check` neither throws nor gives false, and gives what it gave. A test never sleeps: it
 * waits for what it is waiting for.
 *
 * @throws what the last try threw, when `timeoutMs` have passed.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  timeoutMs = 10_000,
  againMs = defaultAgainMs,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    let failure: unknown = new Error('it never came true');
    try {
      const result = await check();
      if (result !== false) return result;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadlineMs) throw failure;
    await delay(againMs);
  }
}
