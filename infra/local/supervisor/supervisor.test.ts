import { expect, it } from 'vitest';
import { restartDelayMs } from './supervisor.ts';

it('pauses before restarts grow up to a limit, with jitter', () => {
  expect([1, 2, 3].map((failures) => restartDelayMs(failures, 1))).toEqual([100, 200, 400]);
  expect(restartDelayMs(1_000, 1)).toBe(10_000);
  expect(restartDelayMs(1_000, 0)).toBe(5_000);
});
