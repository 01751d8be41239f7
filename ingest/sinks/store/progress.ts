/**
 * How far a sink of the store is, as values: each function takes the progress before an event and gives the one after
 * it. The cursor on the disk holds the part that a start after a crash needs.
 */
import type { Cursor, StoredPart } from '../../log/cursor.ts';
import type { Position } from '../../log/format.ts';

/**
 * The batch that begins at the position. `none`: there is none yet. `begun`: its boundaries are fixed, and nothing
 * of it was sent. `inDoubt`: the store may have it, whole or in part. Its end is kept until it is stored or refused.
 *
 * ```
 * none ──begun──▶ begun ──sent──▶ inDoubt ──stored──▶ none, after it
 *   ▲                                │
 *   └──refused: half, or quarantined─┘
 * ```
 */
export type BatchState =
  | { kind: 'none' }
  | { kind: 'begun'; to: number }
  | { kind: 'inDoubt'; to: number };

export type StoreProgress = {
  /** Everything before it is in the store, or in the quarantine. */
  position: Position;
  /** Of the batch, or of the next one. It grows with each batch. */
  number: number;
  batch: BatchState;
  /** Of a batch that was refused, while its parts are sent. */
  partlyStored: StoredPart | undefined;
};

type Range = { from: Position; to: Position };

/** After a start. A batch that was under way may be in the store. */
export function restored(cursor: Cursor | undefined): StoreProgress {
  const to = cursor?.sendingTo;
  return {
    position: cursor?.position ?? { segment: 0, offset: 0 },
    number: cursor?.batch ?? 1,
    batch: to === undefined ? { kind: 'none' } : { kind: 'inDoubt', to },
    partlyStored: cursor?.stored,
  };
}

/** The part that a start after a crash needs. */
export function cursorOf({ position, number, batch, partlyStored }: StoreProgress): Cursor {
  return {
    position,
    batch: number,
    sendingTo: batch.kind === 'none' ? undefined : batch.to,
    stored: partlyStored,
  };
}

/**
 * A batch was read. Its number is taken from the clock, so that the latest batches of all logs have numbers close
 * together, and a query for these need not read others. A batch that is sent again keeps its number.
 */
export function begun(progress: StoreProgress, batch: Range, nowSeconds: number): StoreProgress {
  const to = batch.to.offset;
  return progress.batch.kind === 'none'
    ? {
        ...progress,
        position: batch.from,
        number: Math.max(progress.number, nowSeconds),
        batch: { kind: 'begun', to },
      }
    : { ...progress, position: batch.from, batch: { kind: progress.batch.kind, to } };
}

/** The insert of the batch starts. */
export function sent(progress: StoreProgress): StoreProgress {
  const { batch } = progress;
  return batch.kind === 'begun'
    ? { ...progress, batch: { kind: 'inDoubt', to: batch.to } }
    : progress;
}

/** The store has the batch. */
export function stored(progress: StoreProgress, { to }: Range): StoreProgress {
  return { ...passed(progress, to), number: progress.number + 1 };
}

/** The store refuses the batch for good, but has stored some of its partitions. */
export function takenInPart(
  progress: StoreProgress,
  { to }: Range,
  partitions: readonly string[],
): StoreProgress {
  if (partitions.length === 0 || progress.partlyStored !== undefined) return progress;
  return { ...progress, partlyStored: { to: to.offset, partitions } };
}

/** The batch was refused: half of it is read next, from the same position, under a number of its own. */
export function refused(progress: StoreProgress): StoreProgress {
  return { ...progress, number: progress.number + 1, batch: { kind: 'none' } };
}

/** The frame that was refused is in the quarantine. */
export function quarantined(progress: StoreProgress, { to }: Range): StoreProgress {
  return { ...passed(progress, to), number: progress.number + 1 };
}

/** Everything before `to` is done. */
export function passed(progress: StoreProgress, to: Position): StoreProgress {
  const { position, partlyStored } = progress;
  const leaves = to.segment !== position.segment || to.offset >= (partlyStored?.to ?? 0);
  return {
    ...progress,
    position: to,
    batch: { kind: 'none' },
    partlyStored: leaves ? undefined : partlyStored,
  };
}
