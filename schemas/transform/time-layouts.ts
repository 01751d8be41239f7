import { keptDigits } from './exact-numbers.ts';
import { GoLayout, type Unread } from './go-layout.ts';
import { shown } from '../json/shown.ts';
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

const zonedIso = '2006-01-02T15:04:05Z07:00';

/** Numeric formats, and how many of their digits are a fraction of a second. */
const unixDigits: Readonly<Record<string, number>> = {
  unix: 0,
  unix_ms: 3,
  unix_us: 6,
  unix_ns: 9,
};

/** The unit that a number has in each of them, for errors. */
const unixUnits: Readonly<Record<string, string>> = {
  unix: 'seconds since 1970',
  unix_ms: 'milliseconds since 1970',
  unix_us: 'microseconds since 1970',
  unix_ns: 'nanoseconds since 1970',
};

/** A member of the table itself, not one that every object inherits (`constructor`). */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Reads times as a profile's transformer says: `time_format` and `time_location`. */
export class TimeReader {
  readonly #digits: number | undefined;
  readonly #layout: GoLayout | undefined;
  /** The layout of ISO 8601 for a time with a zone. */
  readonly #zonedLayout: GoLayout | undefined;
  /** Both for errors. */
  readonly #format: string;
  readonly #location: string;
  readonly #zone: TimeZone | undefined;
  /** Why no time can be read with this format and location. */
  readonly #problem: string | undefined;

  /** Without a format: a number is seconds since 1970, a text RFC 3339. */
  constructor(format = '', location = '') {
    const name = format.toLowerCase();
    this.#digits = own(unixDigits, name === '' ? 'unix' : name);
    this.#layout = GoLayout.compile(own(namedLayouts, name === '' ? 'rfc3339' : name) ?? format);
    this.#zonedLayout = name === 'iso8601' ? GoLayout.compile(zonedIso) : undefined;
    this.#format = describe(format, name);
    this.#location = location === '' ? 'UTC' : location;
    const isUtc = location === '' || location.toUpperCase() === 'UTC';
    this.#zone = isUtc ? undefined : TimeZone.find(location);
    if (this.#digits === undefined && this.#layout === undefined) {
      this.#problem = 'time_format of the profile names no day';
    } else if (!isUtc && this.#zone === undefined) {
      this.#problem = 'time_location of the profile is not known';
    }
  }

  /** Whether any time can be read with this format and location. */
  get isUsable(): boolean {
    return this.#problem === undefined;
  }

  /** True if it reads numbers. */
  get takesNumbers(): boolean {
    return this.#digits !== undefined;
  }

  /** Reads `value` into `time`; returns what is wrong with it. */
  read(value: unknown, nowSeconds: number, time: Instant): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    const unread = this.#parse(value, nowSeconds, time);
    if (unread === 'unknownAbbreviation') {
      return `${shownValue(value)}: time_location ${shown(this.#location)} has no such abbreviation`;
    }
    if (unread !== undefined) return `${shownValue(value)} does not match ${this.#format}`;
    return isWithinTime(time.seconds) ? undefined : outOfTime;
  }

  #parse(value: unknown, nowSeconds: number, time: Instant): Unread | undefined {
    if (typeof value === 'number') {
      if (this.#digits === undefined) return 'otherForm';
      if (this.#digits === 0) time.setSeconds(value);
      else time.setDecimal(String(value), this.#digits);
      return undefined;
    }
    if (typeof value !== 'string') return 'otherForm';
    const digits = keptDigits(value);
    if (this.#digits !== undefined && (digits !== undefined || decimalText.test(value))) {
      time.setDecimal(digits ?? value.replace(',', '.'), this.#digits);
      return undefined;
    }
    const text = digits ?? value;
    const iso = this.#zonedLayout === undefined ? undefined : extendedIso(text);
    const layout = iso?.hasZone === true ? this.#zonedLayout : this.#layout;
    if (layout === undefined) return 'otherForm';
    return layout.parse(iso?.text ?? text, this.#zone, nowSeconds, time);
  }
}

/** `time_format rfc3339 (2006-01-02T15:04:05Z07:00)`. */
function describe(format: string, name: string): string {
  if (name === '')
    return `time_format: without one, ${unixUnits['unix']} or ${namedLayouts['rfc3339']}`;
  const meaning = own(unixUnits, name) ?? own(namedLayouts, name);
  if (meaning === undefined) return `time_format ${shown(format)}`;
  return `time_format ${name} (${meaning}${name === 'iso8601' ? ', with a zone or without' : ''})`;
}

/** A value of a message, shortened. */
function shownValue(value: unknown): string {
  const digits = keptDigits(value);
  if (typeof value === 'string' && digits === undefined) return shown(value);
  const text = digits ?? JSON.stringify(value) ?? '';
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax)}…` : text;
}

const valueCharsMax = 64;

/** A number in a text: without an exponent, and perhaps with a comma for its point. */
const decimalText = /^[+-]?\d{1,30}(?:[.,]\d{1,30})?$/;

/**
 * A date and time of ISO 8601: extended or basic, with `T` or a space, seconds and their fraction or not, and a zone or
 * not (`Z`, `+02`, `+0200`, `+02:00`).
 */
const isoForm =
  /^(\d{4})-?(\d\d)-?(\d\d)[Tt ](\d\d):?(\d\d)(?::?(\d\d)([.,]\d+)?)?([Zz]|[+-]\d\d(?::?\d\d)?)?$/;

/** Written as `2006-01-02T15:04:05`, with `Z07:00` after it where it has a zone; undefined for what is none. */
function extendedIso(text: string): { text: string; hasZone: boolean } | undefined {
  const match = isoForm.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = ''] = match;
  const clock = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}`;
  return { text: clock + extendedZone(zone), hasZone: zone !== '' };
}

function extendedZone(zone: string): string {
  if (zone === '') return '';
  if (zone.toUpperCase() === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
