import { Spans } from '../columns.ts';
import { Instant, isWithinTime } from '../time/instant.ts';
import { nameChars } from './names.ts';
import type { CodecLimits } from '../rejected.ts';
import type { SenmlColumnBatch } from './column-batch.ts';
import { relativeSecondsMax } from './senml.ts';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** A label with its quotes and colon, as four bytes read at once; the base labels take a colon more. */
const labels = {
  n: fourBytes('"n":'),
  u: fourBytes('"u":'),
  v: fourBytes('"v":'),
  t: fourBytes('"t":'),
  bn: fourBytes('"bn"'),
  bt: fourBytes('"bt"'),
  bu: fourBytes('"bu"'),
} as const;

/** A bit for each member that a record has had, so that one given twice is noticed. */
const seen = { n: 1, u: 2, v: 4, t: 8, bn: 16, bt: 32, bu: 64 } as const;

/** 1: printable ASCII that stands in a JSON string without an escape. */
const unitChars = Uint8Array.from({ length: 256 }, (_, char) =>
  char >= 0x20 && char <= 0x7e && char !== quote && char !== backslash ? 1 : 0,
);

/** A decimal of up to this many digits is below 2^53, and its division by a power of ten rounds once: exactly. */
const digitsMax = 15;
/** A time with more decimal places is not whole nanoseconds. */
const timePlacesMax = 9;
const powersOfTen = Float64Array.from({ length: digitsMax + 1 }, (_, exponent) => 10 ** exponent);

/** Zeros after a body, so that reading several bytes at once never goes beyond the end. */
const slackBytes = 8;
const gaveUp = -1;

/**
 * Reads the SenML that devices send most straight from its bytes into the column batch: numbers with a
 * name, unit and time, and base fields in the first record, written without white space, escapes or exponents.
 * On anything else it gives up, and the whole message is read the plain way (`JsonText`, `SenmlResolver`),
 * which also finds what is wrong with it. Both ways give the same bytes for the same message; a test compares
 * them.
 *
 * It goes over the bytes once and notes where names and units are; then each column is filled in one go.
 * Loops without calls are what V8 makes fast: a call for each record and column took half of the time.
 */
export class SenmlScanner {
  readonly #batch: SenmlColumnBatch;
  readonly #recordsMax: number;
  readonly #charsMax: number;
  readonly #now = new Instant();

  /** The body is copied here: into memory that stays, every access is a plain load. */
  #bytes = new Uint8Array(64 * 1024);
  #view = new DataView(this.#bytes.buffer);

  readonly #names: Spans;
  readonly #units: Spans;
  readonly #times: Times;
  readonly #baseName = new Spans(1);
  readonly #baseUnit = new Spans(1);
  readonly #baseTime = new Times(1);

  // The decimal read last: what is before and after its point, each as an integer.
  #whole = 0;
  #fraction = 0;
  #places = 0;
  #negative = false;

  constructor(batch: SenmlColumnBatch, limits: CodecLimits) {
    const { recordsPerMessageMax, nameCharsMax } = limits;
    this.#batch = batch;
    this.#recordsMax = recordsPerMessageMax;
    this.#charsMax = nameCharsMax;
    this.#names = new Spans(recordsPerMessageMax);
    this.#units = new Spans(recordsPerMessageMax);
    this.#times = new Times(recordsPerMessageMax);
  }

