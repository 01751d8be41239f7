import { before, type FrameFormat, formatCodes, frameFormats, type Position } from './format.ts';

/**
 * What the edge's thread and the sinks' threads share about the log, without messages: how far the edge has
 * committed, and the oldest segment that each thread of sinks still needs. One writer per cell.
 */
export type SharedPositions = {
  buffer: SharedArrayBuffer;
  committed: () => Position;
  commit: (position: Position) => void;
  /** No frame of this format is committed after it. */
  endOf: (format: FrameFormat) => Position;
  /** How far nothing is committed after `position` but frames of other formats; undefined if one of this format is. */
  clearTo: (format: FrameFormat, position: Position) => Position | undefined;
  /** Written before the commit that holds frames of this format. */
  extend: (format: FrameFormat, position: Position) => void;
  /** The oldest segment that any thread of sinks needs. */
  oldestNeeded: () => number;
  /** The thread of this number needs no older segment. */
  release: (sink: number, oldestNeeded: number) => void;
  /** Deletions wait until the sinks' cursors on the disk have passed this. */
  awaited: () => Position;
  awaitSaved: (position: Position) => void;
  /** Wakes sinks that rest: after a commit, and when a deletion waits for their cursors. */
  wake: () => void;
  /** How often they were woken. A sink reads it before it looks for work, so that `untilWoken` misses nothing. */
  wakes: () => number;
  /** Resolves once `wakes` gives another number than this, or after `msMax`. */
  untilWoken: (since: number, msMax: number) => Promise<void>;
};

const committedCell = 0;
const awaitedCell = 1;
const wakesCell = 2;
/** After this one, a cell for each format, in the order of the codes, which begin at 1. */
const endCells = 2;
/** From here on one cell for each thread of sinks. */
const neededCells = endCells + frameFormats.length + 1;

/** For a log with this many threads of sinks. */
export const createPositions = (sinks: number): SharedPositions =>
  sharedPositions(new SharedArrayBuffer((neededCells + sinks) * BigInt64Array.BYTES_PER_ELEMENT));

/** The same for another thread. A position is in one 64-bit cell, so that both halves are read together. */
export function sharedPositions(buffer: SharedArrayBuffer): SharedPositions {
  const cells = new BigInt64Array(buffer);

  function load(cell: number): Position {
    const packed = Atomics.load(cells, cell);
    return { segment: Number(packed >> 32n), offset: Number(packed & 0xffff_ffffn) };
  }

  function store(cell: number, { segment, offset }: Position): void {
    Atomics.store(cells, cell, (BigInt(segment) << 32n) | BigInt(offset));
  }

  function wake(): void {
    Atomics.add(cells, wakesCell, 1n);
    Atomics.notify(cells, wakesCell);
  }

  const endOf = (format: FrameFormat) => load(endCells + formatCodes[format]);

  return {
    buffer,
    committed: () => load(committedCell),
    commit(position) {
      store(committedCell, position);
      wake();
    },
    endOf,
    clearTo(format, position) {
      // The commit is read first, so that the end holds for it too.
      const committed = load(committedCell);
      return before(position, endOf(format)) ? undefined : committed;
    },
    extend: (format, position) => store(endCells + formatCodes[format], position),
    oldestNeeded() {
      let oldest = Infinity;
      for (let cell = neededCells; cell < cells.length; cell++) {
        oldest = Math.min(oldest, Number(Atomics.load(cells, cell)));
      }
      return oldest;
    },
    release: (sink, needed) => void Atomics.store(cells, neededCells + sink, BigInt(needed)),
    awaited: () => load(awaitedCell),
    awaitSaved(position) {
      store(awaitedCell, position);
      wake();
    },
    wake,
    wakes: () => Number(Atomics.load(cells, wakesCell)),
    async untilWoken(since, msMax) {
      await Atomics.waitAsync(cells, wakesCell, BigInt(since), msMax).value;
    },
  };
}
