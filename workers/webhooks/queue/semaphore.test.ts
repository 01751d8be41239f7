import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

/** Enters with each count; which of them are inside is in `inside`. */
function enterAll(semaphore: Semaphore, counts: readonly number[]): number[] {
  const inside: number[] = [];
  for (const count of counts) void semaphore.enter(count).then(() => inside.push(count));
  return inside;
}

it('admits in the order of asking, as long as there is room', async () => {
  const semaphore = new Semaphore(10);
  const inside = enterAll(semaphore, [6, 5, 1]);
  await setImmediate();
  expect(inside).toEqual([6]);
  expect(semaphore.isWaitedFor).toBe(true);
  semaphore.leave(6);
  await setImmediate();
  expect(inside).toEqual([6, 5, 1]);
  expect(semaphore.isWaitedFor).toBe(false);
});

it('admits more than its room alone', async () => {
  const semaphore = new Semaphore(10);
  const inside = enterAll(semaphore, [25, 1]);
  await setImmediate();
  expect(inside).toEqual([25]);
  semaphore.leave(25);
  await setImmediate();
  expect(inside).toEqual([25, 1]);
});
