import { describe, expect, it } from 'vitest';
import { Instant } from './instant.ts';
import { TimeReader } from './time-layouts.ts';

/** 2024-06-15T12:00:00Z */
const nowSeconds = 1_718_452_800;

function read(format: string, value: unknown, location = '', now = nowSeconds): bigint | string {
  const time = new Instant();
  const problem = new TimeReader(format, location).read(value, now, time);
  return problem ?? BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos);
}

const nanos = (iso: string, fraction = 0): bigint =>
  BigInt(Date.parse(iso)) * 1_000_000n + BigInt(fraction);

describe('Unix times', () => {
  const expected = 1_638_310_819_000_000_000n;

  it.each([
    // The platform's own cases.
    ['unix', '1638310819', expected],
    ['unix_ms', '1638310819000', expected],
    ['unix_us', '1638310819000000', expected],
    ['unix_ns', '1638310819000000000', expected],
    ['unix', 1_638_310_819, expected],
    ['unix_ms', 1_638_310_819_000, expected],
    ['unix_us', 1_638_310_819_000_000, expected],
    ['unix_ns', 1_638_310_819_000_000_000, expected],
    ['unix', 1_638_310_819.5, expected + 500_000_000n],
    // And ours.
    ['', 1_638_310_819, expected],
    ['', '2021-11-30T22:20:19Z', expected],
    ['UNIX', '1638310819,25', expected + 250_000_000n],
    ['unix', '1638310819.123456789', expected + 123_456_789n],
    ['unix_ms', 1_638_310_819_000.5, expected + 500_000n],
    ['unix_us', '1638310819000001.5', expected + 1_500n],
    ['unix_ns', '1638310819000000001', expected + 1n],
    ['unix', '-1.5', -1_500_000_000n],
    ['unix_ms', -1, -1_000_000n],
    ['unix_ms', '5', 5_000_000n],
    ['unix_ns', '9223372035999999999', 9_223_372_035_999_999_999n],
  ])('%s %s', (format, value, result) => {
    expect(read(format, value)).toBe(result);
  });

  it.each([
    ['unix', '10000000000'],
    ['unix_ms', '10000000000000'],
    ['unix_us', '10000000000000000'],
    ['unix', 1e30],
    ['unix', 1e10],
    ['unix_ms', 1e13],
    ['unix_us', 1e16],
    ['unix_ns', 1e19],
    ['rfc3339', '9999-12-31T00:00:00Z'],
  ])('%s %s is out of range', (format, value) => {
    expect(read(format, value)).toBe('time is out of range (1677 to 2262)');
  });

  it.each(['', 'x', '1e9', '0x10', '1.', '.5', '--1', ' 1', '1 '])('%j is not a time', (value) => {
    expect(read('unix', value)).toBe(
      `${JSON.stringify(value)} does not match time_format unix (seconds since 1970)`,
    );
  });
});

