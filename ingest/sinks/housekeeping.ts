import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Log } from '../log/log.ts';
import type { Sinks } from './sinks.ts';

const everyMs = 1_000;

/** Frees, once a second, what every sink has passed: segments on the disk, and their commit times. */
export function startHousekeeping(log: Log, sinks: Sinks, logger: Logger): { stop: () => void } {
  let fails = false;

  async function deletePassed(): Promise<void> {
    try {
      await log.deletePassed();
      fails = false;
    } catch (error) {
      if (!fails) logger.warn({ error }, 'could not delete a log segment; it is tried again');
      fails = true;
    }
  }

  const timer = setInterval(() => {
    const slowest = sinks.slowest();
    if (slowest !== undefined) log.commitTimes.forgetBefore(slowest);
    void deletePassed();
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}
