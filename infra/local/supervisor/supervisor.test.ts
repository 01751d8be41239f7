import { expect, it } from 'vitest';
import { restartDelayMs } from './supervisor.ts';

it('restarts wait longer each time, up to a cap, never in step', () => {
  expect([1, 2, 3].map((failures) => restartDelayMs(failures, 1))).toEqual([100, 200, 400]);
  expect(restartDelayMs(1_000, 1)).toBe(10_000);
  expect(restartDelayMs(1_000, 0)).toBe(5_000);
});