describe('named layouts', () => {
  // The values of Go's own tests (time/format_test.go), with abbreviations that UTC has.
  it.each([
    ['ansic', 'Thu Feb  4 21:00:57 2010', '2010-02-04T21:00:57Z'],
    ['unixdate', 'Thu Feb  4 21:00:57 GMT 2010', '2010-02-04T21:00:57Z'],
    ['rubydate', 'Thu Feb 04 21:00:57 -0800 2010', '2010-02-05T05:00:57Z'],
    ['rfc822', '04 Feb 10 21:00 UTC', '2010-02-04T21:00:00Z'],
    ['rfc822z', '04 Feb 10 21:00 -0800', '2010-02-05T05:00:00Z'],
    ['rfc850', 'Thursday, 04-Feb-10 21:00:57 UTC', '2010-02-04T21:00:57Z'],
    ['rfc1123', 'Thu, 04 Feb 2010 22:00:57 GMT', '2010-02-04T22:00:57Z'],
    ['RFC1123', 'Thu, 04 Feb 2010 22:00:57 GMT', '2010-02-04T22:00:57Z'],
    ['rfc1123z', 'Thu, 04 Feb 2010 21:00:57 -0800', '2010-02-05T05:00:57Z'],
    ['rfc3339', '2010-02-04T21:00:57-08:00', '2010-02-05T05:00:57Z'],
    ['rfc3339', '2010-02-04T21:00:57Z', '2010-02-04T21:00:57Z'],
    ['iso8601', '2010-02-04T21:00:57', '2010-02-04T21:00:57Z'],
    // GMT with an offset: Go keeps the clock and drops the offset.
    ['unixdate', 'Thu Feb  4 13:00:57 GMT-8 2010', '2010-02-04T21:00:57Z'],
    ['unixdate', 'Thu Feb  4 18:00:57 -03 2010', '2010-02-04T21:00:57Z'],
    // White space and case do not matter.
    ['ansic', 'Thu Feb 4 21:00:57 2010', '2010-02-04T21:00:57Z'],
    ['ansic', 'Thu      Feb     4     21:00:57     2010', '2010-02-04T21:00:57Z'],
    ['ansic', 'THU FEB 4 21:00:57 2010', '2010-02-04T21:00:57Z'],
    ['ansic', 'thu feb 4 21:00:57 2010', '2010-02-04T21:00:57Z'],
    ['ansic', 'Thu Feb 29 21:00:57 2012', '2012-02-29T21:00:57Z'],
  ])('%s: %s', (format, value, expected) => {
    expect(read(format, value)).toBe(nanos(expected));
  });

  it.each([
    ['ansic', 'Thu Feb  4 21:00:57.0 2010', 0],
    ['unixdate', 'Thu Feb  4 21:00:57.01 GMT 2010', 10_000_000],
    ['rfc850', 'Thursday, 04-Feb-10 21:00:57.0123 GMT', 12_300_000],
    ['rfc1123', 'Thu, 04 Feb 2010 21:00:57.01234 GMT', 12_340_000],
    ['rfc3339', '2010-02-04T21:00:57.012345678Z', 12_345_678],
    ['rfc3339', '2010-02-04T21:00:57.0123456789Z', 12_345_678],
    ['rfc3339nano', '2010-02-04T21:00:57.012345678Z', 12_345_678],
    ['rfc3339nano', '2010-02-04T21:00:57Z', 0],
    ['iso8601', '2010-02-04T21:00:57,5', 500_000_000],
  ])('%s with a fraction: %s', (format, value, fraction) => {
    expect(read(format, value)).toBe(nanos('2010-02-04T21:00:57Z', fraction));
  });

  it.each([
    ['ansic', 'Feb  4 21:00:60 2010'],
    ['ansic', 'Thu Feb  4 21:00:57 @2010'],
    ['ansic', 'Thu Feb  4 21:00:60 2010'],
    ['ansic', 'Thu Feb  4 21:61:57 2010'],
    ['ansic', 'Thu Feb  4 24:00:00 2010'],
    ['ansic', 'Thu Jan 99 21:00:57 2010'],
    ['ansic', 'Thu Feb 29 21:00:57 2010'],
    ['ansic', 'Thu Apr 31 21:00:57 2010'],
    ['ansic', 'Thu Dec 00 21:00:57 2010'],
    ['stampnano', 'Dec  7 11:22:01.000000'],
    ['stampnano', 'Dec  7 11:22:01.0000000000'],
    ['rfc3339', '2006-01-02T15:04:05Z07:00'],
    ['rfc3339', '2006-01-02T15:04_abc'],
    ['rfc3339', '2006-01-02T15:04:05_abc'],
    ['rfc3339', '2006-01-02T15:04:05Z_abc'],
    ['rfc3339', '2010-02-04T21:00:67.012345678-08:00'],
    ['rfc3339', '2010-02-04T21:00:57+25:00'],
    ['rfc822', '4 --- 00 00:00 GMT'],
    ['rfc3339', 1_638_310_819],
    ['rfc3339', ''],
  ])('%s: %s is refused', (format, value) => {
    expect(read(format, value)).toMatch(/ does not match time_format/);
  });

  it('stamps have the year that is nearest to now', () => {
    expect(read('stamp', 'Feb  4 21:00:57')).toBe(nanos('2024-02-04T21:00:57Z'));
    expect(read('stampmilli', 'Feb  4 21:00:57.012')).toBe(
      nanos('2024-02-04T21:00:57Z', 12_000_000),
    );
    expect(read('stampmicro', 'Feb  4 21:00:57.012345')).toBe(
      nanos('2024-02-04T21:00:57Z', 12_345_000),
    );
    expect(read('stampnano', 'Feb  4 21:00:57.012345678')).toBe(
      nanos('2024-02-04T21:00:57Z', 12_345_678),
    );
    const newYear = Date.parse('2024-01-01T00:00:01Z') / 1000;
    expect(read('stamp', 'Dec 31 23:59:59', '', newYear)).toBe(nanos('2023-12-31T23:59:59Z'));
    const newYearsEve = Date.parse('2023-12-31T23:59:59Z') / 1000;
    expect(read('stamp', 'Jan  1 00:00:01', '', newYearsEve)).toBe(nanos('2024-01-01T00:00:01Z'));
    expect(read('stamp', 'Feb 29 00:00:00')).toBe(nanos('2024-02-29T00:00:00Z'));
    expect(read('stamp', 'Feb 29 00:00:00', '', newYearsEve)).toBe(nanos('2024-02-29T00:00:00Z'));
  });
});

