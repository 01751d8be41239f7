import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BusyInterval } from './busy-interval.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ticks until there is nothing left to do, and again when it is started', () => {
  let left = 3;
  let ticks = 0;
  const interval = new BusyInterval(() => {
    ticks += 1;
    left -= 1;
    return left > 0;
  }, 10);
  interval.start();
  interval.start();
  vi.advanceTimersByTime(1_000);
  expect(ticks).toBe(3);
  interval.start();
  vi.advanceTimersByTime(1_000);
  expect(ticks).toBe(4);
});

it('never ticks after a stop', () => {
  let ticks = 0;
  const interval = new BusyInterval(() => {
    ticks += 1;
    return true;
  }, 10);
  interval.start();
  interval.stop();
  interval.start();
  vi.advanceTimersByTime(1_000);
  expect(ticks).toBe(0);
});
