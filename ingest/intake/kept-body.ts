/** The bytes of all bodies together. */
let bufferedBytes = 0;

const nothing = Buffer.alloc(0);

export type BodyLimits = {
  bodyBytesMax: number;
  /** Of all bodies that are kept at one time. */
  bufferedBytesMax: number;
};

/** A body that comes in several pieces, or waits until its key is known: a copy, whose room is counted. */
export class KeptBody {
  readonly #limits: BodyLimits;
  #buffer = nothing;
  #length = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** What has come so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Copies a piece after the others, into one buffer that doubles: many small ones cost no more. False: there is
   * no room for it.
   */
  add(piece: Uint8Array): boolean {
    const needed = this.#length + piece.length;
    const size = this.#buffer.length;
    if (needed > size) {
      const larger = Math.max(needed, Math.min(size * 2, this.#limits.bodyBytesMax));
      if (bufferedBytes + larger - size > this.#limits.bufferedBytesMax) return false;
      bufferedBytes += larger - size;
      const buffer = Buffer.allocUnsafeSlow(larger);
      this.#buffer.copy(buffer, 0, 0, this.#length);
      this.#buffer = buffer;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = needed;
    return true;
  }

  /** Frees its room. */
  drop(): void {
    bufferedBytes -= this.#buffer.length;
    this.#buffer = nothing;
    this.#length = 0;
  }
}

/** The last chunk, with an extension and trailers or without. */
const lastChunk = /\r\n0+[ \t]*(?:;[^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n$/;
const tailBytesMax = 1_024;
const lineFeed = 0x0a;

/**
 * Whether content ends like a chunked body. The repacked server takes a chunk's extension for a part of its size, so
 * that the rest of the request becomes content of the chunk. JSON can't end so; CBOR may, by a rare chance.
 */
export function holdsLastChunk(content: Buffer): boolean {
  const tail = content.subarray(Math.max(0, content.length - tailBytesMax));
  return tail.at(-1) === lineFeed && lastChunk.test(tail.toString('latin1'));
}
