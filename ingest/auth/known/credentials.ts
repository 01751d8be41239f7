import type { Credential, CredentialKind } from '../credential.ts';

const none = -1;
/** A key of ours has 36 bytes; the digest of a certificate has more. */
export const shortBytesMax = 62;
/** A longer text, such as a header with a key, is a long one. */
const textCharsMax = shortBytesMax + 16;
/** Of a row: where its length is, its kind, and the first byte of its key, in UTF-8. */
const kindAt = 1;
const keyAt = 2;
const rowBytes = keyAt + shortBytesMax;

const kindCodes: Readonly<Record<CredentialKind, number>> = {
  internal: 0,
  external: 1,
  certificate: 2,
  id: 3,
};

/**
 * Credential → slot, for so many slots. Short credentials are rows of bytes: as texts in a map they took twice as
 * much, and each was an object for the garbage collector.
 */
export class Credentials {
  /** By slot: how many bytes, and these. Memory that was never written to takes no room. */
  readonly #rows: Uint8Array;
  /** By the hash: the first slot of each chain, and the next one of each slot; one more, 0 ends a chain. */
  readonly #chains: Int32Array;
  readonly #next: Int32Array;
  /** Nobody can know which credentials come into one chain. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  readonly #long: Readonly<Record<CredentialKind, Map<string, number>>> = {
    internal: new Map(),
    external: new Map(),
    certificate: new Map(),
    id: new Map(),
  };
  readonly #longBySlot = new Map<number, Credential>();
  #size = 0;
  /** The one that was found last: a message asks with its head and again with its body. */
  #last: Credential | undefined;
  #lastSlot = none;
  /** The bytes of the one that is looked for, its key from `#from` to `#end`. */
  readonly #bytes = Buffer.alloc(3 * textCharsMax);
  #from = 0;
  #end = 0;

  constructor(slotsMax: number) {
    this.#rows = new Uint8Array(slotsMax * rowBytes);
    this.#chains = new Int32Array(2 ** Math.ceil(Math.log2(slotsMax) + 1));
    this.#next = new Int32Array(slotsMax);
  }

  get size(): number {
    return this.#size;
  }

  /** The slot of a credential; -1 without one. */
  find(credential: Credential): number {
    if (this.#lastSlot !== none && credential === this.#last) return this.#lastSlot;
    const slot = this.#search(credential);
    this.#last = credential;
    this.#lastSlot = slot;
    return slot;
  }

  #search(credential: Credential): number {
    if (!this.#writeShort(credential)) return this.#findLong(credential);
    const code = kindCodes[credential.kind];
    const bytes = this.#bytes;
    let slot = (this.#chains[this.#chainOf(code, bytes, this.#from, this.#end)] ?? 0) - 1;
    while (slot !== none && !this.#isAt(slot, code)) slot = (this.#next[slot] ?? 0) - 1;
    return slot;
  }

  /** To a slot that is free. */
  set(slot: number, credential: Credential): void {
    this.#lastSlot = none;
    this.#size += 1;
    if (!this.#writeShort(credential)) {
      this.#long[credential.kind].set(credential.key, slot);
      this.#longBySlot.set(slot, credential);
      return;
    }
    const start = slot * rowBytes;
    const length = this.#end - this.#from;
    this.#rows[start] = length;
    this.#rows[start + kindAt] = kindCodes[credential.kind];
    for (let at = 0; at < length; at++) {
      this.#rows[start + keyAt + at] = this.#bytes[this.#from + at] ?? 0;
    }
    const chain = this.#chainOfRow(slot);
    this.#next[slot] = this.#chains[chain] ?? 0;
    this.#chains[chain] = slot + 1;
  }

  /** How many bytes the key in a slot has, about; 0: it is free. */
  lengthAt(slot: number): number {
    return this.#longBySlot.get(slot)?.text.length ?? this.#rows[slot * rowBytes] ?? 0;
  }

  /** Frees a slot that is taken. */
  remove(slot: number): void {
    this.#lastSlot = none;
    this.#size -= 1;
    const long = this.#longBySlot.get(slot);
    if (long !== undefined) {
      this.#longBySlot.delete(slot);
      this.#long[long.kind].delete(long.key);
      return;
    }
    this.#unchain(slot, this.#chainOfRow(slot));
    this.#rows[slot * rowBytes] = 0;
  }

  clear(): void {
    this.#lastSlot = none;
    // A row is written before it is found again.
    this.#chains.fill(0);
    for (const keys of Object.values(this.#long)) keys.clear();
    this.#longBySlot.clear();
    this.#size = 0;
  }

  /** Writes a key that fits a row to `#bytes`. False: it is a long one. */
  #writeShort({ text, keyAt: from }: Credential): boolean {
    if (text.length > textCharsMax) return false;
    // To look at bytes costs less than to look at characters (benchmark: packs).
    this.#from = from;
    this.#end = this.#bytes.write(text);
    return this.#end - from <= shortBytesMax;
  }

  #findLong({ kind, key }: Credential): number {
    return this.#long[kind].get(key) ?? none;
  }

  #isAt(slot: number, code: number): boolean {
    const start = slot * rowBytes;
    const from = this.#from;
    const length = this.#end - from;
    if (this.#rows[start] !== length || this.#rows[start + kindAt] !== code) return false;
    for (let at = 0; at < length; at++) {
      if (this.#rows[start + keyAt + at] !== this.#bytes[from + at]) return false;
    }
    return true;
  }

  #unchain(slot: number, chain: number): void {
    const next = this.#next[slot] ?? 0;
    let before = (this.#chains[chain] ?? 0) - 1;
    if (before === slot) {
      this.#chains[chain] = next;
      return;
    }
    while (this.#next[before] !== slot + 1) before = (this.#next[before] ?? 0) - 1;
    this.#next[before] = next;
  }

  #chainOfRow(slot: number): number {
    const start = slot * rowBytes;
    const rows = this.#rows;
    const end = start + keyAt + (rows[start] ?? 0);
    return this.#chainOf(rows[start + kindAt] ?? 0, rows, start + keyAt, end);
  }

  /** Two bytes in a step: one step waits for the one before. */
  #chainOf(code: number, bytes: Uint8Array, from: number, end: number): number {
    let hash = this.#seed ^ ((end - from) | (code << 8));
    let at = from;
    for (; at + 1 < end; at += 2) {
      const two = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
      hash = Math.imul(hash ^ two, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    if (at < end) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
    return (hash ^ (hash >>> 13)) & (this.#chains.length - 1);
  }
}
