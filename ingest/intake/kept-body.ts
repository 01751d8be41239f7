const nothing = Buffer.alloc(0);

type BodyLimits = {
  /** Of one body. */
  bodyBytesMax: number;
  /** Of all bodies that are kept at one time. */
  bufferedBytesMax: number;
};

/** Room for the bodies that an edge keeps before it can take them. */
export class BodyRoom {
  readonly limits: BodyLimits;
  #bytes = 0;

  constructor(limits: BodyLimits) {
    this.limits = limits;
  }

  /** False: there is no room for so many bytes more. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.limits.bufferedBytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** A body that comes in several pieces, or waits until its key is known: a copy, whose room is counted. */
export class KeptBody {
  readonly #room: BodyRoom;
  #buffer = nothing;
  #length = 0;

  constructor(room: BodyRoom) {
    this.#room = room;
  }

  /** The bytes that have come so far. */
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
      const larger = Math.max(needed, Math.min(size * 2, this.#room.limits.bodyBytesMax));
      if (!this.#room.take(larger - size)) return false;
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
    this.#room.giveBack(this.#buffer.length);
    this.#buffer = nothing;
    this.#length = 0;
  }
}
