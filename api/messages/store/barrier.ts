import { passLogBarrier } from '../../../infra/runtime/stores/log-barrier.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Database } from '../../stores/database.ts';

/** How long a deletion or a backup waits for messages that were acknowledged before it. */
const barrierMsMax = 10_000;

export type BarrierDependencies = { db: Database; announceKeyChanges: () => void };

/**
 * Waits until all that was acknowledged before is in the store.
 *
 * @throws DomainError `unavailable` while an edge still holds some of it.
 */
export async function waitForEarlierMessages({
  db,
  announceKeyChanges,
}: BarrierDependencies): Promise<void> {
  const passed = await passLogBarrier(
    (text, values) => db.rows(text, values),
    announceKeyChanges,
    AbortSignal.timeout(barrierMsMax),
  );
  if (passed) return;
  throw new DomainError('unavailable', 'earlier messages are still on their way to the store', 5);
}
