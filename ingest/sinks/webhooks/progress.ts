/**
 * How far the sink of webhooks is, as values: each function takes the progress before an event and gives the one after
 * it. The durability tracker knows how much of that is safe in the queue.
 */
import { before, endOf, type LogRange, type Position, startOf } from '../../log/format.ts';
import { doubled, halved, unbounded } from '../batch-size.ts';
import type { WebhookBatch } from './prepare.ts';

/**
 * The batch that begins at the position. `none`: it is not read yet. `prepared`: its messages are in Postgres, and
 * their jobs are still to be added to the queue. After that the tracker knows when they are safe there.
 *
 * ```
 * none ──prepared──▶ prepared ──added──▶ none, after it
 *   ▲                   │
 *   ├──waiting──────────┤  the queue has no room any more: prepared again, to wait in Postgres
 *   ├──rewound──────────┤  Redis may have lost jobs: from the safe position on
 *   └──refused──────────┘  half of it, or quarantined and passed
 * ```
 */
export type BatchState = { is: 'none' } | { is: 'prepared'; batch: WebhookBatch };

export type WebhookProgress = {
  /** The jobs of everything before it were added, or it has none. */
  position: Position;
  batch: BatchState;
  /** Batches after the position that were added before and may be lost: read with the same boundaries. */
  again: readonly LogRange[];
  /** The limit of the next batch. */
  framesMax: number;
};

const none: BatchState = { is: 'none' };

/** After a start: what was added after the saved position may be lost. */
export function restored(position: Position, noted: readonly LogRange[]): WebhookProgress {
  return { position, batch: none, again: noted, framesMax: unbounded };
}

export function prepared(progress: WebhookProgress, batch: WebhookBatch): WebhookProgress {
  return { ...progress, batch: { is: 'prepared', batch } };
}

/** The jobs of a batch that ends there are in the queue, or it has none. */
export function added(progress: WebhookProgress, to: Position): WebhookProgress {
  return { ...passed(progress, to), framesMax: doubled(progress.framesMax) };
}

/** The queue filled up after the batch was prepared. */
export function waiting(progress: WebhookProgress, range: LogRange): WebhookProgress {
  return { ...progress, batch: none, again: [range, ...progress.again] };
}

/** Redis may have lost these batches: all from the safe position on is added again. */
export function rewound(
  progress: WebhookProgress,
  safe: Position,
  lost: readonly LogRange[],
): WebhookProgress {
  return { ...progress, position: safe, batch: none, again: [...lost, ...progress.again] };
}

/** The batch was refused: half of it is read next. */
export function refused(progress: WebhookProgress, frames: number): WebhookProgress {
  return { ...progress, batch: none, framesMax: halved(frames) };
}

/** Everything before `to` is done. */
export function passed(progress: WebhookProgress, to: Position): WebhookProgress {
  const again = progress.again.filter((range) => before(to, endOf(range)));
  return { ...progress, position: to, batch: none, again };
}

/** The log does not have this range any more. */
export function gone(progress: WebhookProgress, range: LogRange): WebhookProgress {
  return { ...progress, again: progress.again.filter((one) => one !== range) };
}

/** The next batch from `position` on that was added before. */
export function nextAgain({ again }: WebhookProgress, position: Position): LogRange | undefined {
  return again.find((range) => !before(startOf(range), position));
}

/**
 * Where a batch from `position` on ends so that `range` begins or ends where it did; undefined if its size
 * decides. What lies before the range had no jobs, or its note was lost in a power cut, so that it is read too.
 */
export function endWithin(
  { framesMax }: WebhookProgress,
  position: Position,
  range: LogRange,
  batchFramesMax: number,
): number | undefined {
  if (position.segment !== range.segment || framesMax < batchFramesMax) return undefined;
  return before(position, startOf(range)) ? range.from : range.to;
}
