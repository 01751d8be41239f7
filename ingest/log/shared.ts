import type { Position } from './format.ts';

/**
 * What the edge's thread and the sinks' threads tell each other about the log, without messages: how far
 * the edge has committed, and the oldest segments the sinks still need. One writer per cell.
 */
export type SharedPositions = {
  buffer: SharedArrayBuffer;
  committed: () => Position;
  commit: (position: Position) => void;
  /** No frame for webhooks is committed behind it. Asked after `committed`, it holds for that too. */
  webhooksEnd: () => Position;
  /** Told before the commit that holds such frames. */
  endWebhooks: (position: Position) => void;
  oldestNeeded: () => number;
  release: (sink: 'store' | 'webhooks', oldestNeeded: number) => void;
  /** Up to where somebody waits for the store's sinks to have written down that they are. */
  awaited: () => Position;
  awaitSaved: (position: Position) => void;
  /** Wakes the sinks that rest; a commit does, and whoever waits for what they write down. */
  wake: () => void;
  /** How often they were woken. Asked before they look for work, `untilWoken` misses nothing. */
  wakes: () => number;
  /** Settles once `wakes` gives another number than this, or after `msMax`. */
  untilWoken: (since: number, msMax: number) => Promise<void>;
};

const committedCell = 0;
const webhooksCell = 1;
const neededCells = { store: 2, webhooks: 3 } as const;
const awaitedCell = 4;
const wakesCell = 5;
const cellsBytes = 48;

/** Both halves of a position in one 64-bit cell, so that a reader never sees one without the other. */
export function sharedPositions(buffer = new SharedArrayBuffer(cellsBytes)): SharedPositions {
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

  return {
    buffer,
    committed: () => load(committedCell),
    commit(position) {
      store(committedCell, position);
      wake();
    },
    webhooksEnd: () => load(webhooksCell),
    endWebhooks: (position) => store(webhooksCell, position),
    oldestNeeded() {
      const needed = Object.values(neededCells).map((cell) => Number(Atomics.load(cells, cell)));
      return Math.min(...needed);
    },
    release: (sink, needed) => void Atomics.store(cells, neededCells[sink], BigInt(needed)),
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
