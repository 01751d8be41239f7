import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nanosecondsOf, rfc3339Of } from './time.ts';

const nowMs = Date.parse('2026-11-26T12:00:00.250Z');
const read = (text: string | number, tz?: string) => nanosecondsOf('from', text, { nowMs, tz });
/** Reads a time, and gives it as RFC 3339 or says what is wrong with it. */
const shown = (text: string | number, tz?: string) => {
  const time = read(text, tz);
  return typeof time === 'string' ? time : rfc3339Of(time);
};

describe('a time of a request', () => {
  it.each([
    ['1700000000123456789', '2023-11-14T22:13:20.123456789Z'],
    ['+1700000000123456789', '2023-11-14T22:13:20.123456789Z'],
    ['31536000000000000', '1971-01-01T00:00:00.000000000Z'],
    ['9223372036854775807', '2262-04-11T23:47:16.854775807Z'],
    ['0', '1970-01-01T00:00:00.000000000Z'],
    ['2026-11-21T10:00:00.5Z', '2026-11-21T10:00:00.500000000Z'],
    ['2026-11-21T10:00-05:30', '2026-11-21T15:30:00.000000000Z'],
    ['2026-11-21T10:00:00 01:00', '2026-11-21T09:00:00.000000000Z'],
    ['1960-01-01T00:00:00.000000001Z', '1960-01-01T00:00:00.000000001Z'],
    ['now', '2026-11-26T12:00:00.250000000Z'],
    ['-24h', '2026-11-25T12:00:00.250000000Z'],
    ['-7d', '2026-11-19T12:00:00.250000000Z'],
    ['-1h30m', '2026-11-26T10:30:00.250000000Z'],
    ['-0.25s', '2026-11-26T12:00:00.000000000Z'],
  ])('%s is %s', (text, time) => {
    expect(shown(text)).toBe(time);
  });

  it.each([
    ['2026-11-25', undefined, '2026-11-25T00:00:00.000000000Z'],
    ['2026-11-25', 'Europe/Berlin', '2026-11-24T23:00:00.000000000Z'],
    ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000000000Z'],
    ['2026-11-25', 'Pacific/Kiritimati', '2026-11-24T10:00:00.000000000Z'],
    ['2026-11-25', 'Pacific/Pago_Pago', '2026-11-25T11:00:00.000000000Z'],
    // Its midnight is skipped, and the day begins at one.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000000000Z'],
    // Midnight is there twice.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000000000Z'],
    ['1960-01-01', 'Africa/Monrovia', '1960-01-01T00:44:30.000000000Z'],
  ])('the date %s in %s begins at %s', (date, tz, begin) => {
    expect(shown(date, tz)).toBe(begin);
  });

  it.each([
    [1795341376, 'from: 1795341376 is in 1970: from is in nanoseconds; did you mean seconds?'],
    ['1795341376000', 'in 1970: from is in nanoseconds; did you mean milliseconds?'],
    ['1795341376000000', 'in 1970: from is in nanoseconds; did you mean microseconds?'],
    ['1795341376.5', 'in 1970: from is in nanoseconds; did you mean seconds?'],
    ['1700000000123456789.5', 'has a fraction: from is in integer nanoseconds'],
    ['1', 'from: 1 is in 1970: from is in nanoseconds'],
    ['-5', 'from: -5 is before 1970: from is in nanoseconds'],
    ['9223372036854775808', 'is after 2262: from is in nanoseconds'],
    ['9'.repeat(60), 'is after 2262: from is in nanoseconds'],
    ['9999-12-31T00:00:00Z', 'from: 9999-12-31T00:00:00Z is not within 1677 to 2262'],
    ['0001-01-01', 'is not within 1677 to 2262'],
    ['-99999999999999999999d', 'is not within 1677 to 2262'],
    ['2026-11-21T10:00:00', 'has no zone: write 2026-11-21T10:00:00Z for UTC'],
    ['2026-02-30', 'from: 2026-02-30 is no day that there is'],
    ['2026-02-30T10:00:00Z', 'is no time that there is'],
    ['2026-13-01', 'is no day that there is'],
    ['yesterday', 'from is none of: integer nanoseconds, ISO 8601 with a zone'],
    ['24h', 'from is none of'],
    ['-1w', 'from is none of'],
    ['-', 'from is none of'],
    ['', 'from is none of'],
  ])('%s is refused by its name', (text, problem) => {
    expect(shown(text)).toMatch(problem);
    expect(shown(text)).toMatch(/^from\b/);
  });

  it.each(['Nowhere/Town', '+01:00'])('a date in %s is refused', (tz) => {
    expect(shown('2026-11-25', tz)).toBe('from: 2026-11-25 has no begin: tz is no time zone');
  });

  it('of any number is that of 1971 to 2262, or refused', () => {
    const numbers = fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n });
    fc.assert(
      fc.property(numbers, (number) => {
        const time = read(String(number));
        if (typeof time === 'string') return;
        expect(time).toBe(number);
        expect(Number(rfc3339Of(time).slice(0, 4))).toBeGreaterThanOrEqual(
          number === 0n ? 1970 : 1971,
        );
      }),
      { numRuns: 300 },
    );
  });
});
