import { expect, it } from 'vitest';
import { digitsOf } from './written.ts';

it('numbers for ARIA have no exponent, however great or small', () => {
  expect([-2.5, 0.1, 21, 1e-7].map(digitsOf)).toEqual(['-2.5', '0.1', '21', '0.0000001']);
  expect(digitsOf(1e300)).toMatch(/^\d{301}$/);
});