describe('iso8601', () => {
  it.each([
    ['2010-02-04T21:00:57+02:00', '2010-02-04T19:00:57Z', 0],
    ['2010-02-04T21:00:57+0200', '2010-02-04T19:00:57Z', 0],
    ['2010-02-04T21:00:57-02', '2010-02-04T23:00:57Z', 0],
    ['2010-02-04T21:00:57Z', '2010-02-04T21:00:57Z', 0],
    ['2010-02-04T21:00:57.012345678Z', '2010-02-04T21:00:57Z', 12_345_678],
    ['2010-02-04T21:00:57,5+01:00', '2010-02-04T20:00:57Z', 500_000_000],
    ['2010-02-04 21:00:57', '2010-02-04T21:00:57Z', 0],
    ['2010-02-04 21:00:57.5+05:30', '2010-02-04T15:30:57Z', 500_000_000],
    ['20100204T210057Z', '2010-02-04T21:00:57Z', 0],
    ['20100204T210057.25-0330', '2010-02-05T00:30:57Z', 250_000_000],
    ['20100204T210057', '2010-02-04T21:00:57Z', 0],
    ['2010-02-04t21:00z', '2010-02-04T21:00:00Z', 0],
  ])('%s', (text, time, fraction) => {
    expect(read('iso8601', text)).toBe(nanos(time, fraction));
    expect(read('ISO8601', text)).toBe(nanos(time, fraction));
  });

  it('is read in time_location only without a zone', () => {
    expect(read('iso8601', '20100204T210057', 'Europe/Berlin')).toBe(nanos('2010-02-04T20:00:57Z'));
    expect(read('iso8601', '2010-02-04T21:00:57Z', 'Europe/Berlin')).toBe(
      nanos('2010-02-04T21:00:57Z'),
    );
  });

  it.each([
    '2010-02-30T00:00:00Z',
    '2010-02-04',
    '2010-02-04T25:00:00Z',
    'T21:00',
    '2010-02-04T21:00:57+25:00',
  ])('%s is refused', (text) => {
    expect(read('iso8601', text)).toBe(
      `"${text}" does not match time_format iso8601 (2006-01-02T15:04:05, with a zone or without)`,
    );
  });
});

describe('a time that is not read', () => {
  it('is told with its layout', () => {
    expect(read('rfc3339', 'yesterday')).toBe(
      '"yesterday" does not match time_format rfc3339 (2006-01-02T15:04:05Z07:00)',
    );
    expect(read('02.01.2006', '2010-02-04')).toBe(
      '"2010-02-04" does not match time_format "02.01.2006"',
    );
    expect(read('', 'x')).toBe(
      '"x" does not match time_format: without one, seconds since 1970 or 2006-01-02T15:04:05Z07:00',
    );
    expect(read('ansic', 5)).toBe('5 does not match time_format ansic (Mon Jan _2 15:04:05 2006)');
    expect(read('unix', { seconds: 5 })).toBe(
      '{"seconds":5} does not match time_format unix (seconds since 1970)',
    );
    expect(String(read('unix', 'x'.repeat(10_000))).length).toBeLessThan(200);
    expect(String(read('unix', ['x'.repeat(10_000)])).length).toBeLessThan(200);
  });
});

