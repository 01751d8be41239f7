import { describe, expect, it } from 'vitest';
import { rulesFor, rulesMax } from './rules.ts';

describe('rules for numbers of days', () => {
  it('are none for none, and one for each number', () => {
    expect(rulesFor([])).toEqual([]);
    expect(rulesFor([30, 7])).toEqual([
      { from: 7, to: 7 },
      { from: 30, to: 30 },
    ]);
  });

  it('are bounded: every number has one, which keeps it no shorter and at most a quarter longer', () => {
    const days = Array.from({ length: 36_500 }, (_, i) => i + 1);
    const rules = rulesFor(days);
    expect(rules.length).toBeLessThanOrEqual(rulesMax);
    const wrong = days.filter((each) => {
      const mine = rules.filter(({ from, to }) => from <= each && each <= to);
      const to = mine[0]?.to ?? 0;
      return mine.length !== 1 || to < each || to > Math.max(each + 1, each * 1.25);
    });
    expect(wrong).toEqual([]);
  });
});
