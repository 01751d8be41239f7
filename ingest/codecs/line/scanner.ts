import { kinds } from '../senml/column-batch.ts';
import { Instant, isWithinTime } from '../../../schemas/transform/instant.ts';
import type { LineBatch } from './batch.ts';
import type { Precision } from './precision.ts';
import { hashWith, none } from './series-cache.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const equals = 0x3d;
const backslash = 0x5c;
const letterI = 0x69;
const letterU = 0x75;
const asciiEnd = 0x7f;
/** Makes a letter of ASCII a small one. */
const toSmall = 0x20;
const letterF = 0x66;
const letterT = 0x74;

/** So many digits are a number that a double has exactly, and so are these powers of ten. */
const exactDigitsMax = 15;
const powers = Float64Array.from({ length: exactDigitsMax + 1 }, (_, power) => 10 ** power);
const timeDigitsMax = 19;
const decimal = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
/** A longer number is read the plain way. */
const numberCharsMax = 32;

/** `value=`, as words. */
const valueText = Buffer.from('value=');
const valueBytes = valueText.length;
const valueWord = valueText.readInt32BE(0);
const valueEnd = valueText.readInt16BE(4);

/** Bytes that stand for themselves in a field's key. */
const inKey = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > space && byte < asciiEnd && byte !== comma && byte !== equals && byte !== backslash
    ? 1
    : 0,
);

export const gaveUp = -1;

/** All lines of a body have these in common. */
type ScannedBody = {
  body: Buffer;
  precision: Precision;
  /** Where the hashes of keys begin: other rules make another series of the same key. */
  seed: number;
  nowMs: number;
  /** Finds what a key says that was not seen before, and remembers it; `none`: something is wrong with it. */
  learn: (key: Buffer, hash: number) => number;
};

/**
 * Reads a line as clients write it from its bytes into the batch. On anything else it gives up, and the line is read the
 * plain way (plain.ts), which also finds what is wrong with it; a test compares the two.
 */
export class LineScanner {
  readonly #batch: LineBatch;
  readonly #nameBytesMax: number;
  readonly #now = new Instant();
  #body: Buffer = Buffer.alloc(0);
  /** The same bytes, for what is read in words. */
  #view: DataView = new DataView(new ArrayBuffer(0));
  #end = 0;
  #unitSeconds = 1;
  #fractionDigits = 0;
  #seed = 0;
  #learn: ScannedBody['learn'] = () => none;
  /** Of the line before. */
  #last = none;
  // Where it is in the line.
  #at = 0;
  #seconds = 0;
  #nanos = 0;

  constructor(batch: LineBatch, nameBytesMax: number) {
    this.#batch = batch;
    this.#nameBytesMax = nameBytesMax;
  }

  begin({ body, precision, seed, nowMs, learn }: ScannedBody): void {
    this.#body = body;
    this.#end = body.length;
    this.#view = new DataView(body.buffer, body.byteOffset, body.length);
    this.#last = none;
    this.#unitSeconds = precision.unitSeconds;
    this.#fractionDigits = precision.fractionDigits;
    this.#seed = seed;
    this.#now.setMilliseconds(nowMs);
    this.#learn = learn;
  }

