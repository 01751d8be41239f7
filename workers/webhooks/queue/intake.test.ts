import { expect, it } from 'vitest';
import { limits } from '../../limits.ts';
import { Intake } from './intake.ts';

it('a job is not held while there is no memory for its bundle, and the largest is held alone', async () => {
  const intake = new Intake();
  const large = { deliveries: 1, bytes: 2 * limits.heldBytesMax };
  const leave = await intake.tryHold(large);
  expect(leave).toBeDefined();
  expect(await intake.tryHold({ deliveries: 1, bytes: 1 })).toBeUndefined();
  leave?.();
  expect(await intake.tryHold({ deliveries: 1, bytes: 1 })).toBeDefined();
  expect(await intake.tryHold(large)).toBeUndefined();
});

it('a job waits while as many deliveries are held as may be', async () => {
  const intake = new Intake();
  const leave = await intake.tryHold({ deliveries: limits.heldDeliveriesMax, bytes: 1 });
  const second = intake.tryHold({ deliveries: 1, bytes: 1 });
  expect(intake.isWaitedFor).toBe(true);
  leave?.();
  expect(await second).toBeDefined();
  expect(intake.isWaitedFor).toBe(false);
});
