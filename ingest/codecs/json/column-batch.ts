import { lengthBytes, readLength, StringColumn, TimeColumn } from '../columns.ts';

const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** The records of one JSON message. One object for all messages: `clear`, then fill. */
export class JsonColumnBatch {
  readonly kind = 'batch';
  readonly format = 'json';
  readonly capacity: number;
  count = 0;
  readonly times: TimeColumn;
  /** Each record's payload as JSON text. */
  readonly payloads = new StringColumn();

  constructor(capacity: number) {
    this.capacity = capacity;
    this.times = new TimeColumn(capacity);
  }

  clear(): void {
    this.count = 0;
    this.payloads.clear();
  }

  /** As `SenmlColumnBatch.append`. */
  append(other: JsonColumnBatch): boolean {
    const { count } = this;
    if (!this.payloads.appendColumn(other.payloads, count, other.count)) return false;
    this.times.appendColumn(other.times, count, other.count);
    this.count = count + other.count;
    return true;
  }

  /** The most bytes that `writeText` writes. */
  get textBytesMax(): number {
    // A comma takes the place of each length, so with the brackets it is at most two bytes more.
    return this.payloads.column.end + 2;
  }

  /**
   * Writes the payloads as one JSON text: a list of them, or the only one. `target` must have room for
   * `textBytesMax` from `offset` on. Returns the offset after the text.
   */
  writeText(isList: boolean, target: Buffer, offset: number): number {
    const { bytes, end } = this.payloads.column;
    let at = offset;
    if (isList) target[at++] = openBracket;
    for (let from = 0; from < end; ) {
      if (from > 0) target[at++] = comma;
      const length = readLength(bytes, from);
      from += lengthBytes(length);
      at += bytes.copy(target, at, from, from + length);
      from += length;
    }
    if (isList) target[at++] = closeBracket;
    return at;
  }
}
