import { expect, it } from 'vitest';
import { numberWriter, shortNumberWriter } from './number.ts';

it('writes numbers with the digits that count, huge and tiny ones as powers of ten', () => {
  const write = numberWriter(6);
  expect([0, 21.5, -1234.5678, 1e300, -1e-300, 0.000_25].map(write)).toEqual([
    '0',
    '21.5',
    '-1,234.57',
    '1E300',
    '-1E-300',
    '0.00025',
  ]);
  expect([950, 12_500, 2e15].map(shortNumberWriter(3))).toEqual(['950', '12.5K', '2E15']);
});
