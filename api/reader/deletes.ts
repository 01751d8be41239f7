import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import { passLogBarrier } from '../../infra/log-barrier.ts';
import { DomainError } from '../../schemas/errors.ts';
import type { Parts } from '../parts.ts';
import { named } from './clickhouse-errors.ts';
import { type MessageFormat, tables, type Where } from './conditions.ts';

/** As long as a delete may take before its caller is told to ask again; it goes on all the same. */
const deleteSecondsMax = 300;

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
}: Pick<Parts, 'db' | 'announceKeyChanges'>): Promise<void> {
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
export async function deleteMessages(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  where: Where,
): Promise<void> {
  try {
    await clickhouse.command({
      query: `DELETE FROM ${tables[format].name} WHERE ${where.text}`,
      query_params: where.params,
      clickhouse_settings: { max_execution_time: deleteSecondsMax, lightweight_deletes_sync: '2' },
    });
  } catch (error) {
    throw named(error);
  }
}
