import type { DeliveriesQuery, WebhookDelivery } from '../../schemas/webhook.ts';
import type { Database } from '../database.ts';
import { Conditions, findPage, type Page } from '../page.ts';

type DeliveryRow = {
  id: string;
  message_id: string;
  attempt: number;
  tried_at: Date;
  duration_ms: number;
  status: number | null;
  error: string | null;
  answer: Buffer;
};

const columns = 'id, message_id, attempt, tried_at, duration_ms, status, error, answer';

const delivered = 'status IS NOT NULL AND status BETWEEN 200 AND 299';

/** The tries of a webhook. Leans on `webhook_deliveries_webhook`. */
export async function findDeliveries(
  db: Database,
  webhookId: string,
  asked: DeliveriesQuery,
): Promise<Page<WebhookDelivery>> {
  const { message_id: messageId, status, outcome, from, to } = asked;
  const conditions = new Conditions();
  conditions.equals('webhook_id', webhookId);
  conditions.equals('message_id', messageId);
  if (status !== undefined) conditions.add(`status = ${conditions.bind(status)}`);
  if (outcome !== undefined)
    conditions.add(outcome === 'delivered' ? delivered : `NOT (${delivered})`);
  addRange(conditions, 'tried_at', from, to);
  const list = { columns, from: 'webhook_deliveries', conditions, orders: { id: 'id' }, id: 'id' };
  const { total, rows } = await findPage<DeliveryRow>(db, list, asked);
  return { total, rows: rows.map(toDelivery) };
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  const { id, tried_at, status, error, answer, ...shown } = row;
  return {
    ...shown,
    id: Number(id),
    tried_at: tried_at.toISOString(),
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    answer: answer.toString('utf8'),
  };
}

function addRange(
  conditions: Conditions,
  column: string,
  from: string | undefined,
  to: string | undefined,
): void {
  if (from !== undefined) conditions.add(`${column} >= ${conditions.bind(from)}::timestamptz`);
  if (to !== undefined) conditions.add(`${column} <= ${conditions.bind(to)}::timestamptz`);
}

/** What is to be delivered again. */
export type Which =
  | { by: 'message'; messageId: string }
  /** Those whose last try failed. */
  | { by: 'failure' }
  | { by: 'time'; from: string | undefined; to: string | undefined };

/** A message that is kept, without its payload. */
export type KeptMessage = { messageId: string; bytes: number };

/**
 * Messages of a webhook's thing that are kept, the oldest first. Leans on `webhook_messages_thing` and
 * `webhook_deliveries_webhook`.
 */
export async function findKeptMessages(
  db: Database,
  webhook: { id: string; thing_id: string },
  which: Which,
  limit: number,
): Promise<KeptMessage[]> {
  const conditions = new Conditions();
  conditions.equals('thing_id', webhook.thing_id);
  if (which.by === 'message') conditions.equals('message_id', which.messageId);
  if (which.by === 'time') addRange(conditions, 'received_at', which.from, which.to);
  if (which.by === 'failure') {
    conditions.add(`message_id IN (
      SELECT message_id
      FROM (
        SELECT DISTINCT ON (message_id) message_id, status
        FROM webhook_deliveries
        WHERE webhook_id = ${conditions.bind(webhook.id)}
        ORDER BY message_id, id DESC
      ) AS last
      WHERE NOT (${delivered})
    )`);
  }
  return db.rows<KeptMessage>(
    `SELECT message_id AS "messageId", octet_length(payload) AS bytes
     FROM webhook_messages
     WHERE ${conditions.text}
     ORDER BY received_at, message_id
     LIMIT ${conditions.bind(limit)}`,
    conditions.values,
  );
}

export type WholeMessage = {
  message_id: string;
  content_type: string;
  payload: Buffer;
  received_at: Date;
};

/** Those of the messages that are still there, the oldest first. Leans on the primary key. */
export async function findMessages(
  db: Database,
  messageIds: readonly string[],
): Promise<WholeMessage[]> {
  return db.rows<WholeMessage>(
    `SELECT message_id, content_type, payload, received_at
     FROM webhook_messages
     WHERE message_id = ANY ($1)
     ORDER BY received_at, message_id`,
    [messageIds],
  );
}
