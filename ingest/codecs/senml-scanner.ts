import { Instant, isWithinTime } from './instant.ts';
import type { CodecLimits } from './rejected.ts';
import type { SenmlPack } from './senml-pack.ts';
import { relativeSecondsMax } from './senml.ts';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const openBracket = 0x5b;
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
const colon = 0x3a;

/** Which members a record has had, so that one given twice is seen. */
const seen = { n: 1, u: 2, v: 4, t: 8, bn: 16, bt: 32, bu: 64 } as const;

/** A decimal of so many digits is below 2^53, and its division by a power of ten rounds once: exactly. */
const digitsMax = 15;
/** A time with more decimal places is not whole nanoseconds. */
const timePlacesMax = 9;
const powersOfTen = Float64Array.from({ length: digitsMax + 1 }, (_, exponent) => 10 ** exponent);

/** Room behind a body, so that what reads some bytes at once never reads beyond the end. */
const slackBytes = 8;
const gaveUp = -1;

/**
 * Reads the SenML that devices send most straight from its bytes into the pack: numbers with a name,
 * unit and time, written without white space, escapes or exponents. On anything else it gives up, and
 * the whole message is read the plain way (`JsonText`, `SenmlResolver`), which also finds what is wrong
 * with it. What it takes, it takes to the same bytes; a test holds the two against each other.
 *
 * What is read returns the place behind it, or `gaveUp`.
 */
export class SenmlScanner {
  readonly #pack: SenmlPack;
  readonly #recordsMax: number;
  readonly #unitCharsMax: number;
  readonly #now = new Instant();

  /** The body is copied here: into memory that stays, every access is a plain load. */
  #bytes = new Uint8Array(64 * 1024);
  #view = new DataView(this.#bytes.buffer);

  // The decimal read last. Fractions stand in a typed array, because in a field they are allocated anew.
  /** Its digits as one integer, and the whole part of it. */
  readonly #digits = new Float64Array(2);
  #places = 0;
  #negative = false;
  /** The time read last: seconds, and nanoseconds from 0 to 999,999,999. */
  readonly #time = new Float64Array(2);
  /** The base time, in the same way. */
  readonly #baseTime = new Float64Array(2);
  /** Where the base unit stands. */
  #unitStart = 0;
  #unitEnd = 0;

  constructor(pack: SenmlPack, limits: CodecLimits) {
    this.#pack = pack;
    this.#recordsMax = limits.recordsPerMessageMax;
    this.#unitCharsMax = limits.nameCharsMax;
  }

  /** True: the pack holds the message. False: read it the plain way. */
  scan(body: Uint8Array, nowMs: number): boolean {
    const { length } = body;
    this.#pack.clear();
    this.#now.setMilliseconds(nowMs);
    this.#baseTime.fill(0);
    this.#unitStart = 0;
    this.#unitEnd = 0;
    this.#take(body);
    const bytes = this.#bytes;
    if (bytes[0] !== openBracket) return false;
    let at = 1;
    for (;;) {
      if (this.#pack.count === this.#recordsMax) return false;
      at = this.#record(at);
      if (at === gaveUp) return false;
      const byte = bytes[at++];
      if (byte === closeBracket) return at === length;
      if (byte !== comma) return false;
    }
  }

  #take(body: Uint8Array): void {
    const needed = body.length + slackBytes;
    if (needed > this.#bytes.length) {
      this.#bytes = new Uint8Array(2 ** Math.ceil(Math.log2(needed)));
      this.#view = new DataView(this.#bytes.buffer);
    }
    this.#bytes.set(body);
    this.#bytes.fill(0, body.length, needed);
  }

  #record(start: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    const { names, units, values, times, count } = this.#pack;
    if (bytes[start] !== openBrace) return gaveUp;
    let at = start + 1;
    let members = 0;
    let unitStart = -1;
    let unitEnd = 0;

