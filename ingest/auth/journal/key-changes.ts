import { type Snapshot, sees } from './snapshot.ts';

const none = -1;
const slotsMin = 1_024;

/** A change takes so much, in a store of twice as many at most. */
type Columns = {
  /** The look-up: its first and its last 52 bits, in which no two are alike by chance. */
  begins: Float64Array;
  ends: Float64Array;
  xids: Float64Array;
  /** When the change was read (ms). */
  times: Float64Array;
  /** Of the same chain: the number of the change before it. */
  next: Float64Array;
  /** The number of the newest change of each chain. */
  chains: Float64Array;
};

/**
 * Changes of keys, in the order in which they were read, under numbers from 0 on. They are kept in columns, 48 bytes
 * each: a million things that were just made are a million of them, and as objects they took 290 MiB.
 */
export class KeyChanges {
  #columns = columnsFor(slotsMin);
  /** The numbers of the oldest that is remembered, and of the next one. */
  #first = 0;
  #end = 0;

  get size(): number {
    return this.#end - this.#first;
  }

  /** Remembers a change; false if it is there already. */
  note(lookup: string, xid: bigint, atMs: number): boolean {
    const [begin, end] = numbersOf(lookup);
    const number = Number(xid);
    for (const slot of this.#slotsOf(begin, end)) {
      if (this.#columns.xids[slot] === number) return false;
    }
    if (this.size === this.#columns.begins.length) this.#grow();
    this.#put(begin, end, number, atMs);
    return true;
  }

  /** Whether the snapshot sees all changes of this look-up. */
  areSeen(lookup: string, snapshot: Snapshot): boolean {
    const [begin, end] = numbersOf(lookup);
    for (const slot of this.#slotsOf(begin, end)) {
      if (!sees(snapshot, BigInt(this.#columns.xids[slot] ?? 0))) return false;
    }
    return true;
  }

  /** Forgets what was read up to this time (ms). */
  forget(untilMs: number): void {
    const { times } = this.#columns;
    while (this.#first < this.#end && (times[this.#first % times.length] ?? 0) <= untilMs) {
      this.#first += 1;
    }
    if (this.size === 0 && times.length > slotsMin) this.#columns = columnsFor(slotsMin);
  }

  *#slotsOf(begin: number, end: number): Generator<number> {
    const { begins, ends, next, chains } = this.#columns;
    let number = chains[begin % chains.length] ?? none;
    // Changes after one that is forgotten are forgotten too.
    while (number >= this.#first) {
      const slot = number % begins.length;
      if (begins[slot] === begin && ends[slot] === end) yield slot;
      number = next[slot] ?? none;
    }
  }

  #put(begin: number, end: number, xid: number, atMs: number): void {
    const { begins, ends, xids, times, next, chains } = this.#columns;
    const slot = this.#end % begins.length;
    const chain = begin % chains.length;
    begins[slot] = begin;
    ends[slot] = end;
    xids[slot] = xid;
    times[slot] = atMs;
    next[slot] = chains[chain] ?? none;
    chains[chain] = this.#end;
    this.#end += 1;
  }

  #grow(): void {
    const { begins, ends, xids, times } = this.#columns;
    const [from, to] = [this.#first, this.#end];
    this.#columns = columnsFor(2 * begins.length);
    this.#end = from;
    for (let number = from; number < to; number++) {
      const slot = number % begins.length;
      this.#put(begins[slot] ?? 0, ends[slot] ?? 0, xids[slot] ?? 0, times[slot] ?? 0);
    }
  }
}

function columnsFor(slots: number): Columns {
  return {
    begins: new Float64Array(slots),
    ends: new Float64Array(slots),
    xids: new Float64Array(slots),
    times: new Float64Array(slots),
    next: new Float64Array(slots),
    chains: new Float64Array(slots).fill(none),
  };
}

/** @throws for what is no look-up in hex: it would be found nowhere, and an old key taken for a current one. */
function numbersOf(lookup: string): [begin: number, end: number] {
  const begin = Number.parseInt(lookup.slice(0, 13), 16);
  const end = Number.parseInt(lookup.slice(-13), 16);
  if (Number.isNaN(begin) || Number.isNaN(end)) throw new Error('not a look-up in hex');
  return [begin, end];
}
