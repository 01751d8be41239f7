import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThingRates } from './thing-rates.ts';

const thing = randomBytes(16);

describe('things', () => {
  it('may send one second of their rate at once, and then as it is earned', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.5, 1, 2.5, 3, 7, 10, 30),
        fc.array(fc.nat(700), { minLength: 1, maxLength: 100 }),
        (perSecond, pauses) => {
          const rates = new ThingRates(perSecond, 10);
          let now = 1_700_000_000_000;
          let tokens = Math.max(perSecond, 1);
          for (const pause of pauses) {
            now += pause;
            tokens = Math.min(Math.max(perSecond, 1), tokens + (pause / 1_000) * perSecond);
            const allowed = rates.allows(thing, now);
            // A millisecond more or less is nobody's.
            if (Math.abs(tokens - 1) > (2 / 1_000) * perSecond) expect(allowed).toBe(tokens >= 1);
            if (allowed) tokens -= 1;
          }
        },
      ),
    );
  });

  it('each have their own', () => {
    const rates = new ThingRates(1, 10);
    expect([thing, thing, randomBytes(16)].map((one) => rates.allows(one, 0))).toEqual([
      true,
      false,
      true,
    ]);
  });
});
