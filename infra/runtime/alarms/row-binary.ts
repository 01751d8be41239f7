/** Reads values of ClickHouse's format RowBinary one after the other. */
export class RowBinary {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value;
  }

  double(): number {
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  /** With its length before it, seven bits a byte. */
  text(): string {
    let length = 0;
    let factor = 1;
    let byte = this.byte();
    for (; byte >= 128; byte = this.byte()) {
      length += (byte - 128) * factor;
      factor *= 128;
    }
    length += byte * factor;
    if (length === 0) return '';
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('a text is longer than the answer');
    const value = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end;
    return value;
  }
}
