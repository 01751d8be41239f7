/** The size of one column of one message: no frame of the log is larger. */
export const columnBytesMax = 8 * 1024 * 1024;

/** Up to here writing characters in a loop (4 ns each) beats the call into native code (43 ns). */
export const loopedCharsMax = 10;

/** The length prefix of RowBinary is LEB128: a string within `columnBytesMax` takes at most 4 bytes. */
export const prefixBytesMax = 4;

/** Writing words may end up to three bytes too late: every column has this room after it. */
const slackBytes = 3;

/** Bytes, and the same for what is read and written in words. */
export type Bytes = { bytes: Buffer; view: DataView };

/** Bytes that grow up to a bound and are kept for the next message. */
export class ByteColumn {
  bytes: Buffer = Buffer.allocUnsafeSlow(16 * 1024);
  /** The same bytes, for what is written in words. */
  view = new DataView(this.bytes.buffer);
  end = 0;

  /** Makes room for `more` bytes; false when the column would be larger than any message may be. */
  reserve(more: number): boolean {
    const needed = this.end + more + slackBytes;
    return needed <= this.bytes.length || this.#grow(needed);
  }

  /** Takes `bytes` in place of its own; the first `end` of them are its texts. Later texts may be written over them. */
  borrow({ bytes, view }: Bytes, end: number): void {
    this.bytes = bytes;
    this.view = view;
    this.end = end;
  }

  /** Appends all of another column. False: together they are too long. */
  appendColumn(other: ByteColumn): boolean {
    const { end: length, view: source } = other;
    if (!this.reserve(length)) return false;
    const { view, end } = this;
    // Words, and up to three bytes more, for which there is room: a native call costs more (benchmark: micro).
    for (let at = 0; at < length; at += 4) {
      view.setInt32(end + at, source.getInt32(at, true), true);
    }
    this.end = end + length;
    return true;
  }

  /** Appends so many zeros. */
  appendZeros(count: number): boolean {
    if (!this.reserve(count)) return false;
    this.bytes.fill(0, this.end, this.end + count);
    this.end += count;
    return true;
  }

  #grow(needed: number): boolean {
    if (needed > columnBytesMax) return false;
    const size = Math.min(columnBytesMax, Math.max(needed, this.bytes.length * 2));
    const larger = Buffer.allocUnsafeSlow(size);
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
    return true;
  }
}

/** Strings in RowBinary: the length of each, then its UTF-8 bytes. */
export class StringColumn {
  readonly column = new ByteColumn();
  /** Whether any of them is not empty. */
  filled = false;

  clear(): void {
    this.column.end = 0;
    this.filled = false;
  }

  /** False when it does not fit the column. */
  append(text: string): boolean {
    const { column } = this;
    const { length } = text;
    if (!column.reserve(prefixBytesMax + length * 3)) return false;
    const { bytes, end } = column;
    if (length === 0) {
      bytes[end] = 0;
      column.end = end + 1;
      return true;
    }
    this.filled = true;
    if (length > loopedCharsMax) return this.#appendLong(text);
    bytes[end] = length;
    let union = 0;
    for (let i = 0; i < length; i++) {
      const char = text.charCodeAt(i);
      union |= char;
      bytes[end + 1 + i] = char;
    }
    if (union > 127) return this.#appendLong(text);
    column.end = end + 1 + length;
    return true;
  }

  /** Takes `count` texts that stand in `bytes`. */
  borrow(bytes: Bytes, end: number, count: number): void {
    this.column.borrow(bytes, end);
    this.filled = end > count;
  }

  /**
   * Appends the `more` texts of another column after the `count` that are here. While all are empty, none is kept:
   * such a column is left out. False: they are too long together.
   */
  appendColumn(other: StringColumn, count: number, more: number): boolean {
    const { column } = this;
    if (!other.filled) return !this.filled || column.appendZeros(more);
    if (!this.filled) {
      column.end = 0;
      if (!column.appendZeros(count)) return false;
    }
    this.filled = true;
    return column.appendColumn(other.column);
  }

  #appendLong(text: string): boolean {
    const { column } = this;
    const { bytes } = column;
    const start = writeLength(bytes, column.end, Buffer.byteLength(text));
    column.end = start + bytes.write(text, start);
    return true;
  }
}

/** 64-bit integer nanoseconds since 1970, little-endian, low half first. */
export class TimeColumn {
  readonly bytes: Buffer;
  readonly halves: Int32Array;

  constructor(capacity: number) {
    this.halves = new Int32Array(capacity * 2);
    this.bytes = Buffer.from(this.halves.buffer);
  }

  /** `seconds` are within `isWithinTime`, `nanos` from 0 to 999,999,999. */
  set(index: number, seconds: number, nanos: number): void {
    // seconds × 1e9 takes 64 bits; in two products of at most 53 bits each it is exact.
    const upper = Math.floor(seconds * perTwo16);
    const lower = seconds - upper * two16;
    const upperNanos = upper * 1e9;
    const carry = Math.floor(upperNanos * perTwo16);
    const low = (upperNanos - carry * two16) * two16 + lower * 1e9 + nanos;
    const lowCarry = Math.floor(low * perTwo32);
    this.halves[index * 2] = (low - lowCarry * two32) | 0;
    this.halves[index * 2 + 1] = carry + lowCarry;
  }

  /** Takes the first `count` of these times, as `set` keeps them. */
  copy(halves: Int32Array, count: number): void {
    for (let at = 0; at < count * 2; at++) this.halves[at] = halves[at] ?? 0;
  }

  /** Puts the `more` times of another column after the `count` that are here. */
  appendColumn(other: TimeColumn, count: number, more: number): void {
    for (let at = 0; at < more * 2; at++) this.halves[count * 2 + at] = other.halves[at] ?? 0;
  }
}

// Multiplying with a power of two is as exact as dividing by one, and faster.
const two16 = 2 ** 16;
const perTwo16 = 2 ** -16;
const two32 = 2 ** 32;
const perTwo32 = 2 ** -32;

/** Writes a LEB128 length; returns the offset after it. */
export function writeLength(target: Uint8Array, offset: number, length: number): number {
  let rest = length;
  let at = offset;
  while (rest > 127) {
    target[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  target[at++] = rest;
  return at;
}

/** Reads what `writeLength` wrote at `offset`. */
export function readLength(source: Uint8Array, offset: number): number {
  let length = 0;
  for (let at = offset, shift = 0; ; at++, shift += 7) {
    const byte = source[at] ?? 0;
    length |= (byte & 127) << shift;
    if (byte < 128) return length;
  }
}

/** Bytes that `writeLength` takes. */
export function lengthBytes(length: number): number {
  if (length < 128) return 1;
  if (length < 16_384) return 2;
  return length < 2_097_152 ? 3 : 4;
}
