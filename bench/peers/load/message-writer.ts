/** Writes messages of PostgreSQL's protocol: a type, the length of what follows with itself, the content. */
export class MessageWriter {
  #bytes = Buffer.alloc(2 ** 20);
  #at = 0;
  #lengthAt = 0;
  #marks: number[] = [];

  begin(type: string): void {
    this.bytes(Buffer.from(type));
    this.#lengthAt = this.#at;
    this.int32(0);
  }

  end(): void {
    this.#bytes.writeInt32BE(this.#at - this.#lengthAt, this.#lengthAt);
  }

  /** Remembers the place of what is written next. */
  mark(): void {
    this.#marks.push(this.#at);
  }

  int16(value: number): void {
    this.#at = this.#bytes.writeInt16BE(value, this.#at);
  }

  int32(value: number): void {
    this.#at = this.#bytes.writeInt32BE(value, this.#at);
  }

  int64(value: number): void {
    this.#at = this.#bytes.writeBigInt64BE(BigInt(value), this.#at);
  }

  float64(value: number): void {
    this.#at = this.#bytes.writeDoubleBE(value, this.#at);
  }

  /** With a zero after it. */
  text(text: string): void {
    this.bytes(Buffer.from(`${text}\0`));
  }

  bytes(bytes: Buffer): void {
    bytes.copy(this.#bytes, this.#at);
    this.#at += bytes.length;
  }

  /** What was written since the last time, and where its marks are. */
  take(): { bytes: Buffer; marks: number[] } {
    const taken = { bytes: Buffer.from(this.#bytes.subarray(0, this.#at)), marks: this.#marks };
    this.#at = 0;
    this.#marks = [];
    return taken;
  }
}
