import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { Counter, type Registry } from '../../../infra/runtime/observability/metrics.ts';
import { startPolling } from '../../../infra/runtime/process/poll.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import { closeExpired, deleteOldCommands } from './sql.ts';

/** Closes commands that expire, and keeps old ones for so many days. Gives how to stop. */
export function startCleaningCommands(
  db: Database,
  days: number,
  metrics: Registry,
  logger: Logger,
): () => Promise<void> {
  const expired = new Counter({
    name: 'millrace_commands_expired_total',
    help: 'Commands that expired before their things acknowledged them',
    registers: [metrics],
  });
  let deletedAt = -Infinity;
  return startPolling(
    async () => {
      const closed = await closeExpired(db);
      if (closed > 0) expired.inc(closed);
      if (closed === limits.commandsAtOnce) return 'more';
      if (performance.now() - deletedAt < limits.commandsDeleteMs) return 'some';
      if (await deleteOldCommands(db, days)) return 'more';
      deletedAt = performance.now();
      return 'some';
    },
    {
      everyMs: limits.commandsCloseMs,
      onFailure: (error) => logger.warn({ error }, 'old commands were not cleaned away'),
    },
  );
}
