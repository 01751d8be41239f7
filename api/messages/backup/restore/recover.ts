import type { Logger } from '../../../../infra/runtime/process/logger.ts';
import { lockOfBackup, snapshotPrefix } from '../backup.ts';
import { withLock } from '../lock.ts';
import { recoverRestores, type RestoreDependencies } from './restore.ts';
import { dropTables, tablesOf } from '../statements.ts';

const lookEveryMs = 5_000;

/** Completes the restores that killed processes left, and drops their snapshots of backups. Returns how to stop. */
export function startRecovering(parts: RestoreDependencies, log: Logger): () => void {
  let away = false;
  const look = async () => {
    try {
      await recoverRestores(parts);
      await dropSnapshots(parts);
      away = false;
    } catch (error) {
      if (!away) log.warn({ error }, 'what is left of restores and backups could not be looked at');
      away = true;
    }
    timer = setTimeout(() => void look(), lookEveryMs);
  };
  let timer = setTimeout(() => void look(), 0);
  return () => clearTimeout(timer);
}

/** A backup that still runs holds its lock. */
async function dropSnapshots({ db, clickhouse }: RestoreDependencies): Promise<void> {
  const names = await tablesOf(clickhouse.long, snapshotPrefix);
  const ids = new Set(names.map((name) => name.slice(snapshotPrefix.length).split('_')[0] ?? ''));
  for (const id of ids) {
    await withLock(db, lockOfBackup(id), 0, () => dropTables(clickhouse.long, snapshotPrefix + id));
  }
}
