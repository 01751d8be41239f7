import type { Logger } from '../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../infra/runtime/process/poll.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { OrgMeters } from './org-meters.ts';
import { addUsage } from './sql.ts';

type UsageLimits = { usageEveryMs: number; usageOrgsAtOnceMax: number };

/**
 * Tells the database now and then what orgs have sent, and learns their quotas. While it is away, counts are kept. What
 * was told without an answer is told again, and may then be counted twice; what a killed edge has not told is lost.
 *
 * @returns how to stop, which tells the rest.
 */
export function startUsage(
  pool: Pool,
  meters: OrgMeters,
  { usageEveryMs, usageOrgsAtOnceMax }: UsageLimits,
  logger: Logger,
): () => Promise<void> {
  async function tell(): Promise<Polled> {
    const taken = meters.take(usageOrgsAtOnceMax);
    if (taken.length === 0) return 'nothing';
    try {
      meters.learn(await addUsage(pool, taken), taken);
    } catch (error) {
      meters.giveBack(taken);
      throw error;
    }
    return taken.length === usageOrgsAtOnceMax ? 'more' : 'some';
  }

  const onFailure = (error: unknown) => logger.warn({ error }, 'what orgs send is not counted yet');
  const stop = startPolling(tell, { everyMs: usageEveryMs, onFailure });
  return async () => {
    await stop();
    try {
      while ((await tell()) === 'more');
    } catch (error) {
      onFailure(error);
    }
  };
}
