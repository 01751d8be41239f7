import { expect, it } from 'vitest';
import { askedMs, waitMs } from './schedule.ts';

const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440];

it('the waits are those of Standard Webhooks, a fifth more or less', () => {
  for (const [index, wait] of minutes.entries()) {
    const waits = [0, 0.5, 0.999_999].map((random) => waitMs(index + 1, 0, random));
    const expected = [0.8, 1, 1.2].map((share) => share * wait * 60_000);
    for (const [at, one] of waits.entries()) {
      expect(Math.abs(one - (expected[at] ?? 0))).toBeLessThan(200);
    }
  }
});

it('a delivery is attempted for three days', () => {
  let nowMs = 0;
  for (let tries = 1; tries <= minutes.length; tries++) nowMs += waitMs(tries, 0, 0.5);
  const hours = nowMs / 3_600_000;
  expect(hours).toBeCloseTo(75.58, 1);
});

it('what the receiver asks for holds where it is longer, up to a day', () => {
  expect(waitMs(1, 60_000, 0.5)).toBe(60_000);
  expect(waitMs(2, 60_000, 0.5)).toBe(300_000);
  expect(waitMs(1, 10 * 86_400_000, 0.5)).toBe(86_400_000);
  expect(waitMs(9, 10 * 86_400_000, 0.999_999)).toBeGreaterThan(86_400_000);
});

it.each([
  [undefined, 0],
  ['120', 120_000],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 59_000],
  ['Wed, 31 Dec 1969 23:59:59 GMT', 0],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
])('Retry-After: %s asks for %d ms', (retryAfter, expected) => {
  expect(askedMs(retryAfter, 1_000)).toBe(expected);
});
