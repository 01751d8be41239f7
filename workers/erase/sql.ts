import type { ClickHouseClient } from '../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../infra/runtime/stores/cluster.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';

/**
 * Takes things whose messages are to be erased: no other worker gets them while the lease lasts.
 * Uses `erased_things_due`.
 */
export async function takeErasedThings(
  pool: Pool,
  thingsMax: number,
  leaseMs: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'take-erased-things',
    text: `UPDATE erased_things
     SET due_at = now() + make_interval(secs => $2::float8 / 1000)
     WHERE thing_id IN (
       SELECT thing_id FROM erased_things
       WHERE due_at <= now()
       ORDER BY due_at
       LIMIT $1
       FOR UPDATE SKIP LOCKED
     )
     RETURNING thing_id AS id`,
    values: [thingsMax, leaseMs],
  });
  return rows.map((row) => row.id);
}

/** Their messages are erased. Uses the primary key. */
export async function forgetThings(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query('DELETE FROM erased_things WHERE thing_id = ANY ($1::uuid[])', [ids]);
}

/** These things are taken again after a while. Uses the primary key. */
export async function postpone(pool: Pool, ids: readonly string[], waitMs: number): Promise<void> {
  await pool.query(
    `UPDATE erased_things SET due_at = now() + make_interval(secs => $2::float8 / 1000)
     WHERE thing_id = ANY ($1::uuid[])`,
    [ids, waitMs],
  );
}

/**
 * Deletes the messages of publishers. A deletion touches every part of its table, so publishers without messages are
 * left out. Uses the sort key.
 */
export async function deleteMessages(
  clickhouse: ClickHouseClient,
  table: string,
  publishers: readonly string[],
): Promise<void> {
  const result = await clickhouse.query({
    query: `SELECT DISTINCT publisher FROM {table:Identifier} WHERE publisher IN {ids:Array(UUID)}`,
    query_params: { table, ids: publishers },
    use_multipart_params_auto: true,
    format: 'JSONEachRow',
  });
  const found = await result.json<{ publisher: string }>();
  if (found.length === 0) return;
  await clickhouse.command({
    query: `DELETE FROM ${onShards(clickhouse.cluster, table)} WHERE publisher IN {ids:Array(UUID)}`,
    query_params: { ids: found.map((row) => row.publisher) },
    use_multipart_params_auto: true,
  });
}
