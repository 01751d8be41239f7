import { sleep } from './sleep.ts';

type PollOptions = {
  /** From the end of one step to the start of the next. */
  everyMs: number;
  /** The same after a step that found nothing at all; `everyMs` if not given. */
  restMs?: number;
  /** The same after a step that failed; `everyMs` if not given. */
  retryMs?: number;
  /** Called for the first of several failures in a row. */
  onFailure: (error: unknown) => void;
};

/** `more`: the next step follows without a pause. `nothing`: this one found nothing to do. */
export type Polled = 'more' | 'some' | 'nothing';

/**
 * Runs `step` now and repeatedly.
 *
 * @returns how to stop, which waits for the step under way.
 */
export function startPolling(
  step: (stopping: AbortSignal) => Promise<Polled | void>,
  { everyMs, restMs = everyMs, retryMs = everyMs, onFailure }: PollOptions,
): () => Promise<void> {
  const stopping = new AbortController();

  async function poll(): Promise<void> {
    let hasFailed = false;
    while (!stopping.signal.aborted) {
      let pauseMs = everyMs;
      try {
        const polled = await step(stopping.signal);
        hasFailed = false;
        if (polled === 'more') continue;
        if (polled === 'nothing') pauseMs = restMs;
      } catch (error) {
        if (!hasFailed) onFailure(error);
        hasFailed = true;
        pauseMs = retryMs;
      }
      await sleep(pauseMs, stopping.signal);
    }
  }

  const ended = poll();
  return () => {
    stopping.abort();
    return ended;
  };
}
