import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../schemas/resources/rule.ts';
import { alarmsIn, type PastRecord } from './history.ts';
import type { ActiveRule } from './rule.ts';
import { onPaper, ruleOf, second } from './testing.ts';

/** Records of the first series: seconds and values. */
const recordsOf = (...values: [s: number, value: number][]): PastRecord[] =>
  values.map(([s, value]) => ({ condition: 0, timeUs: s * second, value }));

/** Begin, fire and end of each episode, in seconds. */
const episodes = (rule: ActiveRule, records: PastRecord[]) =>
  alarmsIn(rule, records).map(({ beganUs, firedUs, endedUs }) => [
    beganUs / second,
    firedUs / second,
    endedUs === undefined ? undefined : endedUs / second,
  ]);

describe('a rule', () => {
  it('fires with the first record in breach, and ends with the first that is not', () => {
    const records = recordsOf([0, 5], [60, 9], [120, 12], [180, 7], [240, 6]);
    expect(episodes(ruleOf(), records)).toEqual([[60, 60, 180]]);
  });

  it('with `for` fires at the first record after that time, all before it in breach', () => {
    const records = recordsOf([0, 5], [60, 9], [120, 9], [130, 7], [180, 9], [240, 9], [300, 9]);
    expect(episodes(ruleOf({ forUs: 100 * second }), records)).toEqual([[180, 300, undefined]]);
  });

  it('with `clear_for` ends once it was over for that time', () => {
    const records = recordsOf([0, 9], [60, 5], [90, 9], [120, 5], [150, 5], [200, 5]);
    expect(episodes(ruleOf({ clearForUs: 60 * second }), records)).toEqual([[0, 0, 200]]);
  });

  it('ends by its own condition, where it has one', () => {
    const conditions: Condition[] = [
      { name: 't', when: '>', value: 8, clear: { when: '<', value: 6 } },
    ];
    const records = recordsOf([0, 9], [10, 7], [20, 9], [30, 6], [40, 5], [50, 7]);
    expect(episodes(ruleOf({ conditions }), records)).toEqual([[0, 0, 40]]);
  });

  it('begins pending anew after a hole', () => {
    const rule = ruleOf({ forUs: 100 * second, gapUs: 120 * second });
    expect(episodes(rule, recordsOf([0, 9], [60, 9], [300, 9], [360, 9], [400, 9]))).toEqual([
      [300, 400, undefined],
    ]);
  });

  it('takes three times the usual interval for a hole, where none is given', () => {
    const rule = ruleOf({ forUs: 10 * second });
    const usual = recordsOf([0, 5], [60, 5], [120, 9], [240, 9]);
    expect(episodes(rule, usual)).toEqual([[120, 240, undefined]]);
    const away = recordsOf([0, 5], [60, 5], [120, 9], [600, 9], [660, 9]);
    expect(episodes(rule, away)).toEqual([[600, 660, undefined]]);
    const backInBreach = recordsOf([0, 5], [60, 5], [600, 9], [1_000, 9], [1_010, 9]);
    expect(episodes(rule, backInBreach)).toEqual([[1_000, 1_010, undefined]]);
  });

  it('of several conditions holds by the newest value of each series', () => {
    const conditions: Condition[] = [
      { name: 'a', when: '>', value: 1 },
      { name: 'b', when: '==', value: true },
    ];
    const records: PastRecord[] = [
      { condition: 0, timeUs: 0, value: 2 },
      { condition: 1, timeUs: 10 * second, value: true },
      { condition: 0, timeUs: 20 * second, value: 0 },
      { condition: 1, timeUs: 30 * second, value: false },
    ];
    expect(episodes(ruleOf({ conditions }), records)).toEqual([[10, 10, 20]]);
    expect(episodes(ruleOf({ conditions, match: 'any' }), records)).toEqual([[0, 0, 30]]);
  });

  it.each<[Condition, breaching: unknown[], others: unknown[]]>([
    [{ name: 't', when: '>', value: 8 }, [8.1], [8, '9', true]],
    [{ name: 't', when: '>=', value: 8 }, [8], [7.9]],
    [{ name: 't', when: '<', value: 8 }, [7], [8]],
    [{ name: 't', when: '<=', value: 8 }, [8], [8.1]],
    [{ name: 't', when: '==', value: 'on' }, ['on'], ['off', 1]],
    [{ name: 't', when: '!=', value: 'on' }, ['off'], ['on', 1]],
    [{ name: 't', when: '==', value: true }, [true], [false, 1, 'true']],
    [{ name: 't', when: 'between', low: 1, high: 2 }, [1, 1.5, 2], [0.9, 2.1]],
    [{ name: 't', when: 'outside', low: 1, high: 2 }, [0.9, 2.1], [1, 2]],
  ])('compares by %j', (condition, breaching, others) => {
    const fires = (value: unknown) => {
      const known = typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
      const records = [{ condition: 0, timeUs: 0, value: known }];
      return alarmsIn(ruleOf({ conditions: [condition] }), records).length === 1;
    };
    expect(breaching.map(fires)).toEqual(breaching.map(() => true));
    expect(others.map(fires)).toEqual(others.map(() => false));
  });
});

describe('the episodes of a series', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(1, 5, 10, 60), fc.constantFrom(3, 7, 9, 12)), {
    maxLength: 40,
  });
  const seconds = fc.constantFrom(0, 5, 20, 60);

  it('are those that one finds on paper', () => {
    fc.assert(
      fc.property(
        steps,
        seconds,
        seconds,
        fc.constantFrom(8, 30, 1_000),
        (all, forS, clearS, gapS) => {
          let s = 0;
          const records = all.map(([step, value]) => ({
            condition: 0,
            timeUs: (s += step) * second,
            value,
          }));
          const rule = ruleOf({
            forUs: forS * second,
            clearForUs: clearS * second,
            gapUs: gapS * second,
          });
          expect(episodes(rule, records)).toEqual(onPaper(records, forS, clearS, gapS));
        },
      ),
    );
  });

  it('are the same when records are repeated', () => {
    fc.assert(
      fc.property(
        steps,
        fc.array(fc.nat(5), { minLength: 40, maxLength: 40 }),
        seconds,
        (all, repeats, forS) => {
          let s = 0;
          const records = all.map(([step, value]) => ({
            condition: 0,
            timeUs: (s += step) * second,
            value,
          }));
          const repeated = records.flatMap((record, at) =>
            Array.from({ length: 1 + (repeats[at] ?? 0) }, () => record),
          );
          const rule = ruleOf({ forUs: forS * second });
          expect(alarmsIn(rule, repeated)).toEqual(alarmsIn(rule, records));
        },
      ),
    );
  });
});
