import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limits } from '../../limits.ts';
import { HeldJobs } from './held-jobs.ts';

const max = limits.heldDeliveriesMax;

/** Asks for a job of each number of deliveries, in turn. Those that are held are in `held`, with how they leave. */
function holdAll(jobs: HeldJobs, deliveries: readonly number[]): Map<number, () => void> {
  const held = new Map<number, () => void>();
  for (const count of deliveries) {
    void jobs
      .tryHold({ deliveries: count, bytes: 1 })
      .then((leave = () => undefined) => held.set(count, leave));
  }
  return held;
}

it('a job is not held while there is no memory for its bundle, and the largest is held alone', async () => {
  const jobs = new HeldJobs();
  const large = { deliveries: 1, bytes: 2 * limits.heldBytesMax };
  const leave = await jobs.tryHold(large);
  expect(leave).toBeDefined();
  expect(await jobs.tryHold({ deliveries: 1, bytes: 1 })).toBeUndefined();
  leave?.();
  expect(await jobs.tryHold({ deliveries: 1, bytes: 1 })).toBeDefined();
  expect(await jobs.tryHold(large)).toBeUndefined();
});

it('jobs are held in the order of asking, as long as there is room for their deliveries', async () => {
  const jobs = new HeldJobs();
  const held = holdAll(jobs, [max - 4, 5, 1]);
  await setImmediate();
  expect([...held.keys()]).toEqual([max - 4]);
  expect(jobs.isWaitedFor).toBe(true);
  held.get(max - 4)?.();
  await setImmediate();
  expect([...held.keys()]).toEqual([max - 4, 5, 1]);
  expect(jobs.isWaitedFor).toBe(false);
});

it('a job of more deliveries than there is room for is held alone', async () => {
  const jobs = new HeldJobs();
  const held = holdAll(jobs, [max + 1, 1]);
  await setImmediate();
  expect([...held.keys()]).toEqual([max + 1]);
  held.get(max + 1)?.();
  await setImmediate();
  expect([...held.keys()]).toEqual([max + 1, 1]);
});
