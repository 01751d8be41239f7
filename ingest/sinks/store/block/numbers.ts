import { randomInt } from 'node:crypto';
import { roomFor } from './room.ts';

// Not to be guessed: whoever could choose texts of one place in the table would slow down the storing of all others.
const multiplier = randomInt(2 ** 31) * 2 + 1;
const seed = randomInt(2 ** 32);

/**
 * Numbers the texts of a batch by their bytes, in the order in which they are met: equal bytes of one kind have one
 * number. A hash table with open addressing, kept for the next batch: it allocates nothing for a text.
 */
export class Numbers {
  count = 0;
  /** Of each number: where its bytes are, and of what kind. */
  starts = new Int32Array(0);
  kinds = new Int32Array(0);
  #lengths = new Int32Array(0);
  #hashes = new Int32Array(0);
  /** By hash: the numbers, from 1 on; 0 is free. At most half of it is taken. */
  #table = new Int32Array(256);
  #bytes: DataView = new DataView(new ArrayBuffer(0));

  /** Forgets all. What follows is in these bytes. */
  clear(bytes: DataView): void {
    this.#bytes = bytes;
    this.#table.fill(0);
    this.count = 0;
  }

  /** The number of these bytes. */
  of(start: number, length: number, kind: number): number {
    const hash = this.#hash(start, length, kind);
    const mask = this.#table.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = (this.#table[place] ?? 0) - 1;
      if (number === -1) return this.#add(start, length, kind, hash, place);
      if (
        this.#hashes[number] === hash &&
        this.kinds[number] === kind &&
        this.#lengths[number] === length &&
        areEqual(this.#bytes, this.starts[number] ?? 0, start, length)
      ) {
        return number;
      }
    }
  }

  #hash(start: number, length: number, kind: number): number {
    const bytes = this.#bytes;
    const end = start + length;
    let hash = mixed(seed ^ length, kind);
    let at = start;
    for (; at + 4 <= end; at += 4) hash = mixed(hash, bytes.getInt32(at, true));
    for (; at < end; at++) hash = mixed(hash, bytes.getUint8(at));
    return hash;
  }

  #add(start: number, length: number, kind: number, hash: number, place: number): number {
    const number = this.count;
    this.starts = roomFor(this.starts, number + 1);
    this.kinds = roomFor(this.kinds, number + 1);
    this.#lengths = roomFor(this.#lengths, number + 1);
    this.#hashes = roomFor(this.#hashes, number + 1);
    this.starts[number] = start;
    this.kinds[number] = kind;
    this.#lengths[number] = length;
    this.#hashes[number] = hash;
    this.count = number + 1;
    if (this.count * 2 <= this.#table.length) this.#table[place] = number + 1;
    else this.#rehash();
    return number;
  }

  #rehash(): void {
    this.#table = new Int32Array(this.#table.length * 2);
    const mask = this.#table.length - 1;
    for (let number = 0; number < this.count; number++) {
      let place = (this.#hashes[number] ?? 0) & mask;
      while (this.#table[place] !== 0) place = (place + 1) & mask;
      this.#table[place] = number + 1;
    }
  }
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, multiplier);
  return product ^ (product >>> 15);
}

/** Whether the bytes at two places are the same. */
export function areEqual(bytes: DataView, one: number, other: number, length: number): boolean {
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    if (bytes.getInt32(one + at) !== bytes.getInt32(other + at)) return false;
  }
  for (; at < length; at++) {
    if (bytes.getUint8(one + at) !== bytes.getUint8(other + at)) return false;
  }
  return true;
}
