import type { Logger } from '../../infra/runtime/process/logger.ts';
import { before } from '../log/format.ts';
import type { Log } from '../log/log.ts';
import type { Sinks } from './sinks.ts';

const everyMs = 1_000;

/**
 * Once a second, while the log grows, lets sinks that rest pass what is of other formats. And frees what every sink has
 * passed: segments on the disk, and their commit times.
 */
export function startHousekeeping<Waiter>(
  log: Log<Waiter>,
  sinks: Sinks,
  logger: Logger,
): { stop: () => void } {
  let fails = false;
  let seen = log.positions.committed();

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
    const committed = log.positions.committed();
    if (before(seen, committed)) log.positions.wake();
    seen = committed;
    const slowest = sinks.slowest();
    if (slowest !== undefined) log.commitTimes.forgetBefore(slowest);
    void deletePassed();
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}
