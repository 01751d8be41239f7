import { integerText } from '../big-integers.ts';
import { GoLayout } from './go-layout.ts';
import { type Instant, isWithinTime, outOfTime } from './instant.ts';
import { TimeZone } from './time-zone.ts';

/** The names of `time_format` (in any case) and what they are in Go. */
const namedLayouts: Readonly<Record<string, string>> = {
  ansic: 'Mon Jan _2 15:04:05 2006',
  unixdate: 'Mon Jan _2 15:04:05 MST 2006',
  rubydate: 'Mon Jan 02 15:04:05 -0700 2006',
  rfc822: '02 Jan 06 15:04 MST',
  rfc822z: '02 Jan 06 15:04 -0700',
  rfc850: 'Monday, 02-Jan-06 15:04:05 MST',
  rfc1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  rfc1123z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  rfc3339: '2006-01-02T15:04:05Z07:00',
  rfc3339nano: '2006-01-02T15:04:05.999999999Z07:00',
  stamp: 'Jan _2 15:04:05',
  stampmilli: 'Jan _2 15:04:05.000',
  stampmicro: 'Jan _2 15:04:05.000000',
  stampnano: 'Jan _2 15:04:05.000000000',
  iso8601: '2006-01-02T15:04:05',
};

/** Numeric formats, and how many of their digits are a fraction of a second. */
const unixDigits: Readonly<Record<string, number>> = {
  unix: 0,
  unix_ms: 3,
  unix_us: 6,
  unix_ns: 9,
};

const unreadable = 'does not match time_format';

/** A member of the table itself, not one that every object inherits (`constructor`). */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Reads times as a profile's transformer says: `time_format` and `time_location`. */
export class TimeReader {
  readonly #digits: number | undefined;
  readonly #layout: GoLayout | undefined;
  readonly #zone: TimeZone | undefined;
  /** Why no time can be read with this format and location. */
  readonly #problem: string | undefined;

  /** Without a format: a number is seconds since 1970, a text RFC 3339. */
  constructor(format = '', location = '') {
    const name = format.toLowerCase();
    this.#digits = own(unixDigits, name === '' ? 'unix' : name);
    this.#layout = GoLayout.compile(own(namedLayouts, name === '' ? 'rfc3339' : name) ?? format);
    const isUtc = location === '' || location.toUpperCase() === 'UTC';
    this.#zone = isUtc ? undefined : TimeZone.find(location);
    if (this.#digits === undefined && this.#layout === undefined) {
      this.#problem = 'time_format of the profile names no day';
    } else if (!isUtc && this.#zone === undefined) {
      this.#problem = 'time_location of the profile is not known';
    }
  }

  /** Reads `value` into `time`; returns what is wrong with it. */
  read(value: unknown, nowSeconds: number, time: Instant): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    if (!this.#parse(value, nowSeconds, time)) return unreadable;
    return isWithinTime(time.seconds) ? undefined : outOfTime;
  }

  #parse(value: unknown, nowSeconds: number, time: Instant): boolean {
    if (typeof value === 'number') {
      if (this.#digits === undefined) return false;
      if (this.#digits === 0) time.setSeconds(value);
      else return readDecimal(plain(value), this.#digits, time);
      return true;
    }
    if (typeof value !== 'string') return false;
    const text = integerText(value);
    if (this.#digits !== undefined && readDecimal(text, this.#digits, time)) return true;
    return this.#layout?.parse(text, this.#zone, nowSeconds, time) ?? false;
  }
}

/** A number's digits without an exponent. */
function plain(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(20);
}

/**
 * Reads a decimal number without rounding. The last `shift` of its integer digits are a fraction of a second. Digits
 * beyond nanoseconds are dropped.
 */
function readDecimal(text: string, shift: number, time: Instant): boolean {
  const match = /^([+-]?)(\d{1,30})(?:[.,](\d{1,30}))?$/.exec(text);
  if (match === null) return false;
  const [, sign, whole = '', fraction = ''] = match;
  const digits = whole.padStart(shift + 1, '0');
  const cut = digits.length - shift;
  const seconds = Number(digits.slice(0, cut));
  const nanos = Number((digits.slice(cut) + fraction).slice(0, 9).padEnd(9, '0'));
  const isNegative = sign === '-';
  time.seconds = isNegative ? -seconds - (nanos > 0 ? 1 : 0) : seconds;
  time.nanos = isNegative && nanos > 0 ? 1e9 - nanos : nanos;
  return true;
}
