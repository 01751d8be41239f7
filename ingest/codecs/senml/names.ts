import { senmlNamePattern } from '../../../schemas/messages/name.ts';
import { ByteColumn, loopedCharsMax, prefixBytesMax, writeLength } from '../columns.ts';

const pattern = new RegExp(senmlNamePattern);

/** 2 may stand anywhere in a name, 1 anywhere but at its start, 0 nowhere. */
export const nameChars = Uint8Array.from({ length: 256 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (pattern.test(char)) return 2;
  return pattern.test(`a${char}`) ? 1 : 0;
});

const badChar = 'may hold only A-Z, a-z, 0-9, and - : . / _';

/**
 * Resolved names as RowBinary strings. The base name is checked once; each name's characters are
 * checked while they are written, and no concatenated string is made.
 */
export class NameColumn {
  readonly column = new ByteColumn();
  readonly #charsMax: number;
  readonly #base: Buffer;
  #baseLength = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
    this.#base = Buffer.alloc(charsMax);
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

  #tooLong(): string {
    return `is longer than ${this.#charsMax} characters`;
  }
}

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
