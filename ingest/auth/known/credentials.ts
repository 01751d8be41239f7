import type { Credential, CredentialKind } from '../credential.ts';

const none = -1;
/** A key of ours has 36 characters; the digest of a certificate has more. */
export const shortCharsMax = 62;
/** Of a row: where its length is, its kind, and its first character. */
const kindAt = 1;
const charsAt = 2;
const rowBytes = charsAt + shortCharsMax;

const kindCodes: Readonly<Record<CredentialKind, number>> = {
  internal: 0,
  external: 1,
  certificate: 2,
};

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
  readonly #long: Readonly<Record<CredentialKind, Map<string, number>>> = {
    internal: new Map(),
    external: new Map(),
    certificate: new Map(),
  };
  readonly #longBySlot = new Map<number, Credential>();
  #size = 0;
  /** The one that was found last: a message asks with its head and again with its body. */
  #lastKind: CredentialKind = 'internal';
  #lastKey = '';
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
  find({ kind, key }: Credential): number {
    if (this.#lastSlot !== none && key === this.#lastKey && kind === this.#lastKind) {
      return this.#lastSlot;
    }
    const slot = this.#search(kind, key);
    this.#lastKind = kind;
    this.#lastKey = key;
    this.#lastSlot = slot;
    return slot;
  }

  #search(kind: CredentialKind, key: string): number {
    if (key.length > shortCharsMax) return this.#findLong(kind, key);
    const code = kindCodes[kind];
    let slot = (this.#chains[this.#chainOf(code, key)] ?? 0) - 1;
    while (slot !== none && !this.#isAt(slot, code, key)) slot = (this.#next[slot] ?? 0) - 1;
    return slot === none ? this.#findLong(kind, key) : slot;
  }

  /** To a slot that is free. */
  set(slot: number, credential: Credential): void {
    const { kind, key } = credential;
    this.#lastSlot = none;
    this.#size += 1;
    if (!fitsRow(key)) {
      this.#long[kind].set(key, slot);
      this.#longBySlot.set(slot, credential);
      return;
    }
    const code = kindCodes[kind];
    const start = slot * rowBytes;
    this.#rows[start] = key.length;
    this.#rows[start + kindAt] = code;
    for (let at = 0; at < key.length; at++) {
      this.#rows[start + charsAt + at] = key.charCodeAt(at);
    }
    const chain = this.#chainOf(code, key);
    this.#next[slot] = this.#chains[chain] ?? 0;
    this.#chains[chain] = slot + 1;
  }

  /** How many characters the key in a slot has; 0: it is free. */
  lengthAt(slot: number): number {
    return this.#longBySlot.get(slot)?.key.length ?? this.#rows[slot * rowBytes] ?? 0;
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
    const start = slot * rowBytes;
    const chars = start + charsAt;
    const key = String.fromCharCode(
      ...this.#rows.subarray(chars, chars + (this.#rows[start] ?? 0)),
    );
    this.#rows[start] = 0;
    this.#unchain(slot, this.#chainOf(this.#rows[start + kindAt] ?? 0, key));
  }

  clear(): void {
    this.#lastSlot = none;
    // A row is written before it is found again.
    this.#chains.fill(0);
    for (const keys of Object.values(this.#long)) keys.clear();
    this.#longBySlot.clear();
    this.#size = 0;
  }

  #findLong(kind: CredentialKind, key: string): number {
    const keys = this.#long[kind];
    return keys.size === 0 ? none : (keys.get(key) ?? none);
  }

  #isAt(slot: number, code: number, key: string): boolean {
    const start = slot * rowBytes;
    if (this.#rows[start] !== key.length || this.#rows[start + kindAt] !== code) return false;
    for (let at = 0; at < key.length; at++) {
      if (this.#rows[start + charsAt + at] !== key.charCodeAt(at)) return false;
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
  #chainOf(code: number, key: string): number {
    let hash = this.#seed ^ (key.length | (code << 8));
    let at = 0;
    for (; at + 1 < key.length; at += 2) {
      const two = key.charCodeAt(at) | (key.charCodeAt(at + 1) << 8);
      hash = Math.imul(hash ^ two, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    if (at < key.length) hash = Math.imul(hash ^ key.charCodeAt(at), 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
    return (hash ^ (hash >>> 13)) & (this.#chains.length - 1);
  }
}

/** A row has a byte for each character, of which it has one at least. */
function fitsRow(key: string): boolean {
  return key.length <= shortCharsMax && /^[^\u0100-\uffff]+$/.test(key);
}
