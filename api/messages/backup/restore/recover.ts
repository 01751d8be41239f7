import type { Logger } from '../../../../infra/runtime/process/logger.ts';
import { startPolling } from '../../../../infra/runtime/process/poll.ts';
import { lockOfBackup, snapshotPrefix } from '../backup.ts';
import { withLock } from '../lock.ts';
import { recoverRestores, type RestoreDependencies } from './restore.ts';
import { dropTables, tablesOf } from '../statements.ts';

const checkEveryMs = 5_000;
/** How often ClickHouse is asked for tables that nothing in Postgres tells of. */
const leftoversEveryMs = 30_000;

/** Completes what killed processes left of restores and drops what they left of backups. Returns how to stop. */
export function startRecovering(dependencies: RestoreDependencies, logger: Logger): () => void {
  let leftoversAtMs = Number.NEGATIVE_INFINITY;
  const stop = startPolling(
    async () => {
      const areLeftoversDue = performance.now() - leftoversAtMs > leftoversEveryMs;
      await recoverRestores(dependencies, areLeftoversDue);
      if (!areLeftoversDue) return;
      await dropSnapshots(dependencies);
      leftoversAtMs = performance.now();
    },
    {
      everyMs: checkEveryMs,
      onFailure: (error) =>
        logger.warn(
          { error },
          'restores and backups that were interrupted could not be completed; trying again',
        ),
    },
  );
  // Not awaited: a step may take longer than a stop may. The next start completes it.
  return () => void stop();
}

/** A backup that still runs holds its lock. */
async function dropSnapshots({ db, clickhouse }: RestoreDependencies): Promise<void> {
  const names = await tablesOf(clickhouse.long, snapshotPrefix);
  const ids = new Set(names.map((name) => name.slice(snapshotPrefix.length).split('_')[0] ?? ''));
  for (const id of ids) {
    await withLock(db, lockOfBackup(id), 0, () => dropTables(clickhouse.long, snapshotPrefix + id));
  }
}
