/** How times are written: as in the reader's pages (`unix`), or as RFC 3339 with nine decimals, in UTC. */
export type TimeFormat = 'unix' | 'rfc3339';

/** Nanoseconds since 1970 as ClickHouse's type for times. */
export function timestamp(nanoseconds: string): string {
  return `fromUnixTimestamp64Nano(${nanoseconds}, 'UTC')`;
}

/** The time of a SenML message, and its type: seconds with nine decimals, or text. */
export function senmlTime(nanoseconds: string, times: TimeFormat): { time: string; type: string } {
  return times === 'unix'
    ? { time: `reinterpret(${nanoseconds}, 'Decimal64(9)')`, type: 'Decimal64(9)' }
    : { time: rfc3339(nanoseconds), type: 'String' };
}

/** The time of a JSON message: nanoseconds, or text. */
export function jsonTime(nanoseconds: string, times: TimeFormat): string {
  return times === 'unix' ? nanoseconds : rfc3339(nanoseconds);
}

/** For example `2026-11-22T10:00:00.000000000Z`. */
function rfc3339(nanoseconds: string): string {
  return `concat(replaceOne(toString(${timestamp(nanoseconds)}), ' ', 'T'), 'Z')`;
}
