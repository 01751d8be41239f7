import { getPriority, setPriority } from 'node:os';

/** Clients give the `priority` of ClickHouse: 1 for a page that somebody waits for, 2 and more for a file. */
const pagePriority = 1;
/** Than inserts and merges: not so much less that pages could stop them. */
const pagesLessNiceBy = 4;
const fileNiceness = 19;

/**
 * How nice the threads are that run a query of this `priority`, in a process that is itself `base` nice; the lowest
 * number goes first. Never 0: that says nothing, and leaves a thread what it was.
 */
export function nicenessOf(priority: number, base: number): number {
  if (priority > pagePriority) return fileNiceness;
  return Math.max(1, priority === pagePriority ? base - pagesLessNiceBy : base);
}

/**
 * The niceness of this process, where its threads may come back from a greater one; else undefined. ClickHouse only
 * looks whether it has the capability. A user namespace has it without effect, and ClickHouse would end.
 */
export function baseNiceness(): number | undefined {
  const base = getPriority();
  try {
    setPriority(Math.min(0, base - 1));
    setPriority(base);
    return base;
  } catch {
    return undefined;
  }
}
