import type { Pool } from '../../infra/runtime/stores/postgres.ts';

/** Messages of one thing that were refused without a word to it. */
export type RefusedOfThing = {
  readonly id: string;
  messages: number;
  lastAtMs: number;
  /** Of the last one. */
  reason: string;
};

/**
 * Adds messages that things were not told are refused; those of things that are gone are left out. A run of them begins anew
 * after a day without any. In the order of ids, as other edges do it. Uses primary keys.
 */
export async function addRefused(pool: Pool, refused: readonly RefusedOfThing[]): Promise<void> {
  await pool.query({
    name: 'add-refused',
    text: `
      INSERT INTO things_refused AS known (thing_id, messages, since, last_at, reason)
      SELECT things.id, heard.messages, heard.at, heard.at, heard.reason
      FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::text[])
        AS heard (id, messages, at, reason)
      JOIN things ON things.id = heard.id
      ORDER BY things.id
      FOR KEY SHARE OF things
      ON CONFLICT (thing_id) DO UPDATE SET
        messages = excluded.messages
          + CASE WHEN known.last_at < excluded.last_at - interval '1 day' THEN 0 ELSE known.messages END,
        since = CASE WHEN known.last_at < excluded.last_at - interval '1 day' THEN excluded.since ELSE known.since END,
        last_at = greatest(known.last_at, excluded.last_at),
        reason = excluded.reason`,
    values: [
      refused.map(({ id }) => id),
      refused.map(({ messages }) => messages),
      refused.map(({ lastAtMs }) => new Date(lastAtMs)),
      refused.map(({ reason }) => reason),
    ],
  });
}
