import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startOf, startsBetween } from './windows.ts';

const [second, hour] = [1_000_000_000n, 3_600_000_000_000n];
const day = 24n * hour;
const at = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n;

describe('startOf', () => {
  it('counts intervals from 1970, moved by their offset', () => {
    const time = at('2023-11-14T22:13:20Z');
    expect(startOf(time, { length: hour, offset: 0n }, undefined)).toBe(at('2023-11-14T22:00:00Z'));
    const moved = { length: hour, offset: 900n * second };
    expect(startOf(time, moved, undefined)).toBe(at('2023-11-14T21:15:00Z'));
    expect(startOf(-1n, { length: hour, offset: 0n }, undefined)).toBe(-hour);
  });

  it('begins days at midnight of the zone, also where clocks change', () => {
    const days = { length: day, offset: 0n };
    const midnight = (iso: string) => startOf(at(iso), days, 'Europe/Berlin');
    expect(midnight('2024-03-31T12:00:00Z')).toBe(at('2024-03-30T23:00:00Z'));
    expect(midnight('2024-04-01T12:00:00Z')).toBe(at('2024-03-31T22:00:00Z'));
    expect(midnight('2024-10-27T12:00:00Z')).toBe(at('2024-10-26T22:00:00Z'));
  });
});

describe('startsBetween', () => {
  it('has every interval once, and is bounded from the end that comes first', () => {
    const from = fc.bigInt(-(10n ** 18n), 10n ** 18n);
    const length = fc.bigInt(1n, 10n ** 12n);
    fc.assert(
      fc.property(
        from,
        length,
        fc.nat({ max: 200 }),
        fc.boolean(),
        (begin, size, count, isDescending) => {
          const interval = { length: size, offset: 0n };
          const range = { from: begin, to: begin + size * BigInt(count) };
          const starts = startsBetween(range, interval, undefined, { most: 100, isDescending });
          expect(starts).toHaveLength(Math.min(100, count + 1));
          for (const [place, start] of starts.entries()) {
            expect(startOf(start, interval, undefined)).toBe(start);
            if (place > 0) expect(start - (starts[place - 1] ?? 0n)).toBe(size);
          }
          const edge = isDescending ? starts.at(-1) : starts[0];
          expect(edge).toBe(startOf(isDescending ? range.to : range.from, interval, undefined));
        },
      ),
    );
  });

  it('has days of 23 and 25 hours', () => {
    const range = { from: at('2024-10-25T12:00:00Z'), to: at('2024-10-28T12:00:00Z') };
    const starts = startsBetween(range, { length: day, offset: 0n }, 'Europe/Berlin', {
      most: 10,
      isDescending: false,
    });
    expect(starts).toEqual(
      ['2024-10-24T22', '2024-10-25T22', '2024-10-26T22', '2024-10-27T23'].map((hourOf) =>
        at(`${hourOf}:00:00Z`),
      ),
    );
  });
});