describe('Go layouts', () => {
  const time = '2010-02-04T21:00:57Z';

  it.each([
    ['2006-01-02 15:04:05-07', '2010-02-04 13:00:57-08', 0],
    ['Mon Jan _2 15:04:05.000 2006', 'Thu Feb  4 21:00:57.012 2010', 12_000_000],
    ['Mon Jan _2 15:04:05,000000 2006', 'Thu Feb  4 21:00:57.012345 2010', 12_345_000],
    ['2006.01.02.15.04.05.0', '2010.02.04.21.00.57.0', 0],
    ['2006.01.02.15.04.05.00', '2010.02.04.21.00.57.01', 10_000_000],
    [
      'Hi Janet, the Month is January: Jan _2 15:04:05 2006',
      'Hi Janet, the Month is February: Feb  4 21:00:57 2010',
      0,
    ],
    ['2006-01-02 15:04:05.9999 -0700 MST', '2010-02-04 13:00:57 -0800 PST', 0],
    ['2006-01-02 15:04:05,999999999 -0700 MST', '2010-02-04 13:00:57.0123 -0800 PST', 12_300_000],
    ['2006-01-02 002 15:04:05', '2010-02-04 035 21:00:57', 0],
    ['2006-01 002 15:04:05', '2010-02 035 21:00:57', 0],
    ['2006-002 15:04:05', '2010-035 21:00:57', 0],
    ['200600201 15:04:05', '201003502 21:00:57', 0],
    ['2006-__2 15:04:05', '2010- 35 21:00:57', 0],
    ['1/2/06 3:04:05 PM', '2/4/10 9:00:57 PM', 0],
    ['02.01.2006 03:04:05pm', '04.02.2010 09:00:57pm', 0],
    ['02 January 2006 15h4m5', '04 FEBRUARY 2010 21h0m57', 0],
    ['20060102T150405Z0700', '20100204T210057Z', 0],
    ['20060102T150405Z0700', '20100205T023057+0530', 0],
    ['2006-01-02T15:04:05-07:00:00', '2010-02-04T22:00:57+01:00:00', 0],
    ['2006-01-02T15:04:05 -070000', '2010-02-04T22:00:57 +010000', 0],
    ['2006-01-02T15:04:05Z07', '2010-02-04T22:00:57+01', 0],
  ])('%s: %s', (format, value, fraction) => {
    expect(read(format, value)).toBe(nanos(time, fraction));
  });

  it('half days', () => {
    const hour = (text: string) => read('2006-01-02 3PM', `2010-02-04 ${text}`);
    expect(hour('12AM')).toBe(nanos('2010-02-04T00:00:00Z'));
    expect(hour('12PM')).toBe(nanos('2010-02-04T12:00:00Z'));
    expect(hour('1PM')).toBe(nanos('2010-02-04T13:00:00Z'));
    expect(hour('13PM')).toBe('"2010-02-04 13PM" does not match time_format "2006-01-02 3PM"');
    expect(hour('1pm')).toMatch(/ does not match time_format/);
  });

  it('two-digit years are 1969 to 2068', () => {
    expect(read('06-01-02', '69-01-01')).toBe(nanos('1969-01-01T00:00:00Z'));
    expect(read('06-01-02', '68-01-01')).toBe(nanos('2068-01-01T00:00:00Z'));
  });

  it.each([
    ['Jan _2 002 2006', 'Feb  4 034 2006'],
    ['Jan _2 002 2006', 'Feb  4 004 2006'],
    ['2006-002', '2010-000'],
    ['2006-002', '2010-366'],
    ['2006-002', '2012-367'],
    ['Mon Jan _2 15:04:05.000 2006', 'Thu Feb  4 23:00:59x01 2010'],
    ['Mon Jan _2 15:04:05.000 2006', 'Thu Feb  4 23:00:59.-12 2010'],
  ])('%s: %s is refused', (format, value) => {
    expect(read(format, value)).toMatch(/ does not match time_format/);
  });

  it('day 60 of a leap year is the 29th of February', () => {
    expect(read('2006-002', '2012-060')).toBe(nanos('2012-02-29T00:00:00Z'));
    expect(read('2006-002', '2012-366')).toBe(nanos('2012-12-31T00:00:00Z'));
    expect(read('2006-002', '2010-060')).toBe(nanos('2010-03-01T00:00:00Z'));
  });
});

