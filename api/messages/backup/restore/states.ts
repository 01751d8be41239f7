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
  | { state: 'loading'; file: SpooledUpload }
  /** Those that the store lacks go into other tables. */
  | { state: 'comparing'; isNoted: boolean }
  /** Messages of deleted things are left out. */
  | { state: 'filtering'; missing: readonly MissingTable[] }
  | { state: 'noting'; missing: readonly MissingTable[]; leftOut: number }
  /** What is missing moves into the store, partition by partition. */
  | { state: 'publishing'; missing: readonly MissingTable[]; leftOut: number }
  /** The note and the tables are removed. */
  | { state: 'clearing'; leftOut: number }
  | { state: 'done'; leftOut: number };

/** How the work of a state ended. `leftOut` counts messages of deleted things. */
export type RestoreEvent =
  | { event: 'loaded' }
  | { event: 'compared'; missing: readonly MissingTable[] }
  | { event: 'filtered'; leftOut: number }
  | { event: 'noted' }
  | { event: 'published'; leftOut: number }
  | { event: 'cleared' };

/** The state after an event. */
export function transition(restore: Restore, happened: RestoreEvent): Restore {
  if (restore.state === 'loading' && happened.event === 'loaded') {
    return { state: 'comparing', isNoted: false };
  }
  if (restore.state === 'comparing' && happened.event === 'compared') {
    const { missing } = happened;
    return restore.isNoted
      ? { state: 'publishing', missing, leftOut: 0 }
      : { state: 'filtering', missing };
  }
  if (restore.state === 'filtering' && happened.event === 'filtered') {
    return { state: 'noting', missing: restore.missing, leftOut: happened.leftOut };
  }
  if (restore.state === 'noting' && happened.event === 'noted') {
    return { ...restore, state: 'publishing' };
  }
  if (restore.state === 'publishing' && happened.event === 'published') {
    return { state: 'clearing', leftOut: restore.leftOut + happened.leftOut };
  }
  if (restore.state === 'clearing' && happened.event === 'cleared')
    return { ...restore, state: 'done' };
  throw new Error(`a restore can not be ${happened.event} while ${restore.state}`);
}

/** The state of a restore whose note was found. Its tables begin to be dropped in `clearing`. */
export function resumed(
  loadedTables: readonly string[],
  existing: readonly string[],
): Extract<Restore, { state: 'comparing' | 'clearing' }> {
  return loadedTables.every((table) => existing.includes(table))
    ? { state: 'comparing', isNoted: true }
    : { state: 'clearing', leftOut: 0 };
}

/** Whether a failure in this state ends the restore. In `noting` the note may have been made all the same. */
export function isDroppedOnFailure(restore: Restore): boolean {
  return (
    restore.state === 'loading' ||
    restore.state === 'filtering' ||
    (restore.state === 'comparing' && !restore.isNoted)
  );
}
