import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

describe('a duration', () => {
  it.each([
    ['8760h', 31_536_000],
    ['24', 86_400],
    ['1h30m', 5_400],
    ['1.5h', 5_400],
    ['90s', 90],
    ['250ms', 0.25],
    ['1m1s', 61],
  ])('%s is %d seconds', (text, seconds) => {
    expect(parseDuration(text)).toBeCloseTo(seconds, 9);
  });

  it.each(['', 'h', '-1h', '1d', '1h 30m', '1.2.3h', '1e3s'])('"%s" is none', (text) => {
    expect(parseDuration(text)).toBe(undefined);
  });
});
