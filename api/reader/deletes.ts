import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import { named } from './clickhouse-errors.ts';
import { type MessageFormat, tables, type Where } from './conditions.ts';

/** As long as a delete may take before its caller is told to ask again; it goes on all the same. */
const deleteSecondsMax = 300;

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
