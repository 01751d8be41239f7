import type { MessageFormat } from '../../../../schemas/messages/tables.ts';
import type { SpooledUpload } from '../spool.ts';

/** A table of the messages of a file that the store lacks. */
export type MissingTable = { format: MessageFormat; table: string };

/**
 * A restore:
 *
 *     loading → comparing → filtering → noting → publishing → clearing → done
 *                    └──── once noted ────────────↗
 *
 * Until it is noted in Postgres nothing has changed, and a failure drops its tables. From then on it is completed: by
 * the process that began it, or by any process that finds the note, from `comparing` on.
 */
export type Restore =
  /** The messages of the file go into tables of their own, which stay as they are until the end. */
  | { kind: 'loading'; file: SpooledUpload }
  /** Those that the store lacks go into other tables. */
  | { kind: 'comparing'; isNoted: boolean }
  /** Messages of deleted things are left out. */
  | { kind: 'filtering'; missing: readonly MissingTable[] }
  | { kind: 'noting'; missing: readonly MissingTable[]; leftOut: number }
  /** The missing messages move into the store, partition by partition. */
  | { kind: 'publishing'; missing: readonly MissingTable[]; leftOut: number }
  /** The note and the tables are removed. */
  | { kind: 'clearing'; leftOut: number }
  | { kind: 'done'; leftOut: number };

/** How the work of a state ended. `leftOut` counts messages of deleted things. */
export type RestoreEvent =
  | { kind: 'loaded' }
  | { kind: 'compared'; missing: readonly MissingTable[] }
  | { kind: 'filtered'; leftOut: number }
  | { kind: 'noted' }
  | { kind: 'published'; leftOut: number }
  | { kind: 'cleared' };

/** The state after an event. */
export function transition(restore: Restore, happened: RestoreEvent): Restore {
  if (restore.kind === 'loading' && happened.kind === 'loaded') {
    return { kind: 'comparing', isNoted: false };
  }
  if (restore.kind === 'comparing' && happened.kind === 'compared') {
    const { missing } = happened;
    return restore.isNoted
      ? { kind: 'publishing', missing, leftOut: 0 }
      : { kind: 'filtering', missing };
  }
  if (restore.kind === 'filtering' && happened.kind === 'filtered') {
    return { kind: 'noting', missing: restore.missing, leftOut: happened.leftOut };
  }
  if (restore.kind === 'noting' && happened.kind === 'noted') {
    return { ...restore, kind: 'publishing' };
  }
  if (restore.kind === 'publishing' && happened.kind === 'published') {
    return { kind: 'clearing', leftOut: restore.leftOut + happened.leftOut };
  }
  if (restore.kind === 'clearing' && happened.kind === 'cleared')
    return { ...restore, kind: 'done' };
  throw new Error(`a restore can not be ${happened.kind} while ${restore.kind}`);
}

/** The state of a restore whose note was found. Its tables begin to be dropped in `clearing`. */
export function resumed(
  loadedTables: readonly string[],
  existing: readonly string[],
): Extract<Restore, { kind: 'comparing' | 'clearing' }> {
  return loadedTables.every((table) => existing.includes(table))
    ? { kind: 'comparing', isNoted: true }
    : { kind: 'clearing', leftOut: 0 };
}

/** Whether a failure in this state ends the restore. In `noting` the note may have been made all the same. */
export function isDroppedOnFailure(restore: Restore): boolean {
  return (
    restore.kind === 'loading' ||
    restore.kind === 'filtering' ||
    (restore.kind === 'comparing' && !restore.isNoted)
  );
}