    for (;;) {
      const label = view.getInt32(at);
      let member = 0;
      at += 4;
      if (label === labels.v) {
        at = this.#decimal(at);
        if (at === gaveUp) return gaveUp;
        values[count] = this.#value();
        member = seen.v;
      } else if (label === labels.n) {
        if (bytes[at] !== quote) return gaveUp;
        at = names.appendBytes(bytes, at + 1);
        if (at === gaveUp || bytes[at++] !== quote) return gaveUp;
        member = seen.n;
      } else if (label === labels.t) {
        at = this.#seconds(at, this.#time);
        if (at === gaveUp) return gaveUp;
        member = seen.t;
      } else if (label === labels.u) {
        unitStart = at + 1;
        at = this.#unit(at);
        if (at === gaveUp) return gaveUp;
        unitEnd = at - 1;
        member = seen.u;
      } else if (bytes[at++] !== colon) {
        return gaveUp;
      } else if (label === labels.bt) {
        at = this.#seconds(at, this.#baseTime);
        if (at === gaveUp) return gaveUp;
        member = seen.bt;
      } else if (label === labels.bn) {
        // A name that stands before its base name has been written already.
        if (bytes[at] !== quote || (members & seen.n) !== 0) return gaveUp;
        at = names.setBaseBytes(bytes, at + 1);
        if (at === gaveUp || bytes[at++] !== quote) return gaveUp;
        member = seen.bn;
      } else if (label === labels.bu) {
        this.#unitStart = at + 1;
        at = this.#unit(at);
        if (at === gaveUp) return gaveUp;
        this.#unitEnd = at - 1;
        member = seen.bu;
      } else {
        return gaveUp;
      }
      if ((members & member) !== 0) return gaveUp;
      members |= member;
      const byte = bytes[at++];
      if (byte === closeBrace) break;
      if (byte !== comma) return gaveUp;
    }
    if ((members & seen.v) === 0) return gaveUp;
    // Without a name of its own it has the base name alone; the closing brace ends an empty one.
    if ((members & seen.n) === 0 && names.appendBytes(bytes, at - 1) === gaveUp) return gaveUp;
    if ((members & seen.t) === 0) this.#time.fill(0);
    const appended =
      unitStart === -1
        ? units.appendAscii(view, this.#unitStart, this.#unitEnd)
        : units.appendAscii(view, unitStart, unitEnd);
    if (!appended) return gaveUp;

    let seconds = this.#read(this.#time, 0) + this.#read(this.#baseTime, 0);
    let nanos = this.#read(this.#time, 1) + this.#read(this.#baseTime, 1);
    if (nanos >= 1e9) {
      nanos -= 1e9;
      seconds += 1;
    }
    if (seconds < relativeSecondsMax) {
      seconds += this.#now.seconds;
      nanos += this.#now.nanos;
      if (nanos >= 1e9) {
        nanos -= 1e9;
        seconds += 1;
      }
    }
    if (!isWithinTime(seconds)) return gaveUp;
    times.set(count, seconds, nanos);
    if (!Object.is(values[count], 0)) this.#pack.numbers += 1;
    this.#pack.count = count + 1;
    return at;
  }

  #read(pair: Float64Array, index: 0 | 1): number {
    return pair[index] ?? 0;
  }

  /** Passes a string of printable ASCII without escapes. */
  #unit(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== quote) return gaveUp;
    let at = start + 1;
    for (;;) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) break;
      if (byte < 0x20 || byte > 0x7e || byte === 0x5c) return gaveUp;
      at += 1;
    }
    return at - start - 1 > this.#unitCharsMax ? gaveUp : at + 1;
  }

  /** Passes a number without an exponent (RFC 8259 §6). */
  #decimal(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    const negative = bytes[at] === minus;
    if (negative) at += 1;
    const start = at;
    let digits = 0;
    let digit = (bytes[at] ?? 0) - zero;
    while (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit;
      at += 1;
      digit = (bytes[at] ?? 0) - zero;
    }
    const whole = at - start;
    if (whole === 0 || (whole > 1 && bytes[start] === zero)) return gaveUp;
    this.#digits[1] = digits;
    let places = 0;
    if (bytes[at] === point) {
      at += 1;
      const fraction = at;
      digit = (bytes[at] ?? 0) - zero;
      while (digit >= 0 && digit <= 9) {
        digits = digits * 10 + digit;
        at += 1;
        digit = (bytes[at] ?? 0) - zero;
      }
      places = at - fraction;
      if (places === 0) return gaveUp;
    }
    if (whole + places > digitsMax) return gaveUp;
    this.#digits[0] = digits;
    this.#places = places;
    this.#negative = negative;
    return at;
  }

  /** The decimal read last, as JSON.parse gives it. */
  #value(): number {
    const digits = this.#digits[0] ?? 0;
    const places = this.#places;
    const size = places === 0 ? digits : digits / (powersOfTen[places] ?? 1);
    return this.#negative ? -size : size;
  }

  /** Passes a decimal and keeps it in `time`, to the nanosecond as it is written. */
  #seconds(from: number, time: Float64Array): number {
    const at = this.#decimal(from);
    if (at === gaveUp || this.#places > timePlacesMax) return gaveUp;
    const whole = this.#digits[1] ?? 0;
    const places = this.#places;
    const fraction = (this.#digits[0] ?? 0) - whole * (powersOfTen[places] ?? 1);
    const nanos = fraction * (powersOfTen[timePlacesMax - places] ?? 1);
    if (!this.#negative) {
      time[0] = whole;
      time[1] = nanos;
    } else {
      time[0] = nanos === 0 ? -whole : -whole - 1;
      time[1] = nanos === 0 ? 0 : 1e9 - nanos;
    }
    return at;
  }
}

function fourBytes(text: string): number {
  return Buffer.from(text).readInt32BE();
}
