import { type Pool, transaction } from '../../infra/runtime/stores/postgres.ts';

/**
 * Notes when things were heard, unless a later time is noted; deleted things are left out. A lock lets one edge at a
 * time do it: two that heard the same things could wait for each other. Uses the primary keys.
 */
export async function insertSeen(
  pool: Pool,
  heard: readonly (readonly [thingId: string, atMs: number])[],
): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(hashtext('things_seen'))");
    await client.query({
      name: 'insert-seen',
      text: `
        WITH heard AS MATERIALIZED (
          SELECT id, to_timestamp(ms / 1000) AS at
          FROM unnest($1::uuid[], $2::float8[]) AS heard (id, ms)
        ),
        known AS (
          UPDATE things_seen SET seen_at = greatest(seen_at, heard.at)
          FROM heard WHERE thing_id = heard.id
          RETURNING thing_id
        )
        INSERT INTO things_seen (thing_id, seen_at)
        SELECT things.id, heard.at
        FROM heard JOIN things ON things.id = heard.id
        WHERE NOT EXISTS (SELECT FROM known WHERE thing_id = heard.id)
        FOR KEY SHARE OF things`,
      values: [heard.map(([id]) => id), heard.map(([, atMs]) => atMs)],
    });
  });
}
