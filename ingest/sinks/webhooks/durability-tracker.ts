import { endOf, type LogRange, type Position } from '../../log/format.ts';

/**
 * How far into the log the jobs are safe in Redis.
 *
 * Redis answers before its file is on the disk: with `appendfsync everysec` a kill -9 takes the last second
 * from it, or two where the disk is slow. So a position in the log is safe only once the same run of Redis was
 * seen alive `loseMsMax` after everything before the position was added. The cursor on the disk is at the safe
 * position. Another run than before means that Redis was started again, or that another one took its place: then the
 * batches after the safe position are added again. These are the same batches and so the same jobs, and a job that is
 * still there is not doubled.
 */
export class DurabilityTracker {
  readonly #loseMsMax: number;
  #safe: Position;
  #run: string | undefined;
  /** In order: a batch, up to where nothing after it has a job, and when it was added. */
  #points: { batch: LogRange; position: Position; atMs: number }[] = [];

  constructor(safe: Position, loseMsMax: number) {
    this.#safe = safe;
    this.#loseMsMax = loseMsMax;
  }

  get safe(): Position {
    return this.#safe;
  }

  /** Whether any jobs are not safe yet, so that Redis is to be asked. */
  get isWaiting(): boolean {
    return this.#points.length > 0;
  }

  /** The batches that may have to be added again, in order. */
  get unsafe(): LogRange[] {
    return this.#points.map(({ batch }) => batch);
  }

  /** The jobs of this batch, the next one, are added now. */
  added(batch: LogRange, nowMs: number): void {
    this.#points.push({ batch, position: endOf(batch), atMs: nowMs });
  }

  /** No frame since the last batch had a job. */
  passed(position: Position): void {
    const last = this.#points.at(-1);
    if (last === undefined) this.#safe = position;
    else last.position = position;
  }

  /**
   * This run of Redis has answered a question asked at `askedMs`. Returns the batches that Redis may have lost: they
   * must be added again, from `safe` on.
   */
  seen(run: string, askedMs: number): LogRange[] {
    const isOther = this.#run !== undefined && this.#run !== run;
    this.#run = run;
    if (isOther) {
      const { unsafe } = this;
      this.#points = [];
      return unsafe;
    }
    const until = askedMs - this.#loseMsMax;
    const waiting = this.#points.findIndex(({ atMs }) => atMs > until);
    const safe = this.#points.splice(0, waiting === -1 ? this.#points.length : waiting);
    this.#safe = safe.at(-1)?.position ?? this.#safe;
    return [];
  }
}
