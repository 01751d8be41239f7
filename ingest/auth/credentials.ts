const none = -1;
/** A key of ours is a credential of 42 characters; a certificate is a longer one. */
export const shortCharsMax = 63;
const rowBytes = shortCharsMax + 1;

/**
 * Credential → slot, for so many slots. Short credentials are rows of bytes: as texts in a map they took twice as
 * much, and each was an object for the garbage collector.
 */
export class Credentials {
  /** By slot: how many characters, and these. Memory that was never written to takes no room. */
  readonly #rows: Uint8Array;
  /** By the hash: the first slot of each chain, and the next one of each slot; one more, 0 ends a chain. */
  readonly #chains: Int32Array;
  readonly #next: Int32Array;
  /** Nobody can know which credentials come into one chain. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  readonly #long = new Map<string, number>();
  readonly #longBySlot = new Map<number, string>();
  #size = 0;
  /** What was found last: a message asks with its head and again with its body. */
  #lastCredential = '';
  #lastSlot = none;

  constructor(slotsMax: number) {
    this.#rows = new Uint8Array(slotsMax * rowBytes);
    this.#chains = new Int32Array(2 ** Math.ceil(Math.log2(slotsMax) + 1));
    this.#next = new Int32Array(slotsMax);
  }

  get size(): number {
    return this.#size;
  }

  /** The slot of a credential; -1 without one. */
  find(credential: string): number {
    if (this.#lastSlot !== none && credential === this.#lastCredential) return this.#lastSlot;
    const slot = this.#search(credential);
    this.#lastCredential = credential;
    this.#lastSlot = slot;
    return slot;
  }

  #search(credential: string): number {
    if (credential.length > shortCharsMax) return this.#findLong(credential);
    let slot = (this.#chains[this.#chainOf(credential)] ?? 0) - 1;
    while (slot !== none && !this.#isAt(slot, credential)) slot = (this.#next[slot] ?? 0) - 1;
    return slot === none ? this.#findLong(credential) : slot;
  }

  /** To a slot that is free. */
  set(slot: number, credential: string): void {
    this.#lastSlot = none;
    this.#size += 1;
    if (!fitsRow(credential)) {
      this.#long.set(credential, slot);
      this.#longBySlot.set(slot, credential);
      return;
    }
    const start = slot * rowBytes;
    this.#rows[start] = credential.length;
    for (let at = 0; at < credential.length; at++) {
      this.#rows[start + 1 + at] = credential.charCodeAt(at);
    }
    const chain = this.#chainOf(credential);
    this.#next[slot] = this.#chains[chain] ?? 0;
    this.#chains[chain] = slot + 1;
  }

  /** What is in a slot. */
  at(slot: number): string | undefined {
    const long = this.#longBySlot.get(slot);
    if (long !== undefined) return long;
    const start = slot * rowBytes;
    const length = this.#rows[start] ?? 0;
    if (length === 0) return undefined;
    return String.fromCharCode(...this.#rows.subarray(start + 1, start + 1 + length));
  }

  /** Frees a slot; gives what was in it. */
  remove(slot: number): string | undefined {
    const credential = this.at(slot);
    if (credential === undefined) return undefined;
    this.#lastSlot = none;
    this.#size -= 1;
    if (this.#longBySlot.delete(slot)) this.#long.delete(credential);
    else {
      this.#rows[slot * rowBytes] = 0;
      this.#unchain(slot, this.#chainOf(credential));
    }
    return credential;
  }

  clear(): void {
    this.#lastSlot = none;
    // A row is written before it is found again.
    this.#chains.fill(0);
    this.#long.clear();
    this.#longBySlot.clear();
    this.#size = 0;
  }

  #findLong(credential: string): number {
    return this.#long.size === 0 ? none : (this.#long.get(credential) ?? none);
  }

  #isAt(slot: number, credential: string): boolean {
    const start = slot * rowBytes;
    if (this.#rows[start] !== credential.length) return false;
    for (let at = 0; at < credential.length; at++) {
      if (this.#rows[start + 1 + at] !== credential.charCodeAt(at)) return false;
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

  /** Two characters in a step: one step waits for the one before. */
  #chainOf(credential: string): number {
    let hash = this.#seed ^ credential.length;
    let at = 0;
    for (; at + 1 < credential.length; at += 2) {
      const two = credential.charCodeAt(at) | (credential.charCodeAt(at + 1) << 8);
      hash = Math.imul(hash ^ two, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    if (at < credential.length) hash = Math.imul(hash ^ credential.charCodeAt(at), 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
    return (hash ^ (hash >>> 13)) & (this.#chains.length - 1);
  }
}

/** A row has a byte for each character, of which it has one at least. */
function fitsRow(credential: string): boolean {
  return credential.length <= shortCharsMax && /^[^\u0100-\uffff]+$/.test(credential);
}
