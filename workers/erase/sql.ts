import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import type { Pool } from '../../infra/postgres.ts';

/** A thing that is gone, and how often its messages were erased. */
export type ErasedThing = { id: string; erasures: number };

/**
 * Takes things whose messages are to be erased now: no other worker gets them for as long as the lease
 * lasts. Leans on `erased_things_due`.
 */
export async function takeErasedThings(
  pool: Pool,
  thingsMax: number,
  leaseMs: number,
): Promise<ErasedThing[]> {
  const { rows } = await pool.query<ErasedThing>(
    `UPDATE erased_things
     SET due_at = now() + make_interval(secs => $2::float8 / 1000)
     WHERE thing_id IN (
       SELECT thing_id FROM erased_things
       WHERE due_at <= now()
       ORDER BY due_at
       LIMIT $1
       FOR UPDATE SKIP LOCKED
     )
     RETURNING thing_id AS id, erasures`,
    [thingsMax, leaseMs],
  );
  return rows;
}

/**
 * Notes that the messages of things were erased once more: the next time is the wait of that number
 * later; after the last wait the thing is forgotten. Leans on the primary key.
 */
export async function noteErased(
  pool: Pool,
  things: readonly ErasedThing[],
  waitsMs: readonly number[],
): Promise<void> {
  await pool.query(
    `WITH done AS (
       SELECT * FROM unnest($1::uuid[], $2::integer[]) AS done (thing_id, erasures)
     ),
     kept AS (
       UPDATE erased_things AS noted
       SET erasures = noted.erasures + 1,
           due_at = now() + make_interval(secs => ($3::float8[])[noted.erasures + 1] / 1000)
       FROM done
       WHERE noted.thing_id = done.thing_id AND noted.erasures = done.erasures
         AND done.erasures < cardinality($3::float8[])
     )
     DELETE FROM erased_things AS noted
     USING done
     WHERE noted.thing_id = done.thing_id AND noted.erasures = done.erasures
       AND done.erasures >= cardinality($3::float8[])`,
    [things.map((thing) => thing.id), things.map((thing) => thing.erasures), waitsMs],
  );
}

/** Lets things start anew with the first time after a while. Leans on the primary key. */
export async function startAnew(
  pool: Pool,
  things: readonly ErasedThing[],
  waitMs: number,
): Promise<void> {
  await pool.query(
    `UPDATE erased_things
     SET erasures = 0, due_at = now() + make_interval(secs => $2::float8 / 1000)
     WHERE thing_id = ANY ($1::uuid[])`,
    [things.map((thing) => thing.id), waitMs],
  );
}

/**
 * Deletes the messages of publishers. Leans on the sort key. A deletion touches every part of its table,
 * so what has no messages is left out.
 */
export async function deleteMessages(
  clickhouse: ClickHouseClient,
  table: 'senml' | 'json',
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
    query: 'DELETE FROM {table:Identifier} WHERE publisher IN {ids:Array(UUID)}',
    query_params: { table, ids: found.map((row) => row.publisher) },
    use_multipart_params_auto: true,
  });
}
