import { expect, it } from 'vitest';
import { Backoff } from './backoff.ts';

it('a wait doubles up to its bound, and begins anew after a success', () => {
  const backoff = new Backoff(100, 350);
  for (const ms of [100, 200, 350, 350]) {
    const waitMs = backoff.next();
    expect(waitMs).toBeGreaterThanOrEqual(ms * 0.5);
    expect(waitMs).toBeLessThan(ms * 1.5);
  }
  backoff.reset();
  expect(backoff.next(false)).toBeLessThan(150);
  expect(backoff.next()).toBeLessThan(150);
  expect(backoff.next()).toBeGreaterThanOrEqual(100);
});
