const quarterMs = 900_000;
const formatters = new Map<string, Intl.DateTimeFormat>();
/** Of quarters of an hour: clocks change at their begins. */
const known = new Map<string, bigint>();
const knownMax = 10_000;

/** The offset of a zone from UTC at a time, in nanoseconds, both as the time is. */
export function offsetAt(zone: string, time: bigint): bigint {
  const quarter = Math.floor(Number(time / 1_000_000n) / quarterMs);
  const key = `${zone} ${quarter}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const offset = BigInt(offsetMs(zone, quarter * quarterMs)) * 1_000_000n;
  if (known.size >= knownMax) known.clear();
  known.set(key, offset);
  return offset;
}

function offsetMs(zone: string, ms: number): number {
  const formatter =
    formatters.get(zone) ?? new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: zone });
  formatters.set(zone, formatter);
  const told = new Map(formatter.formatToParts(ms).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(told.get(type) ?? 0);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - ms;
}

const parts = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
} as const;
