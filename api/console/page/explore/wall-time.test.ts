import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf, wallTime, zonedTime } from './wall-time.ts';

const zones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/St_Johns',
);

describe('the time on the clocks of a zone', () => {
  it('is read back as the same clock time', () => {
    const seconds = fc.integer({ min: Date.UTC(1975) / 1_000, max: Date.UTC(2100) / 1_000 });
    fc.assert(
      fc.property(seconds, zones, (second, zone) => {
        const shown = wallTime(second * 1_000, zone);
        const read = instantOf(shown, zone);
        expect(wallTime(read, zone)).toBe(shown);
        // But for the hour that clocks show twice.
        expect(read).toBeLessThanOrEqual(second * 1_000);
        expect(second * 1_000 - read).toBeLessThanOrEqual(3_600_000);
      }),
      { numRuns: 500 },
    );
  });

  it('is the first one where it comes twice, and goes on where it is left out', () => {
    const berlin = 'Europe/Berlin';
    expect(wallTime(Date.UTC(2026, 6, 1), berlin)).toBe('2026-07-01T02:00:00');
    expect(instantOf('2026-10-25T02:30:00', berlin)).toBe(Date.UTC(2026, 9, 25, 0, 30));
    expect(instantOf('2026-03-29T02:30:00', berlin)).toBe(Date.UTC(2026, 2, 29, 1, 30));
    expect(instantOf('2026-01-02T03:04', berlin)).toBe(Date.UTC(2026, 0, 2, 2, 4));
    expect(instantOf('', berlin)).toBeNaN();
  });

  it('is written with its difference from UTC', () => {
    const moment = Date.UTC(2026, 6, 1, 12, 0, 0, 250);
    expect(zonedTime(moment, 'UTC')).toBe('2026-07-01T12:00:00.250+00:00');
    expect(zonedTime(moment, 'Asia/Kathmandu')).toBe('2026-07-01T17:45:00.250+05:45');
    expect(zonedTime(moment, 'America/St_Johns')).toBe('2026-07-01T09:30:00.250-02:30');
  });
});
