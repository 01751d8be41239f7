import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { keyChangesChannel } from '../../schemas/internal/key-changes.ts';
import type { Database } from '../stores/database.ts';
import { limits } from '../limits.ts';

/** Tells the edges to read the key journal. An edge that is not reached reads it at its interval. */
export function announceKeyChanges(redis: Redis): void {
  redis.publish(keyChangesChannel, '').catch(() => undefined);
}

/** Keeps the journal short. Returns how to stop. */
export function startCleaningKeyJournal(db: Database, logger: Logger): () => void {
  const clean = async () => {
    try {
      await deleteOldKeyChanges(db);
    } catch (error) {
      logger.warn({ error }, 'the journal of key changes was not cleaned');
    }
  };
  const timer = setInterval(() => void clean(), limits.keyJournalCleanMs);
  return () => clearInterval(timer);
}

/** Scans the whole journal, which these deletions keep short. */
async function deleteOldKeyChanges(db: Database): Promise<void> {
  await db.rows('DELETE FROM key_changes WHERE changed_at < now() - make_interval(secs => $1)', [
    limits.keyJournalSeconds,
  ]);
}
