import { type Static, Type } from 'typebox';
import { IdsToDelete, JsonObject, JsonObjectOrNull, Timestamp, Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope } from './page.ts';

/** Names of headers, and what they hold. */
export const Headers = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  additionalProperties: { type: 'string', maxLength: 4_096 },
});

const HeadersOrNull = Type.Unsafe<Record<string, string> | null>({
  ...Headers,
  type: ['object', 'null'],
});

/**
 * Of a thing, of all things of a group, or of all things of an org. Headers and the secret show to editors and
 * above only.
 */
export const Webhook = Type.Object({
  id: Uuid,
  /** Absent: it is of a group or an org. */
  thing_id: Type.Optional(Uuid),
  /** That of the thing, or the group whose things it is of. Absent: it is of an org. */
  group_id: Type.Optional(Uuid),
  /** The org whose things it is of. */
  org_id: Type.Optional(Uuid),
  name: Type.String(),
  url: Type.String(),
  headers: Type.Optional(Headers),
  metadata: JsonObject,
  secret: Type.Optional(Type.String()),
  /** Since when nothing is sent, and why; an update sends again. */
  disabled_at: Type.Optional(Timestamp),
  disabled_why: Type.Optional(Type.String()),
  /** Copies that wait for a place in the queue: its org has as many on their way as it may. */
  waiting_copies: Type.Optional(Type.Integer()),
  /** Copies that were not delivered and will not be: its org kept too many bytes, or they waited for too long. */
  missed_copies: Type.Optional(Type.Integer()),
  /** When the first and the last of them came. */
  missed_from: Type.Optional(Timestamp),
  missed_to: Type.Optional(Timestamp),
});
export type Webhook = Static<typeof Webhook>;

const Name = Type.String({ minLength: 1, maxLength: 254 });
const Url = Type.String({ minLength: 8, maxLength: 2_048 });
/** What it holds is counted in bytes (api/webhooks/check.ts). */
const Secret = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 256 });

export const NewWebhook = Type.Object({
  name: Name,
  url: Url,
  headers: Type.Optional(HeadersOrNull),
  metadata: Type.Optional(JsonObjectOrNull),
  secret: Type.Optional(Secret),
});
export type NewWebhook = Static<typeof NewWebhook>;

/** Absent stays as it is; `null` clears what can be without. */
export const WebhookChange = Type.Object({
  name: Type.Optional(Name),
  url: Type.Optional(Url),
  headers: Type.Optional(HeadersOrNull),
  metadata: Type.Optional(JsonObjectOrNull),
  secret: Type.Optional(Secret),
});
export type WebhookChange = Static<typeof WebhookChange>;

/** A removal must not mean less than it says, so nothing else may stand in it. */
export const WebhookIds = Type.Object(
  { webhook_ids: IdsToDelete },
  { additionalProperties: false },
);

export const webhookOrders = ['id', 'name', 'url', 'created_at', 'updated_at'] as const;
export const WebhooksQuery = listQuery(webhookOrders, { name: filters.name });
export const Webhooks = Type.Object({ ...pageEnvelope, webhooks: Type.Array(Webhook) });

const Instant = Type.String({ format: 'date-time' });
const MessageId = Type.String({ minLength: 1, maxLength: 128 });

/** One try to deliver a message. Without an answer there is no status, and `error` says why. */
export const WebhookDelivery = Type.Object({
  id: Type.Integer(),
  message_id: Type.String(),
  attempt: Type.Integer(),
  tried_at: Timestamp,
  duration_ms: Type.Integer(),
  status: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String()),
  /** The first 4 KiB of it, as text. */
  answer: Type.String(),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const deliveryFilters = {
  message_id: Type.Optional(MessageId),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
  outcome: Type.Optional(Type.Enum(['delivered', 'failed'])),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
};
export const DeliveriesQuery = Type.Omit(listQuery(['id'], deliveryFilters), ['metadata']);
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;

const { total, offset, limit, order, dir } = pageEnvelope;
export const WebhookDeliveries = Type.Object({
  total,
  offset,
  limit,
  order,
  dir,
  ...deliveryFilters,
  deliveries: Type.Array(WebhookDelivery),
});

/** What is delivered again: one message, those whose last try failed, or those of a time. */
export const Replay = Type.Object({
  message_id: Type.Optional(MessageId),
  failed: Type.Optional(Type.Literal(true)),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
});
export type Replay = Static<typeof Replay>;

/**
 * Headers that no webhook may have, in lower case: of the connection and not of the message, or what tells a
 * receiver that a message is ours. `Content-Type` may be given, as the platform's clients send it along.
 */
export const reservedHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'millrace-received-at',
  'millrace-subtopic',
  'millrace-thing-id',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);
