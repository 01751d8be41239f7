import { Instant, isWithinTime } from './instant.ts';
import type { CodecLimits } from './rejected.ts';
import { kinds, type SenmlPack } from './senml-pack.ts';
import { relativeSecondsMax } from './senml.ts';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const letterB = 0x62;
const letterN = 0x6e;
const letterT = 0x74;
const letterU = 0x75;
const letterV = 0x76;

/** Which members a record has had, so that one given twice is seen. */
const seen = { n: 1, u: 2, v: 4, t: 8, bn: 16, bt: 32, bu: 64 } as const;

/** A decimal of so many digits is below 2^53, and its division by a power of ten rounds once: exactly. */
const digitsMax = 15;
const powersOfTen = Array.from({ length: digitsMax + 1 }, (_, exponent) => 10 ** exponent);

/**
 * Reads the SenML that devices send most straight from its bytes into the pack: numbers with a name,
 * unit and time, written without white space, escapes or exponents. On anything else it gives up, and
 * the whole message is read the plain way (`JsonText`, `SenmlResolver`), which also finds what is wrong
 * with it. What it takes, it takes to the same bytes; a test holds the two against each other.
 */
export class SenmlScanner {
  readonly #pack: SenmlPack;
  readonly #recordsMax: number;
  readonly #unitCharsMax: number;
  readonly #now = new Instant();
  readonly #baseTime = new Instant();
  readonly #time = new Instant();

  #body: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** The number read last. A typed array, because a number in a field is allocated anew each time. */
  readonly #number = new Float64Array(1);
  /** Where the base unit stands in the body. */
  #unitStart = 0;
  #unitEnd = 0;

  constructor(pack: SenmlPack, limits: CodecLimits) {
    this.#pack = pack;
    this.#recordsMax = limits.recordsPerMessageMax;
    this.#unitCharsMax = limits.nameCharsMax;
  }

