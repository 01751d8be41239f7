import { ByteColumn, copyWords, prefixBytesMax, wordSlackBytes, writeLength } from './columns.ts';

/** RFC 8428 §4.5.1: 2 may stand anywhere in a name, 1 anywhere but at its start, 0 nowhere. */
const nameChars = new Uint8Array(256);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') {
  nameChars[char.charCodeAt(0)] = 2;
}
for (const char of '-:./_') nameChars[char.charCodeAt(0)] = 1;

/** A length up to here takes one byte. */
const shortLengthMax = 127;

const badChar = 'may hold only A-Z, a-z, 0-9, and - : . / _';

/**
 * Resolved names as RowBinary strings. The base name is checked once; each name's characters are
 * checked while they are written, and no concatenated string is ever made.
 */
export class NameColumn {
  readonly column = new ByteColumn();
  readonly #charsMax: number;
  readonly #base: Buffer;
  readonly #baseView: DataView;
  #baseLength = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
    this.#base = Buffer.from(new ArrayBuffer(charsMax + wordSlackBytes));
    this.#baseView = new DataView(this.#base.buffer);
  }

  clear(): void {
    this.column.end = 0;
    this.#baseLength = 0;
  }

  /** The base name of this record and those after it. Returns what is wrong with it. */
  setBase(base: string): string | undefined {
    if (base.length > this.#charsMax) return this.#tooLong();
    this.#baseLength = 0;
    if (!writeChars(base, this.#base, 0)) return badChar;
    this.#baseLength = base.length;
    return undefined;
  }

  /** Appends base name + `name`. Returns what is wrong with it. */
  append(name: string): string | undefined {
    const { column } = this;
    const baseLength = this.#baseLength;
    const length = baseLength + name.length;
    if (length === 0) return 'must not be empty';
    if (length > this.#charsMax) return this.#tooLong();
    if (!column.reserve(prefixBytesMax + length)) return 'names are too long together';
    const { bytes } = column;
    const start = writeLength(bytes, column.end, length);
    if (baseLength > 0) this.#base.copy(bytes, start, 0, baseLength);
    if (!writeChars(name, bytes, start + baseLength)) return badChar;
    if (nameChars[bytes[start] ?? 0] !== 2) return 'must begin with a letter or digit';
    column.end = start + length;
    return undefined;
  }

  /**
   * As `setBase`, from bytes of which it takes those that may stand in a name. Returns where they end;
   * -1: too long.
   */
  setBaseBytes(source: Uint8Array, start: number): number {
    const end = this.#copyChars(source, start, this.#base, 0, this.#charsMax);
    if (end === -1) return -1;
    this.#baseLength = end - start;
    return end;
  }

  /** As `append`, from bytes in the same way. -1: not a name, or one too long for a one-byte length. */
  appendBytes(source: Uint8Array, start: number): number {
    const { column } = this;
    const baseLength = this.#baseLength;
    const room = Math.min(shortLengthMax, this.#charsMax) - baseLength;
    if (room < 0 || !column.reserve(1 + shortLengthMax)) return -1;
    const { bytes } = column;
    const at = column.end + 1;
    copyWords(this.#baseView, 0, baseLength, column.view, at);
    const end = this.#copyChars(source, start, bytes, at + baseLength, room);
    if (end === -1 || nameChars[bytes[at] ?? 0] !== 2) return -1;
    const length = baseLength + end - start;
    if (length === 0) return -1;
    bytes[column.end] = length;
    column.end = at + length;
    return end;
  }

  #copyChars(
    source: Uint8Array,
    start: number,
    target: Uint8Array,
    to: number,
    most: number,
  ): number {
    let at = start;
    let written = to;
    for (;;) {
      const byte = source[at] ?? 0;
      if (nameChars[byte] === 0) return at;
      if (at - start === most) return -1;
      target[written] = byte;
      at += 1;
      written += 1;
    }
  }

  #tooLong(): string {
    return `is longer than ${this.#charsMax} characters`;
  }
}

/** Up to here writing characters in a loop (4 ns each) beats the call into native code (43 ns). */
const loopedCharsMax = 10;
const badChars = /[^-A-Za-z0-9:./_]/;

/** False when a character may not stand in a name. */
function writeChars(text: string, target: Buffer, offset: number): boolean {
  if (text.length > loopedCharsMax) {
    target.write(text, offset, 'latin1');
    return !badChars.test(text);
  }
  let allowed = true;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    target[offset + i] = char;
    allowed = allowed && char < 128 && nameChars[char] !== 0;
  }
  return allowed;
}
