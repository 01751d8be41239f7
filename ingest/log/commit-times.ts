import { before, type Position } from './format.ts';

type Mark = { position: Position; atMs: number };

/** How late a reader of the log is, in milliseconds; both 0 if it has read all. */
export type Lag = {
  /** From the commit of what it reads next to the newest one. */
  lagMs: number;
  /** Since the commit of what it reads next. */
  ageMs: number;
};

/** The least time between two marks; it grows with the age of the oldest mark. */
const apartMsMin = 50;
const apartShare = 0.01;

/**
 * When each part of the log was committed, precise to a hundredth of the oldest mark's age: a late reader costs some
 * hundreds of marks, however late it is. Times are of `performance.now()`.
 */
export class CommitTimes {
  /** In order of both. */
  #marks: Mark[] = [];
  #newestMs = 0;

  /** Notes the commit time of what stands from `position` on, up to the next mark. */
  note(position: Position, atMs: number): void {
    this.#newestMs = atMs;
    const last = this.#marks.at(-1);
    if (last !== undefined) {
      const oldestMs = this.#marks[0]?.atMs ?? atMs;
      const apartMs = Math.max(apartMsMin, (atMs - oldestMs) * apartShare);
      if (atMs - last.atMs < apartMs) return;
    }
    this.#marks.push({ position, atMs });
  }

  /** How many marks it keeps. */
  get size(): number {
    return this.#marks.length;
  }

  /** Forgets what is before `position`. */
  forgetBefore(position: Position): void {
    const kept = this.#indexOf(position);
    if (kept > 0) this.#marks.splice(0, kept);
  }

  /** The lag of a reader that has read up to `position`, in a log that ends at `end`. */
  lagOf(position: Position, end: Position, nowMs: number): Lag {
    const mark = this.#marks[Math.max(0, this.#indexOf(position))];
    if (mark === undefined || !before(position, end)) return { lagMs: 0, ageMs: 0 };
    return { lagMs: this.#newestMs - mark.atMs, ageMs: nowMs - mark.atMs };
  }

  /** The index of the last mark at or before it; -1 without one. */
  #indexOf(position: Position): number {
    return this.#marks.findLastIndex((mark) => !before(position, mark.position));
  }
}
