/** A time in requests. In the code, times are integer nanoseconds. */
export const Time = {
  type: ['integer', 'string'],
  minLength: 1,
  maxLength: 64,
  description:
    'Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for ' +
    'the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or ' +
    'milliseconds is refused.',
} as const;

/** For the end of a range: dates often stand there. */
export const UntilTime = {
  ...Time,
  description: `${Time.description} A date is its begin here too: for a whole day, give the date after it.`,
} as const;

const second = 1_000_000_000n;
const year1971 = BigInt(Date.UTC(1971, 0)) * 1_000_000n;
/** The times of 64 bits: 1677 to 2262. */
const [earliest, latest] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Units that a number may be meant in. No number is within 1971 to 2262 in two of them. */
const otherUnits = { seconds: second, milliseconds: 1_000_000n, microseconds: 1_000n };

const iso8601 =
  /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+ -])(\d\d):?(\d\d))?$/;

/** The moment and the zone that a time may be counted from. */
type TimeContext = { nowMs: number; tz?: string | undefined };

/**
 * The nanoseconds since 1970 of a `Time`; or what is wrong with it, in words that begin with its name. Before the hours
 * of a zone a space stands for a plus, which is what a plus in a query means unless it is escaped.
 */
export function nanosecondsOf(
  name: string,
  given: string | number,
  { nowMs, tz = 'UTC' }: TimeContext,
): bigint | string {
  const text = String(given);
  const number = /^([+-]?\d+)(\.\d+)?$/.exec(text);
  if (number !== null) {
    const whole = BigInt((number[1] ?? '').replace('+', ''));
    return checkNumber(name, text, whole, number[2] !== undefined);
  }
  const time = isDate(text) ? beginOf(text, tz) : (relativeTo(nowMs, text) ?? timeInIso(text));
  if (time === undefined) {
    return `${name} is none of: integer nanoseconds, ISO 8601 with a zone (2026-11-21T10:00:00Z), a date (2026-11-21), relative (-24h, -7d, now)`;
  }
  if (typeof time === 'string') return `${name}: ${text} ${time}`;
  if (time < earliest || time > latest) return `${name}: ${text} is not within 1677 to 2262`;
  return time;
}

/** Seconds taken for nanoseconds are in 1970: such a number is a slip, and would match all. 0 is 0 in any unit. */
function checkNumber(
  name: string,
  text: string,
  value: bigint,
  hasFraction: boolean,
): bigint | string {
  const isNanoseconds = value === 0n || (value >= year1971 && value <= latest);
  if (isNanoseconds && !hasFraction) return value;
  const units = Object.entries(otherUnits);
  const [unit] = units.find(([, ns]) => value * ns >= year1971 && value * ns <= latest) ?? [];
  const meant = unit === undefined ? '' : `; did you mean ${unit}?`;
  const when = value < 0n ? 'before 1970' : value > latest ? 'after 2262' : 'in 1970';
  const problem = isNanoseconds ? 'has a fraction' : `is ${when}`;
  const unitOf = isNanoseconds ? 'integer nanoseconds' : 'nanoseconds';
  return `${name}: ${text} ${problem}: ${name} is in ${unitOf}${meant}`;
}

function timeInIso(text: string): bigint | string | undefined {
  const [found, date, minutes, seconds = '00', fraction = '', utc, sign, hours = '', rest = ''] =
    iso8601.exec(text) ?? [];
  if (found === undefined || date === undefined) return undefined;
  if (utc === undefined && sign === undefined) {
    return `has no zone: write ${text}Z for UTC, or ${text}+01:00`;
  }
  const zone = utc === undefined ? `${sign === '-' ? '-' : '+'}${hours}:${rest}` : 'Z';
  const ms = Date.parse(`${date}T${minutes}:${seconds}${zone}`);
  return Number.isNaN(ms) || !isDay(date)
    ? 'is no time that there is'
    : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

/** Date.parse takes the 31st of any month for a day. */
const isDay = (date: string) => new Date(date).getUTCDate() === Number(date.slice(-2));

/** The first second of a date in a zone, or what is wrong: where clocks change, a day may not begin at midnight. */
function beginOf(date: string, tz: string): bigint | string {
  if (!isDay(date)) return 'is no day that there is';
  const zone = timeZoneOf(tz);
  if (zone === undefined) return `has no begin: tz is no time zone`;
  const dateAt = new Intl.DateTimeFormat('sv', { timeZone: zone });
  const midnight = Date.parse(date) / 1_000;
  // Clocks of all zones are less than a day apart from UTC.
  let [before, begun] = [midnight - 86_400, midnight + 86_400];
  while (begun - before > 1) {
    const middle = Math.floor((before + begun) / 2);
    if (dateAt.format(middle * 1_000) < date) before = middle;
    else begun = middle;
  }
  return BigInt(begun) * second;
}

/** The name of a time zone as ClickHouse spells it, which knows no offsets; undefined for what is none. */
export function timeZoneOf(tz: string): string | undefined {
  if (!/^[A-Za-z]/.test(tz)) return undefined;
  try {
    return Intl.DateTimeFormat('en', { timeZone: tz }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function relativeTo(nowMs: number, text: string): bigint | undefined {
  const seconds = text === 'now' ? 0 : text.startsWith('-') ? secondsOf(text.slice(1)) : undefined;
  if (seconds === undefined) return undefined;
  return BigInt(nowMs) * 1_000_000n - BigInt(Math.round(seconds * 1_000)) * 1_000_000n;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The seconds of a duration such as `10h`, `1h30m` or `30d`; undefined if it is none. */
export function secondsOf(duration: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?[smhd])+$/.test(duration)) return undefined;
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)([smhd])/g)];
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * (unitSeconds[unit ?? ''] ?? 0), 0);
}

/** For example `2026-11-22T10:00:00.000000000Z`. */
export function rfc3339Of(nanoseconds: bigint): string {
  const fraction = ((nanoseconds % second) + second) % second;
  const date = new Date(Number((nanoseconds - fraction) / second) * 1_000).toISOString();
  return `${date.slice(0, 19)}.${String(fraction).padStart(9, '0')}Z`;
}
