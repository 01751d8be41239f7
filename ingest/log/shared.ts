import type { Position } from './format.ts';

/**
 * What the edge's thread and the sinks' thread tell each other about the log, without messages: how far
 * the edge has committed, and the oldest segment a sink still needs. One writer per cell.
 */
export type SharedPositions = {
  buffer: SharedArrayBuffer;
  committed: () => Position;
  commit: (position: Position) => void;
  oldestNeeded: () => number;
  release: (oldestNeeded: number) => void;
};

const committedCell = 0;
const neededCell = 1;

/** Both halves of a position in one 64-bit cell, so that a reader never sees one without the other. */
export function sharedPositions(buffer = new SharedArrayBuffer(16)): SharedPositions {
  const cells = new BigInt64Array(buffer);
  return {
    buffer,
    committed() {
      const packed = Atomics.load(cells, committedCell);
      return { segment: Number(packed >> 32n), offset: Number(packed & 0xffff_ffffn) };
    },
    commit({ segment, offset }) {
      Atomics.store(cells, committedCell, (BigInt(segment) << 32n) | BigInt(offset));
    },
    oldestNeeded: () => Number(Atomics.load(cells, neededCell)),
    release: (oldestNeeded) => void Atomics.store(cells, neededCell, BigInt(oldestNeeded)),
  };
}
