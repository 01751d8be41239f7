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
            const left = rates.take(thing, now);
            const allowed = left !== undefined;
            // A millisecond more or less does not count.
            if (Math.abs(tokens - 1) > (2 / 1_000) * perSecond) expect(allowed).toBe(tokens >= 1);
            if (left === undefined) continue;
            tokens -= 1;
            expect(Math.abs(left.remaining - tokens)).toBeLessThanOrEqual(1);
            const whole = (Math.max(perSecond, 1) - tokens) / perSecond;
            expect(Math.abs((left.resetSeconds ?? 0) - whole)).toBeLessThanOrEqual(1.01);
          }
        },
      ),
    );
  });

  it('may send at once as many as are left', () => {
    const pauses = fc.array(fc.nat(300), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(0.5, 1, 2.5, 3, 7, 10, 30), pauses, (perSecond, all) => {
        const rates = new ThingRates(perSecond, 10);
        let now = 1_700_000_000_000;
        let left = rates.take(thing, now);
        for (const pause of all) {
          now += pause;
          left = rates.take(thing, now) ?? left;
        }
        left = rates.take(thing, now);
        if (left === undefined) return;
        for (let more = left.remaining; more > 0; more--) {
          expect(rates.take(thing, now)?.remaining).toBe(more - 1);
        }
        expect(rates.take(thing, now)).toBeUndefined();
      }),
    );
  });

  it('have their whole allowance again after a second, at whatever fraction of a millisecond they send', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (now) => {
        expect(new ThingRates(1, 10).take(thing, now)?.resetSeconds).toBe(1);
      }),
      { numRuns: 10_000 },
    );
  });

  it('each have their own', () => {
    const rates = new ThingRates(1, 10);
    const taken = [thing, thing, randomBytes(16)].map((one) => rates.take(one, 0) !== undefined);
    expect(taken).toEqual([true, false, true]);
  });
});
