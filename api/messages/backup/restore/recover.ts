import type { Logger } from '../../../../infra/runtime/process/logger.ts';
import { startPolling } from '../../../../infra/runtime/process/poll.ts';
import { lockOfBackup, snapshotPrefix } from '../backup.ts';
import { withLock } from '../lock.ts';
import { recoverRestores, type RestoreParts } from './restore.ts';
import { dropTables, tablesOf } from '../statements.ts';

const lookEveryMs = 5_000;

/** Completes what killed processes left of restores and drops what they left of backups. Gives how to stop. */
export function startRecovering(parts: RestoreParts, log: Logger): () => void {
  const stop = startPolling(
    async () => {
      await recoverRestores(parts);
      await dropSnapshots(parts);
    },
    {
      everyMs: lookEveryMs,
      onFailure: (error) =>
        log.warn({ error }, 'what is left of restores and backups could not be looked at'),
    },
  );
  // A step may take longer than a stop may: what it leaves undone the next start completes.
  return () => void stop();
}

/** A backup holds its lock as long as it lives. */
async function dropSnapshots({ db, clickhouse }: RestoreParts): Promise<void> {
  const names = await tablesOf(clickhouse.long, snapshotPrefix);
  const ids = new Set(names.map((name) => name.slice(snapshotPrefix.length).split('_')[0] ?? ''));
  for (const id of ids) {
    await withLock(db, lockOfBackup(id), 0, () => dropTables(clickhouse.long, snapshotPrefix + id));
  }
}
