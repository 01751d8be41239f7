import { lengthBytes, readLength, StringColumn, TimeColumn } from '../columns.ts';

const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** The records of one JSON message. One object for all messages: `clear`, then fill. */
export class JsonPack {
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
  /**
   * Writes the payloads as one JSON text: a list of them, or the only one. Returns the offset after it, or
   * -1 when it does not fit.
   */
  encodeText(isList: boolean, target: Buffer, offset: number): number {
    const { bytes, end } = this.payloads.column;
    // Each length makes way for a comma, so with the brackets it takes at most two bytes more.
    if (offset + end + 2 > target.length) return -1;
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
