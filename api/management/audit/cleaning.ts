import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { startPolling } from '../../../infra/runtime/process/poll.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import { deleteOldEntries } from './sql.ts';

/** Keeps the audit log for so many days. Gives how to stop. */
export function startCleaningAudit(
  db: Database,
  days: number,
  logger: Logger,
): () => Promise<void> {
  return startPolling(async () => ((await deleteOldEntries(db, days)) ? 'more' : 'some'), {
    everyMs: limits.auditCleanMs,
    onFailure: (error) => logger.warn({ error }, 'the audit log was not cleaned'),
  });
}
