import type { Database } from '../stores/database.ts';
import { passLogBarrier } from '../../infra/runtime/stores/log-barrier.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import type { Where } from './query/conditions.ts';
import { type MessageFormat, messageTables } from '../../schemas/messages/tables.ts';
import type { Store } from './store/store.ts';

/** As long as a delete waits for what was acknowledged before it to reach the store. */
const settleMsMax = 10_000;

/**
 * Waits until what was acknowledged before is in the store, so that a delete reaches it.
 *
 * @throws DomainError `unavailable` while some edge still holds messages; nothing is deleted then.
 */
export async function settleLogs({
  db,
  announceKeyChanges,
}: {
  db: Database;
  announceKeyChanges: () => void;
}): Promise<void> {
  const settled = await passLogBarrier(
    (text, values) => db.rows(text, values),
    announceKeyChanges,
    settleMsMax,
  );
  if (settled) return;
  throw new DomainError('unavailable', 'earlier messages are still on their way to the store', 5);
}

/**
 * Deletes messages; they are gone for every reader when this settles. The rows are marked and leave the
 * disk with the next merge, so neither reads nor inserts wait.
 */
export function deleteMessages(store: Store, format: MessageFormat, where: Where): Promise<void> {
  return store.change(`DELETE FROM ${messageTables[format].name} WHERE ${where.text}`, where.bound);
}
