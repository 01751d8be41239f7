/** A time in requests. In the code, times are integer nanoseconds. */
export const Time = {
  type: ['integer', 'string'],
  minLength: 1,
  maxLength: 64,
  description:
    'Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An ' +
    'integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began.',
} as const;

const iso8601 =
  /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+ -])(\d\d):?(\d\d))$/;

/**
 * The nanoseconds since 1970 of a `Time`, which may be beyond 64 bits; undefined if it is none. Before the
 * hours of a zone a space stands for a plus, which is what a plus in a query means unless it is escaped.
 */
export function nanosecondsOf(given: string | number): bigint | undefined {
  const text = String(given);
  if (/^[+-]?\d{1,19}$/.test(text)) return BigInt(text.replace(/^\+/, ''));
  const [
    found,
    date = '',
    minutes,
    seconds = '00',
    fraction = '',
    utc,
    sign,
    hours = '',
    rest = '',
  ] = iso8601.exec(text) ?? [];
  if (found === undefined) return undefined;
  const zone = utc === undefined ? `${sign === '-' ? '-' : '+'}${hours}:${rest}` : 'Z';
  const ms = Date.parse(`${date}T${minutes}:${seconds}${zone}`);
  // Date.parse takes the 31st of any month for a day.
  const isDay = new Date(date).getUTCDate() === Number(date.slice(-2));
  return Number.isNaN(ms) || !isDay
    ? undefined
    : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
