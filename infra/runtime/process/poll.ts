import { setTimeout as delay } from 'node:timers/promises';

/** Pauses, but not past a stop. */
export async function sleep(ms: number, stopping: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: stopping }).catch(() => undefined);
}

export type PollOptions = {
  /** From the end of one step to the start of the next. */
  everyMs: number;
  /** The same after a step that failed; `everyMs` if not given. */
  retryMs?: number;
  /** Called for the first of several failures in a row. */
  onFailure: (error: unknown) => void;
};

/**
 * Runs `step` now and repeatedly. When a step returns true there is more to do, and the next one follows without a
 * pause.
 *
 * @returns how to stop, which waits for the step under way.
 */
export function startPolling(
  step: (stopping: AbortSignal) => Promise<boolean | void>,
  { everyMs, retryMs = everyMs, onFailure }: PollOptions,
): () => Promise<void> {
  const stopping = new AbortController();

  async function poll(): Promise<void> {
    let hasFailed = false;
    while (!stopping.signal.aborted) {
      try {
        const hasMore = await step(stopping.signal);
        hasFailed = false;
        if (hasMore === true) continue;
      } catch (error) {
        if (!hasFailed) onFailure(error);
        hasFailed = true;
      }
      await sleep(hasFailed ? retryMs : everyMs, stopping.signal);
    }
  }

  const ended = poll();
  return () => {
    stopping.abort();
    return ended;
  };
}