  /** True: the batch has the message. False: read it the plain way. */
  scan(body: Uint8Array, nowMs: number): boolean {
    const batch = this.#batch;
    batch.clear();
    this.#take(body);
    const count = this.#read(body.length);
    if (count === gaveUp || !this.#fillTimes(count, nowMs)) return false;
    const { column } = batch.names;
    if (!this.#namesBeginWell(count)) return false;
    if (!column.appendSpans(this.#view, this.#baseName, this.#names, count, this.#charsMax))
      return false;
    if (!batch.units.appendSpans(this.#view, this.#units, count, this.#charsMax)) return false;
    batch.count = count;
    return true;
  }

  #take(body: Uint8Array): void {
    const needed = body.length + slackBytes;
    if (needed > this.#bytes.length) {
      this.#bytes = new Uint8Array(2 ** Math.ceil(Math.log2(needed)));
      this.#view = new DataView(this.#bytes.buffer);
    }
    this.#bytes.set(body);
    this.#view.setFloat64(body.length, 0);
  }

  /**
   * Notes what the records hold. Returns how many they are, or `gaveUp`. One loop, though long: calls for each record
   * took half of the time (benchmark: micro).
   */
  #read(length: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    const { values } = this.#batch;
    const names = this.#names;
    const units = this.#units;
    const times = this.#times;
    const baseUnit = this.#baseUnit;
    this.#baseName.set(0, 0, 0);
    baseUnit.set(0, 0, 0);
    this.#baseTime.set(0, 0, 0);
    if (bytes[0] !== openBracket) return gaveUp;
    let at = 1;
    let numbers = 0;

    for (let count = 0; count < this.#recordsMax; count++) {
      if (bytes[at++] !== openBrace) return gaveUp;
      let members = 0;
      for (;;) {
        const label = view.getInt32(at, true);
        let member = 0;
        at += 4;
        if (label === labels.v || label === labels.t) {
          at = this.#decimal(at);
          if (at === gaveUp) return gaveUp;
          if (label === labels.v) {
            const value = this.#value();
            values[count] = value;
            if (!Object.is(value, 0)) numbers += 1;
            member = seen.v;
          } else {
            if (this.#places > timePlacesMax) return gaveUp;
            this.#keepTime(times, count);
            member = seen.t;
          }
        } else if (label === labels.n) {
          if (bytes[at++] !== quote) return gaveUp;
          const start = at;
          while (nameChars[bytes[at] ?? 0] !== 0) at += 1;
          names.set(count, start, at);
          if (bytes[at++] !== quote) return gaveUp;
          member = seen.n;
        } else if (label === labels.u) {
          if (bytes[at++] !== quote) return gaveUp;
          const start = at;
          while (unitChars[bytes[at] ?? 0] !== 0) at += 1;
          units.set(count, start, at);
          if (bytes[at++] !== quote) return gaveUp;
          member = seen.u;
        } else {
          // In a later record, only some of the records would have the new base.
          if (count > 0) return gaveUp;
          at = this.#baseMember(label, at);
          if (at === gaveUp) return gaveUp;
          member = label === labels.bn ? seen.bn : label === labels.bt ? seen.bt : seen.bu;
        }
        if ((members & member) !== 0) return gaveUp;
        members |= member;
        const byte = bytes[at++];
        if (byte === closeBrace) break;
        if (byte !== comma) return gaveUp;
      }
      if ((members & seen.v) === 0) return gaveUp;
      if ((members & seen.n) === 0) names.set(count, 0, 0);
      if ((members & seen.t) === 0) times.set(count, 0, 0);
      if ((members & seen.u) === 0)
        units.set(count, baseUnit.starts[0] ?? 0, baseUnit.ends[0] ?? 0);
      const byte = bytes[at++];
      if (byte === closeBracket) {
        this.#batch.numbers = numbers;
        return at === length ? count + 1 : gaveUp;
      }
      if (byte !== comma) return gaveUp;
    }
    return gaveUp;
  }

  /** Skips the value of a base label. Returns the place after it, or `gaveUp`. */
  #baseMember(label: number, from: number): number {
    const bytes = this.#bytes;
    let at = from;
    if (bytes[at++] !== colon) return gaveUp;
    if (label === labels.bt) {
      at = this.#decimal(at);
      if (at === gaveUp || this.#places > timePlacesMax) return gaveUp;
      this.#keepTime(this.#baseTime, 0);
      return at;
    }
    if (bytes[at++] !== quote) return gaveUp;
    const start = at;
    if (label === labels.bn) {
      while (nameChars[bytes[at] ?? 0] !== 0) at += 1;
      this.#baseName.set(0, start, at);
    } else if (label === labels.bu) {
      while (unitChars[bytes[at] ?? 0] !== 0) at += 1;
      this.#baseUnit.set(0, start, at);
    } else {
      return gaveUp;
    }
    return bytes[at] === quote ? at + 1 : gaveUp;
  }

  /** Skips a number without an exponent (RFC 8259 §6). Returns the place after it, or `gaveUp`. */
  #decimal(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    const negative = bytes[at] === minus;
    if (negative) at += 1;
    const start = at;
    let whole = 0;
    let digit = (bytes[at] ?? 0) - zero;
    while (isDigit(digit)) {
      whole = whole * 10 + digit;
      at += 1;
      digit = (bytes[at] ?? 0) - zero;
    }
    const wholeDigits = at - start;
    if (wholeDigits === 0 || (wholeDigits > 1 && bytes[start] === zero)) return gaveUp;
    let fraction = 0;
    let places = 0;
    if (digit === point - zero) {
      at += 1;
      const fractionStart = at;
      digit = (bytes[at] ?? 0) - zero;
      while (isDigit(digit)) {
        fraction = fraction * 10 + digit;
        at += 1;
        digit = (bytes[at] ?? 0) - zero;
      }
      places = at - fractionStart;
      if (places === 0) return gaveUp;
    }
    if (wholeDigits + places > digitsMax) return gaveUp;
    this.#whole = whole;
    this.#fraction = fraction;
    this.#places = places;
    this.#negative = negative;
    return at;
  }

  /** The decimal read last, as JSON.parse gives it. */
  #value(): number {
    const power = powersOfTen[this.#places] ?? 1;
    const size = (this.#whole * power + this.#fraction) / power;
    return this.#negative ? -size : size;
  }

  /** Keeps the decimal read last as a time, to the nanosecond as it is written. */
  #keepTime(times: Times, index: number): void {
    const nanos = this.#fraction * (powersOfTen[timePlacesMax - this.#places] ?? 1);
    if (!this.#negative) times.set(index, this.#whole, nanos);
    else if (nanos === 0) times.set(index, -this.#whole, 0);
    else times.set(index, -this.#whole - 1, 1e9 - nanos);
  }

  /** Whether all resolved names begin with a letter or digit. An empty one does not. */
  #namesBeginWell(count: number): boolean {
    const bytes = this.#bytes;
    const baseStart = this.#baseName.starts[0] ?? 0;
    if (this.#baseName.ends[0] !== baseStart) return nameChars[bytes[baseStart] ?? 0] === 2;
    const { starts } = this.#names;
    for (let at = 0; at < count; at++) {
      if (nameChars[bytes[starts[at] ?? 0] ?? 0] !== 2) return false;
    }
    return true;
  }

  /** Base time + time; those below 2^28 are relative to now (RFC 8428 §4.5.3). */
  #fillTimes(count: number, nowMs: number): boolean {
    const { times } = this.#batch;
    const now = this.#now;
    now.setMilliseconds(nowMs);
    const { seconds: nowSeconds, nanos: nowNanos } = now;
    const baseSeconds = this.#baseTime.seconds[0] ?? 0;
    const baseNanos = this.#baseTime.nanos[0] ?? 0;
    const { seconds: ownSeconds, nanos: ownNanos } = this.#times;
    for (let at = 0; at < count; at++) {
      let seconds = (ownSeconds[at] ?? 0) + baseSeconds;
      let nanos = (ownNanos[at] ?? 0) + baseNanos;
      if (nanos >= 1e9) {
        nanos -= 1e9;
        seconds += 1;
      }
      if (seconds < relativeSecondsMax) {
        seconds += nowSeconds;
        nanos += nowNanos;
        if (nanos >= 1e9) {
          nanos -= 1e9;
          seconds += 1;
        }
      }
      if (!isWithinTime(seconds)) return false;
      times.set(at, seconds, nanos);
    }
    return true;
  }
}

/** Times in whole seconds and nanoseconds, from 0 to 999,999,999. */
class Times {
  readonly seconds: Float64Array;
  readonly nanos: Float64Array;

  constructor(capacity: number) {
    this.seconds = new Float64Array(capacity);
    this.nanos = new Float64Array(capacity);
  }

  set(index: number, seconds: number, nanos: number): void {
    this.seconds[index] = seconds;
    this.nanos[index] = nanos;
  }
}

/** From 0 to 9, in one comparison: below zero it becomes large. */
function isDigit(digit: number): boolean {
  return digit >>> 0 < 10;
}

function fourBytes(text: string): number {
  return Buffer.from(text).readInt32LE();
}
