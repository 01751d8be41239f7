const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The bytes before each message of a binary frame: its length, most significant byte first. */
export const lengthBytes = 4;

/** A message takes so much of the window beside its own bytes: small ones are work as well. */
export const messageCost = 64;

/**
 * Finds the messages of a frame, one after the other. In a text frame each is a line, and empty lines are none. In a
 * binary frame each comes after its length.
 */
export class FrameMessages {
  #frame: Uint8Array = new Uint8Array(0);
  #isBinary = false;
  #at = 0;
  /** The message that was found last. */
  start = 0;
  end = 0;
  /** Whether the frame ends within a message or its length. */
  isCut = false;

  begin(frame: Uint8Array, isBinary: boolean): void {
    this.#frame = frame;
    this.#isBinary = isBinary;
    this.#at = 0;
    this.isCut = false;
  }

  /** False: there are no more. */
  next(): boolean {
    return this.#isBinary ? this.#nextOfBinary() : this.#nextLine();
  }

  /** Whether the message that was found last ends the frame. */
  get isLast(): boolean {
    return this.#at >= this.#frame.length;
  }

  /** The frame from the message that was found last on: a frame as well. */
  get rest(): Uint8Array {
    return this.#frame.subarray(this.#isBinary ? this.start - lengthBytes : this.start);
  }

  /** The part of the window that the message takes which was found last. */
  get cost(): number {
    return this.end - this.start + messageCost;
  }

  #nextLine(): boolean {
    const frame = this.#frame;
    while (this.#at < frame.length) {
      const found = frame.indexOf(lineFeed, this.#at);
      this.start = this.#at;
      this.end = found === -1 ? frame.length : found;
      this.#at = this.end + 1;
      if (this.end > this.start && frame[this.end - 1] === carriageReturn) this.end -= 1;
      if (this.end > this.start) return true;
    }
    return false;
  }

  #nextOfBinary(): boolean {
    const frame = this.#frame;
    const at = this.#at;
    if (at === frame.length) return false;
    const start = at + lengthBytes;
    const length =
      (frame[at] ?? 0) * 2 ** 24 +
      (((frame[at + 1] ?? 0) << 16) | ((frame[at + 2] ?? 0) << 8) | (frame[at + 3] ?? 0));
    if (start + length > frame.length) {
      this.isCut = true;
      return false;
    }
    this.start = start;
    this.end = start + length;
    this.#at = this.end;
    return true;
  }
}
