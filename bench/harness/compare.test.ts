import { expect, it } from 'vitest';
import { balancedRatio } from './compare.ts';

it('what the first place is worth does not show in a ratio, whatever the number of rounds', () => {
  // Both would do 100; the first of a round does a quarter more.
  const beforeFirst = { was: 125, is: 100, first: 'before' } as const;
  const nowFirst = { was: 100, is: 125, first: 'now' } as const;
  expect(balancedRatio([beforeFirst, nowFirst])).toBeCloseTo(1);
  expect(balancedRatio([beforeFirst, nowFirst, beforeFirst])).toBeCloseTo(1);
  const twice = [beforeFirst, nowFirst].map((pair) => ({ ...pair, is: pair.is * 2 }));
  expect(balancedRatio(twice)).toBeCloseTo(2);
});
