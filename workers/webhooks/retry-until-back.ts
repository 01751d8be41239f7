import type { Logger } from '../../infra/runtime/process/logger.ts';
import { sleep } from '../../infra/runtime/process/sleep.ts';
import { postgresFailure } from '../../infra/runtime/stores/postgres-failure.ts';

const retryMs = 500;

/** Asks Postgres, again and again while it fails. Undefined when `stopping` came first. */
export async function retryUntilBack<Result>(
  ask: () => Promise<Result>,
  logger: Logger,
  stopping: AbortSignal,
): Promise<Result | undefined> {
  let told: string | undefined;
  while (!stopping.aborted) {
    try {
      return await ask();
    } catch (error) {
      const { decision, code, reason } = postgresFailure(error);
      if (decision !== told && decision === 'retry') {
        logger.warn({ code, error: reason }, 'webhooks wait: Postgres is away');
      } else if (decision !== told) {
        logger.error({ code, error: reason }, 'webhooks wait for a reason that is not known');
      }
      told = decision;
      await sleep(retryMs, stopping);
    }
  }
  return undefined;
}
