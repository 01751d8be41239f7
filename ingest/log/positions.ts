import { before, type FrameFormat, formatCodes, frameFormats, type Position } from './format.ts';

/**
 * The edge's thread and the sinks' threads share this about the log, without messages: how far the edge has
 * committed, and the oldest segment that each of its readers still needs: each thread of sinks, and whoever reads the log
 * at a start. One writer per cell, except for wakes.
 */
export type SharedPositions = {
  buffer: SharedArrayBuffer;
  committed: () => Position;
  /** Commits frames of these formats, and wakes the sinks that deliver them, and no other. */
  commit: (position: Position, formats: readonly FrameFormat[]) => void;
  /** No frame of this format is committed after it. */
  endOf: (format: FrameFormat) => Position;
  /** How far nothing is committed after `position` but frames of other formats; undefined if one of these formats is. */
  clearTo: (formats: readonly FrameFormat[], position: Position) => Position | undefined;
  /** The oldest segment that any reader needs. */
  oldestNeeded: () => number;
  /** The reader of this number needs no older segment. */
  release: (reader: number, oldestNeeded: number) => void;
  /** Deletions wait until the sinks' cursors on the disk have passed this. */
  awaited: () => Position;
  awaitSaved: (position: Position) => void;
  /** Wakes all sinks: to stop, to save a cursor that a deletion waits for, to pass frames of other formats. */
  wake: () => void;
  /**
   * Notes that frames can't be read back. False if it is known: each sink reads all of the log, and the first one tells.
   */
  noteDamage: (at: Position, frames: number) => boolean;
  /** How many frames could not be read back, at least. */
  lostFrames: () => number;
  /** How often sinks of these formats were woken. One reads it before it looks for work, so that `untilWoken` misses nothing. */
  wakes: (formats: readonly FrameFormat[]) => number;
  /** Resolves once `wakes` gives another number than this, or after `msMax`. */
  untilWoken: (formats: readonly FrameFormat[], since: number, msMax: number) => Promise<void>;
};

const committedCell = 0;
const awaitedCell = 1;
/** After each of these, a cell for each format, in the order of the codes, which begin at 1. */
const endCells = 1;
const wakesCells = endCells + frameFormats.length;
/** A sink of several formats is woken by each commit: one can't wait for several cells. */
const anyWakesCell = wakesCells + frameFormats.length + 1;
/** Up to where damage is told, and how many frames it took. */
const toldCell = anyWakesCell + 1;
const lostCell = toldCell + 1;
/** From here on one cell for each reader. */
const neededCells = lostCell + 1;

/** For a log with so many readers, which are numbered from 0. No segment goes before each of them has released it. */
export const createPositions = (readers: number): SharedPositions =>
  sharedPositions(new SharedArrayBuffer((neededCells + readers) * BigInt64Array.BYTES_PER_ELEMENT));

/** The same for another thread. A position is in one 64-bit cell, so that both halves are read together. */
export function sharedPositions(buffer: SharedArrayBuffer): SharedPositions {
  const cells = new BigInt64Array(buffer);

  function load(cell: number): Position {
    const value = Atomics.load(cells, cell);
    return { segment: Number(value >> 32n), offset: Number(value & 0xffff_ffffn) };
  }

  /** Whether the cell had another position. */
  function store(cell: number, position: Position): boolean {
    const value = packed(position);
    return Atomics.exchange(cells, cell, value) !== value;
  }

  const { wake, wakes, untilWoken } = wakesIn(cells);
  const endOf = (format: FrameFormat) => load(endCells + formatCodes[format]);

  return {
    buffer,
    committed: () => load(committedCell),
    commit(position, formats) {
      for (const format of formats) store(endCells + formatCodes[format], position);
      store(committedCell, position);
      wake(formats);
    },
    endOf,
    clearTo(formats, position) {
      // The commit is read first, so that the end holds for it too.
      const committed = load(committedCell);
      return formats.some((format) => before(position, endOf(format))) ? undefined : committed;
    },
    oldestNeeded() {
      let oldest = Infinity;
      for (let cell = neededCells; cell < cells.length; cell++) {
        oldest = Math.min(oldest, Number(Atomics.load(cells, cell)));
      }
      return oldest;
    },
    release: (reader, needed) => void Atomics.store(cells, neededCells + reader, BigInt(needed)),
    awaited: () => load(awaitedCell),
    awaitSaved(position) {
      if (store(awaitedCell, position)) wake(frameFormats);
    },
    wake: () => wake(frameFormats),
    ...damageIn(cells),
    wakes,
    untilWoken,
  };
}

const packed = ({ segment, offset }: Position): bigint => (BigInt(segment) << 32n) | BigInt(offset);

/** One cell has up to where damage was told, another how many frames it took. */
function damageIn(cells: BigInt64Array<SharedArrayBuffer>) {
  /** Whether the cell had less. */
  function raise(cell: number, value: bigint): boolean {
    let known = Atomics.load(cells, cell);
    while (known < value) {
      const found = Atomics.compareExchange(cells, cell, known, value);
      if (found === known) return true;
      known = found;
    }
    return false;
  }

  return {
    noteDamage(at: Position, frames: number): boolean {
      // All before the place that was told last was read by the sink that told it.
      if (!raise(toldCell, packed(at) + 1n)) return false;
      Atomics.add(cells, lostCell, BigInt(frames));
      return true;
    },
    lostFrames: () => Number(Atomics.load(cells, lostCell)),
  };
}

/** A cell for each format, and one for all, count how often sinks were woken; these wait there. */
function wakesIn(cells: BigInt64Array<SharedArrayBuffer>) {
  function wake(formats: readonly FrameFormat[]): void {
    for (const format of formats) ring(wakesCells + formatCodes[format]);
    ring(anyWakesCell);
  }

  function ring(cell: number): void {
    Atomics.add(cells, cell, 1n);
    Atomics.notify(cells, cell);
  }

  function wakesCellOf(formats: readonly FrameFormat[]): number {
    const [first, second] = formats;
    const isOne = first !== undefined && second === undefined;
    return isOne ? wakesCells + formatCodes[first] : anyWakesCell;
  }

  return {
    wake,
    wakes: (formats: readonly FrameFormat[]) => Number(Atomics.load(cells, wakesCellOf(formats))),
    untilWoken: async (formats: readonly FrameFormat[], since: number, msMax: number) => {
      await Atomics.waitAsync(cells, wakesCellOf(formats), BigInt(since), msMax).value;
    },
  };
}
