import type { Pool } from '../../infra/postgres.ts';

/** The webhooks of these things that are on; a thing without any is left out. Leans on `webhooks_thing`. */
export async function loadWebhooks(
  pool: Pool,
  thingIds: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await pool.query<{ thingId: string; ids: string[] }>({
    name: 'load-webhooks',
    text: `
      SELECT thing_id AS "thingId", array_agg(id::text) AS ids
      FROM webhooks
      WHERE thing_id = ANY ($1::uuid[]) AND disabled_at IS NULL
      GROUP BY thing_id`,
    values: [thingIds],
  });
  return new Map(rows.map(({ thingId, ids }) => [thingId, ids]));
}

export type Copy = { messageId: string; webhookId: string };

/**
 * The copies of these messages that arrived since `sinceMs`. Leans on `webhook_deliveries_tried`, so the time
 * should not be long ago.
 */
export async function loadDelivered(
  pool: Pool,
  messageIds: readonly string[],
  sinceMs: number,
): Promise<Copy[]> {
  const { rows } = await pool.query<Copy>(
    `SELECT message_id AS "messageId", webhook_id AS "webhookId"
     FROM webhook_deliveries
     WHERE tried_at >= to_timestamp($2::float8 / 1000) AND message_id = ANY ($1::text[])
       AND status BETWEEN 200 AND 299`,
    [messageIds, sinceMs],
  );
  return rows;
}