  /** Reads the line that begins at `start`. Returns where the next one begins; or `gaveUp`, and the batch is as before. */
  scan(start: number): number {
    const batch = this.#batch;
    batch.begin();
    const series = this.#seriesAt(start);
    if (series === none) return gaveUp;
    do {
      this.#at += 1;
      if (this.#field(series)) continue;
      batch.takeBack();
      return gaveUp;
    } while (this.#next() === comma);
    if (!this.#time()) {
      batch.takeBack();
      return gaveUp;
    }
    batch.end(series, this.#seconds, this.#nanos);
    return this.#at + 1;
  }

  /** The byte at which it is; at the end of the body, a newline. */
  #next(): number {
    return this.#at < this.#end ? (this.#body[this.#at] ?? 0) : newline;
  }

  /** Clients send their series in the same order again and again: so the one that came next last time is tried first. */
  #seriesAt(start: number): number {
    const { series: cache } = this.#batch;
    const last = this.#last;
    const guess = last === none ? none : (cache.followers[last] ?? none);
    const length = guess === none ? none : cache.keyBytesAt(guess, this.#view, start);
    if (length !== none) {
      this.#at = start + length;
      this.#last = guess;
      return guess;
    }
    const series = this.#key(start);
    if (last !== none && series !== none) cache.followers[last] = series;
    this.#last = series;
    return series;
  }

  /** The series of measurement and tags, which end at a space that has no backslash before it. */
  #key(start: number): number {
    const body = this.#body;
    const end = this.#end;
    let hash = this.#seed;
    let before = comma;
    for (let at = start; at < end; at++) {
      const byte = body[at] ?? 0;
      if (byte === space && before !== backslash) {
        this.#at = at;
        const known = this.#batch.series.find(body, start, at, hash);
        return known === none ? this.#learn(body.subarray(start, at), hash) : known;
      }
      // Lines are told apart by other rules where two backslashes follow each other.
      if (byte < space || (byte === backslash && before === backslash)) return none;
      hash = hashWith(hash, byte);
      before = byte;
    }
    return none;
  }

  #field(series: number): boolean {
    const body = this.#body;
    const start = this.#at;
    if (this.#isValue(start)) {
      this.#at = start + valueBytes;
      return this.#value();
    }
    let at = start;
    while (at < this.#end && inKey[body[at] ?? 0] === 1) at += 1;
    if (at === start || at >= this.#end || body[at] !== equals) return false;
    this.#at = at + 1;
    if (!this.#value()) return false;
    const nameBytes = this.#batch.series.measurementBytes(series) + 1 + at - start;
    return nameBytes <= this.#nameBytesMax && this.#batch.name(series, body, start, at);
  }

  /** Whether the field `value` begins there. */
  #isValue(start: number): boolean {
    const view = this.#view;
    return (
      start + valueBytes <= this.#end &&
      view.getInt32(start) === valueWord &&
      view.getInt16(start + 4) === valueEnd
    );
  }

  #value(): boolean {
    const first = this.#next();
    if (first === quote) return this.#string();
    const letter = first | toSmall;
    return letter === letterT || letter === letterF ? this.#boolean(letter) : this.#number(first);
  }

  #number(first: number): boolean {
    const body = this.#body;
    const start = this.#at;
    let at = first === minus ? start + 1 : start;
    let digits = 0;
    let whole = 0;
    let afterPoint = 0;
    let hasPoint = 0;
    let byte = 0;
    for (; at < this.#end; at++) {
      byte = body[at] ?? 0;
      const digit = byte - zero;
      if (digit >= 0 && digit <= 9) {
        whole = whole * 10 + digit;
        digits += 1;
        afterPoint += hasPoint;
      } else if (byte === point && hasPoint === 0) hasPoint = 1;
      else break;
    }
    const isWhole = at < this.#end && (byte === letterI || byte === letterU);
    if (digits === 0) return false;
    if (digits > exactDigitsMax || (at < this.#end && !isWhole && !isEnd(byte))) {
      return this.#anyNumber();
    }
    if (isWhole) {
      if (hasPoint === 1 || (byte === letterU && first === minus)) return false;
      at += 1;
    }
    if (at < this.#end && !isEnd(body[at] ?? 0)) return false;
    this.#at = at;
    const value = afterPoint === 0 ? whole : whole / (powers[afterPoint] ?? 1);
    return this.#batch.add(kinds.value, first === minus ? -value : value);
  }

  /** A number with many digits or an exponent: what it is can't be said digit by digit. */
  #anyNumber(): boolean {
    const start = this.#at;
    let at = start;
    while (at < this.#end && !isEnd(this.#body[at] ?? 0)) at += 1;
    if (at - start > numberCharsMax) return false;
    const text = this.#body.toString('latin1', start, at);
    const value = decimal.test(text) ? Number(text) : Number.NaN;
    this.#at = at;
    return Number.isFinite(value) && this.#batch.add(kinds.value, value);
  }

  #boolean(letter: number): boolean {
    const start = this.#at;
    let at = start + 1;
    while (at < this.#end && !isEnd(this.#body[at] ?? 0)) at += 1;
    this.#at = at;
    if (at > start + 1 && !isBoolean(this.#body, start, at)) return false;
    return this.#batch.add(kinds.bool, letter === letterT ? 1 : 0);
  }

  #string(): boolean {
    const body = this.#body;
    const start = this.#at + 1;
    for (let at = start; at < this.#end; at++) {
      const byte = body[at] ?? 0;
      if (byte === quote) {
        this.#at = at + 1;
        if (!isEnd(this.#next())) return false;
        return this.#batch.add(kinds.string, 0) && this.#batch.text(body, start, at);
      }
      if (byte < space || byte > asciiEnd || byte === backslash) return false;
    }
    return false;
  }

  /** The time, if there is one, up to the line's end. */
  #time(): boolean {
    const next = this.#next();
    if (next === space) return this.#digits();
    this.#seconds = this.#now.seconds;
    this.#nanos = this.#now.nanos;
    return this.#isLineEnd(next);
  }

  #isLineEnd(byte: number): boolean {
    if (byte === newline) return true;
    if (byte !== carriageReturn) return false;
    this.#at += 1;
    return this.#next() === newline;
  }

  #digits(): boolean {
    const body = this.#body;
    const isNegative = body[this.#at + 1] === minus;
    const start = this.#at + (isNegative ? 2 : 1);
    let at = start;
    while (at < this.#end && isDigit(body[at] ?? 0)) at += 1;
    if (at === start || at - start > timeDigitsMax) return false;
    const fractionDigits = this.#fractionDigits;
    const wholeEnd = Math.max(start, at - fractionDigits);
    let seconds = 0;
    for (let digit = start; digit < wholeEnd; digit++) {
      seconds = seconds * 10 + (body[digit] ?? 0) - zero;
    }
    let nanos = 0;
    for (let digit = wholeEnd; digit < at; digit++) nanos = nanos * 10 + (body[digit] ?? 0) - zero;
    if (fractionDigits > 0) nanos *= powers[9 - fractionDigits] ?? 1;
    seconds *= this.#unitSeconds;
    if (isNegative) {
      seconds = nanos > 0 ? -seconds - 1 : 0 - seconds;
      if (nanos > 0) nanos = 1e9 - nanos;
    }
    this.#at = at;
    this.#seconds = seconds;
    this.#nanos = nanos;
    return isWithinTime(seconds) && this.#isLineEnd(this.#next());
  }
}

/** Whether a value ends before this byte. */
const isEnd = (byte: number): boolean =>
  byte === comma || byte === space || byte === newline || byte === carriageReturn;

const isDigit = (byte: number): boolean => byte >= zero && byte <= zero + 9;

const booleans = new Set(['true', 'True', 'TRUE', 'false', 'False', 'FALSE']);
const booleanCharsMax = 5;

const isBoolean = (body: Buffer, start: number, end: number): boolean =>
  end - start <= booleanCharsMax && booleans.has(body.toString('latin1', start, end));
