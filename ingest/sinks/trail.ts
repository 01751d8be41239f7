import type { Position } from '../log/format.ts';

/**
 * How far into the log the jobs are safe in Redis.
 *
 * Redis answers before its file is on the disk: with `appendfsync everysec` a kill -9 takes the last second
 * from it, or two where the disk is slow. So a place in the log is safe only once the same run of Redis was
 * seen alive `loseMsMax` after everything before the place was added. What is safe is what the cursor on
 * the disk says. Another run than the one before means that Redis was started again, or that another took
 * its place: everything behind the safe place is then added again. The ids are the same, so what is still
 * there is not doubled.
 */
export class Trail {
  readonly #loseMsMax: number;
  #safe: Position;
  #run: string | undefined;
  /** Everything before `position` was added by `atMs`; in order. */
  #points: { position: Position; atMs: number }[] = [];

  constructor(safe: Position, loseMsMax: number) {
    this.#safe = safe;
    this.#loseMsMax = loseMsMax;
  }

  get safe(): Position {
    return this.#safe;
  }

  /** Whether there is something to gain from looking at Redis. */
  get isWaiting(): boolean {
    return this.#points.length > 0;
  }

  /** The jobs of everything before `position` are added now. */
  added(position: Position, nowMs: number): void {
    this.#points.push({ position, atMs: nowMs });
  }

  /** No frame since the last place had a job. */
  passed(position: Position): void {
    const last = this.#points.at(-1);
    if (last === undefined) this.#safe = position;
    else last.position = position;
  }

  /**
   * Redis in this run has answered a question asked at `askedMs`. False: it may have lost jobs, and what is
   * behind `safe` must be added again.
   */
  seen(run: string, askedMs: number): boolean {
    const isOther = this.#run !== undefined && this.#run !== run;
    this.#run = run;
    if (isOther && this.isWaiting) {
      this.#points = [];
      return false;
    }
    const until = askedMs - this.#loseMsMax;
    const waiting = this.#points.findIndex(({ atMs }) => atMs > until);
    const safe = this.#points.splice(0, waiting === -1 ? this.#points.length : waiting);
    this.#safe = safe.at(-1)?.position ?? this.#safe;
    return true;
  }
}
