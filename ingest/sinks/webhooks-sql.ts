import type { Pool } from '../../infra/postgres.ts';
import type { ForwardedMessage } from '../codecs/webhook-frame.ts';

export type IdentifiedMessage = ForwardedMessage & { id: string };

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

/**
 * Keeps messages whose payloads stand in `source`; a thing may be gone. Gives how many were new. Leans on
 * the primary keys.
 */
export async function insertMessages(
  pool: Pool,
  source: Buffer,
  messages: readonly IdentifiedMessage[],
): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'insert-webhook-messages',
    // The payloads go over as one value, and as bytes: as an array they would be written out in hex.
    text: `
      INSERT INTO webhook_messages (message_id, thing_id, content_type, payload, received_at)
      SELECT message.id, thing.id, message.content_type,
             substring($1::bytea FROM message.start FOR message.bytes),
             to_timestamp(message.received_ms / 1000)
      FROM unnest($2::text[], $3::uuid[], $4::text[], $5::integer[], $6::integer[], $7::float8[])
           AS message (id, thing_id, content_type, start, bytes, received_ms)
      JOIN things AS thing ON thing.id = message.thing_id
      ON CONFLICT (message_id) DO NOTHING`,
    values: [
      source,
      messages.map((message) => message.id),
      messages.map((message) => message.thingId),
      messages.map((message) => message.contentType),
      messages.map((message) => message.start + 1),
      messages.map((message) => message.bytes),
      messages.map((message) => message.receivedMs),
    ],
  });
  return rowCount ?? 0;
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