describe('time_location', () => {
  const at = (wall: string, location: string) => read('iso8601', wall, location);

  it('is where a clock without a zone hangs', () => {
    expect(at('2010-02-04T21:00:57', 'Europe/Berlin')).toBe(nanos('2010-02-04T20:00:57Z'));
    expect(at('2010-07-04T21:00:57', 'Europe/Berlin')).toBe(nanos('2010-07-04T19:00:57Z'));
    expect(at('2010-02-04T21:00:57', 'Asia/Kolkata')).toBe(nanos('2010-02-04T15:30:57Z'));
    expect(at('2010-02-04T21:00:57', 'America/St_Johns')).toBe(nanos('2010-02-05T00:30:57Z'));
    expect(at('2010-02-04T21:00:57', 'UTC')).toBe(nanos('2010-02-04T21:00:57Z'));
    expect(read('rfc3339', '2010-02-04T21:00:57Z', 'Europe/Berlin')).toBe(
      nanos('2010-02-04T21:00:57Z'),
    );
  });

  it('takes what Go takes where a clock jumps', () => {
    // Berlin, 2024-03-31: 02:30 is left out. 2024-10-27: 02:30 comes twice.
    expect(at('2024-03-31T01:59:59', 'Europe/Berlin')).toBe(nanos('2024-03-31T00:59:59Z'));
    expect(at('2024-03-31T02:30:00', 'Europe/Berlin')).toBe(nanos('2024-03-31T01:30:00Z'));
    expect(at('2024-03-31T03:00:00', 'Europe/Berlin')).toBe(nanos('2024-03-31T01:00:00Z'));
    expect(at('2024-10-27T02:30:00', 'Europe/Berlin')).toBe(nanos('2024-10-27T01:30:00Z'));
    // West of Greenwich it is the other one.
    expect(at('2024-11-03T01:30:00', 'America/New_York')).toBe(nanos('2024-11-03T05:30:00Z'));
    expect(at('2024-03-10T02:30:00', 'America/New_York')).toBe(nanos('2024-03-10T06:30:00Z'));
    expect(at('2024-10-27T03:00:00', 'Europe/Berlin')).toBe(nanos('2024-10-27T02:00:00Z'));
  });

  it('refuses an abbreviation that is not used there', () => {
    const zoned = (abbreviation: string, location: string) =>
      read('rfc1123', `Thu, 04 Feb 2010 21:00:57 ${abbreviation}`, location);
    for (const [abbreviation, location] of [
      ['CET', ''],
      ['EST', 'UTC'],
      ['XYZ', 'Europe/Berlin'],
      ['CET', 'America/Los_Angeles'],
      ['JST', 'Europe/Berlin'],
      ['CST', 'Asia/Tokyo'],
    ] as const) {
      expect(zoned(abbreviation, location)).toBe(
        `"Thu, 04 Feb 2010 21:00:57 ${abbreviation}": time_location "${location || 'UTC'}" has no such abbreviation`,
      );
    }
    // An offset beside it says what it means.
    expect(read('2006-01-02 15:04 -0700 MST', '2010-02-04 21:00 +0100 XYZ')).toBe(
      nanos('2010-02-04T20:00:00Z'),
    );
  });

  it('knows the abbreviations used there', () => {
    const zoned = (abbreviation: string, location: string) =>
      read('unixdate', `Thu Feb  4 21:00:57 ${abbreviation} 2010`, location);
    expect(zoned('PST', 'America/Los_Angeles')).toBe(nanos('2010-02-05T05:00:57Z'));
    expect(zoned('PDT', 'America/Los_Angeles')).toBe(nanos('2010-02-05T04:00:57Z'));
    expect(zoned('CET', 'Europe/Berlin')).toBe(nanos('2010-02-04T20:00:57Z'));
    expect(zoned('AEDT', 'Australia/Sydney')).toBe(nanos('2010-02-04T10:00:57Z'));
    expect(zoned('JST', 'Asia/Tokyo')).toBe(nanos('2010-02-04T12:00:57Z'));
    expect(zoned('MSK', 'Europe/Moscow')).toBe(nanos('2010-02-04T18:00:57Z'));
    expect(zoned('CST', 'Asia/Shanghai')).toBe(nanos('2010-02-04T13:00:57Z'));
    expect(zoned('CST', 'America/Chicago')).toBe(nanos('2010-02-05T03:00:57Z'));
    expect(zoned('GMT', 'America/Los_Angeles')).toBe(nanos('2010-02-04T21:00:57Z'));
    expect(zoned('UTC', 'America/Los_Angeles')).toBe(nanos('2010-02-04T21:00:57Z'));
  });
});