  /** True: the pack holds the message. False: read it the plain way. */
  scan(body: Uint8Array, nowMs: number): boolean {
    this.#pack.clear();
    this.#now.setMilliseconds(nowMs);
    this.#baseTime.clear();
    this.#unitStart = 0;
    this.#unitEnd = 0;
    this.#body = body;
    if (body[0] !== openBracket) return false;
    this.#at = 1;
    for (;;) {
      if (this.#pack.count === this.#recordsMax || !this.#record()) return false;
      const byte = body[this.#at++];
      if (byte === closeBracket) return this.#at === body.length;
      if (byte !== comma) return false;
    }
  }

  #record(): boolean {
    const body = this.#body;
    const pack = this.#pack;
    if (body[this.#at++] !== openBrace) return false;
    let members = 0;
    let nameStart = 0;
    let nameEnd = 0;
    let unitStart = -1;
    let unitEnd = 0;
    this.#time.clear();

    for (;;) {
      if (body[this.#at] !== quote) return false;
      const label = body[this.#at + 1];
      if (label === letterB) {
        const member = this.#baseMember(members);
        if (member === 0) return false;
        members |= member;
      } else {
        if (body[this.#at + 2] !== quote || body[this.#at + 3] !== colon) return false;
        this.#at += 4;
        if (label === letterV) {
          if ((members & seen.v) !== 0 || !this.#decimal()) return false;
          pack.values[pack.count] = this.#number[0] ?? 0;
          members |= seen.v;
        } else if (label === letterN) {
          nameStart = this.#at + 1;
          nameEnd = this.#string();
          if ((members & seen.n) !== 0 || nameEnd === -1) return false;
          members |= seen.n;
        } else if (label === letterT) {
          if ((members & seen.t) !== 0 || !this.#decimal()) return false;
          this.#time.setSeconds(this.#number[0] ?? 0);
          members |= seen.t;
        } else if (label === letterU) {
          unitStart = this.#at + 1;
          unitEnd = this.#string();
          if ((members & seen.u) !== 0 || unitEnd === -1) return false;
          if (unitEnd - unitStart > this.#unitCharsMax) return false;
          members |= seen.u;
        } else {
          return false;
        }
      }
      const byte = body[this.#at++];
      if (byte === closeBrace) break;
      if (byte !== comma) return false;
    }
    if ((members & seen.v) === 0) return false;

    if (unitStart === -1) {
      unitStart = this.#unitStart;
      unitEnd = this.#unitEnd;
    }
    return (
      this.#setTime() &&
      pack.names.appendBytes(body, nameStart, nameEnd) &&
      pack.units.appendAscii(body, unitStart, unitEnd) &&
      this.#endRecord()
    );
  }

  /** A member whose label begins with b; returns its bit, or 0 to give up. */
  #baseMember(members: number): number {
    const body = this.#body;
    const label = body[this.#at + 2];
    if (body[this.#at + 3] !== quote || body[this.#at + 4] !== colon) return 0;
    this.#at += 5;
    if (label === letterT) {
      if ((members & seen.bt) !== 0 || !this.#decimal()) return 0;
      this.#baseTime.setSeconds(this.#number[0] ?? 0);
      return seen.bt;
    }
    const start = this.#at + 1;
    const end = this.#string();
    if (end === -1) return 0;
    if (label === letterN) {
      if ((members & seen.bn) !== 0) return 0;
      return this.#pack.names.setBaseBytes(body, start, end) ? seen.bn : 0;
    }
    if (label !== letterU || (members & seen.bu) !== 0) return 0;
    if (end - start > this.#unitCharsMax) return 0;
    this.#unitStart = start;
    this.#unitEnd = end;
    return seen.bu;
  }

  /** Passes a string of printable ASCII without escapes; returns where it ends, or -1 to give up. */
  #string(): number {
    const body = this.#body;
    if (body[this.#at] !== quote) return -1;
    let at = this.#at + 1;
    for (;;) {
      const byte = body[at] ?? 0;
      if (byte === quote) break;
      if (byte < 0x20 || byte > 0x7e || byte === 0x5c) return -1;
      at += 1;
    }
    this.#at = at + 1;
    return at;
  }

  /** Passes a number without an exponent (RFC 8259 §6) into `#number`; false: give up. */
  #decimal(): boolean {
    const body = this.#body;
    let at = this.#at;
    const negative = body[at] === minus;
    if (negative) at += 1;
    const start = at;
    let mantissa = 0;
    let digit = (body[at] ?? 0) - zero;
    while (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      at += 1;
      digit = (body[at] ?? 0) - zero;
    }
    const whole = at - start;
    if (whole === 0 || (whole > 1 && body[start] === zero)) return false;
    let fraction = 0;
    if (body[at] === point) {
      at += 1;
      const from = at;
      digit = (body[at] ?? 0) - zero;
      while (digit >= 0 && digit <= 9) {
        mantissa = mantissa * 10 + digit;
        at += 1;
        digit = (body[at] ?? 0) - zero;
      }
      fraction = at - from;
      if (fraction === 0) return false;
    }
    if (whole + fraction > digitsMax) return false;
    const size = fraction === 0 ? mantissa : mantissa / (powersOfTen[fraction] ?? 1);
    this.#number[0] = negative ? -size : size;
    this.#at = at;
    return true;
  }

  #setTime(): boolean {
    const time = this.#time;
    time.add(this.#baseTime);
    if (time.seconds < relativeSecondsMax) time.add(this.#now);
    if (!isWithinTime(time.seconds)) return false;
    this.#pack.times.set(this.#pack.count, time);
    return true;
  }

  #endRecord(): boolean {
    const pack = this.#pack;
    const index = pack.count;
    pack.kinds[index] = kinds.value;
    if (!Object.is(pack.values[index], 0)) pack.numbers += 1;
    pack.hasSum[index] = 0;
    pack.hasUpdateTime[index] = 0;
    pack.count = index + 1;
    return true;
  }
}
