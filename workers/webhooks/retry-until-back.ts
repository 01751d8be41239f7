import type { Logger } from '../../infra/runtime/process/logger.ts';
import { sleep } from '../../infra/runtime/process/poll.ts';

const retryMs = 500;

/** Asks Postgres, again and again while it is away. Undefined when `stopping` came first. */
export async function retryUntilBack<Result>(
  ask: () => Promise<Result>,
  log: Logger,
  stopping: AbortSignal,
): Promise<Result | undefined> {
  for (let isFirst = true; !stopping.aborted; isFirst = false) {
    try {
      return await ask();
    } catch (error) {
      if (isFirst) log.warn({ error }, 'webhooks wait: Postgres is away');
      await sleep(retryMs, stopping);
    }
  }
  return undefined;
}
