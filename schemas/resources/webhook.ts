import { type Static, Type } from 'typebox';
import { about, IdsToDelete, Timestamp, Uuid } from '../http/common.ts';
import { filters, listQuery, pageEnvelope } from '../http/page.ts';
import { Time, UntilTime } from '../http/time.ts';
import { Metadata, MetadataChange, NewMetadata } from '../http/fields.ts';

const ofDelivery = 'each delivery has its own';
const ofConnection = 'it is of the connection and not of the message';
const ofService = 'it tells a receiver that a message is ours';

/** Headers that no webhook may set, in lower case, and why. One that ends with `-` stands for all that begin so. */
export const reservedHeaders: Readonly<Record<string, string>> = {
  'content-type': ofDelivery,
  'content-length': ofDelivery,
  'content-encoding': 'bodies are sent as they are',
  'transfer-encoding': ofConnection,
  connection: ofConnection,
  expect: ofConnection,
  'http2-settings': ofConnection,
  'keep-alive': ofConnection,
  'proxy-': ofConnection,
  te: ofConnection,
  trailer: ofConnection,
  upgrade: ofConnection,
  host: 'it is that of the URL',
  'user-agent': 'it is that of the service',
  'millrace-': ofService,
  'webhook-': ofService,
};

/** Why a webhook can't set this header; undefined if it can. */
export function whyReserved(header: string): string | undefined {
  const name = header.toLowerCase();
  const family = name.slice(0, name.indexOf('-') + 1);
  const found = [name, family].find((one) => Object.hasOwn(reservedHeaders, one));
  return found === undefined ? undefined : reservedHeaders[found];
}

/** Those of these headers that are sent with deliveries. */
export function ownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => whyReserved(name) === undefined),
  );
}

/** Clients of the platform name the type of messages; each delivery has that of its message in any case. */
export const messageTypes: readonly string[] = [
  'application/json',
  'application/senml+json',
  'application/senml+cbor',
];

const ofHeaders = `At most 50, of 4,096 characters of ASCII each. Refused are ${Object.keys(
  reservedHeaders,
)
  .map((name) => (name.endsWith('-') ? `all that begin with \`${name}\`` : `\`${name}\``))
  .join(', ')}. A \`content-type\` of messages is taken and left out.`;

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
  id: about(Uuid, 'Id of the webhook: a UUID.', 'f7a8b9c0-1d2e-4f3a-9b4c-5d6e7f8a9b0c'),
  thing_id: Type.Optional(
    about(
      Uuid,
      'Id of the thing whose messages it gets. Absent: those of all things of the group or org.',
      'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b',
    ),
  ),
  group_id: Type.Optional(
    about(
      Uuid,
      'Id of the group of the thing, or whose things’ messages it gets. Absent: those of all things of the org.',
      'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
    ),
  ),
  org_id: Type.Optional(
    about(
      Uuid,
      'Id of the org whose things’ messages it gets, those of all. Absent: it is of a thing or a group.',
      'd2d3e4f5-6a7b-4c8d-9e0f-1a2b3c4d5e6f',
    ),
  ),
  name: about(Type.String(), 'Label of the webhook.', 'alarms'),
  url: about(
    Type.String(),
    'Where messages are sent: `http` or `https`. For editors and above; others see scheme and host.',
    'https://example.com/hook',
  ),
  headers: Type.Optional(
    about(Headers, 'Headers sent with each delivery. For editors and above.', {
      'X-Tenant': 'water',
    }),
  ),
  messages: Type.Optional(
    about(
      Type.Boolean(),
      '`false`: it gets no messages, and only notices of the alarms of those rules that name it. Absent: it gets both.',
      false,
    ),
  ),
  metadata: Metadata,
  secret: Type.Optional(
    about(
      Type.String(),
      'Secret that deliveries are signed with, as in Standard Webhooks. For editors and above; absent if there is none.',
    ),
  ),
  failing_since: Type.Optional(
    about(
      Timestamp,
      'Since when every attempt has failed: ISO 8601, UTC. Absent: the last one succeeded, or there was none since the URL, the headers or the secret were changed, or since it was enabled.',
    ),
  ),
  /** Since when nothing is sent, and why. */
  disabled_at: Type.Optional(
    about(
      Timestamp,
      'Since when nothing is sent to it: ISO 8601, UTC. Absent: it is sent to. An update sends again, unless a user disabled it.',
    ),
  ),
  disabled_why: Type.Optional(
    about(
      Type.String(),
      'Why nothing is sent to it: `gone` (the receiver answered 410), `failing` (for five days) or `by_user`.',
      'by_user',
    ),
  ),
  waiting_deliveries: Type.Optional(
    about(
      Type.Integer(),
      'Deliveries that wait for a place in the queue, because its org has as many under way as it may.',
      0,
    ),
  ),
  missed_deliveries: Type.Optional(
    about(
      Type.Integer(),
      'Deliveries that were dropped, because its org kept too many bytes, they waited for too long, or were due while it was disabled.',
    ),
  ),
  /** When the first and the last of them came. */
  missed_from: Type.Optional(
    about(Timestamp, 'When the first of them was received: ISO 8601, UTC.'),
  ),
  missed_to: Type.Optional(about(Timestamp, 'When the last of them was received: ISO 8601, UTC.')),
});
export type Webhook = Static<typeof Webhook>;

const Name = Type.String({ minLength: 1, maxLength: 254 });
const Url = Type.String({ minLength: 8, maxLength: 2_048 });
/** Its headers are counted in bytes (api/devices/webhooks/check.ts). */
const Secret = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 256 });

export const NewWebhook = Type.Object({
  name: about(Name, 'Label: 1 to 254 characters.', 'alarms'),
  url: about(
    Url,
    'Where messages are sent: `http` or `https`, to a public address unless the operator allows others; without user and password.',
    'https://example.com/hook',
  ),
  headers: Type.Optional(
    about(HeadersOrNull, `Headers to send with each delivery. Default none. ${ofHeaders}`, {
      'X-Tenant': 'water',
    }),
  ),
  messages: Type.Optional(
    about(
      Type.Boolean(),
      'Whether it gets messages. Default `true`; `false`: only notices of the alarms of those rules that name it.',
      true,
    ),
  ),
  metadata: NewMetadata,
  secret: Type.Optional(
    about(
      Secret,
      'Secret to sign deliveries with, as in Standard Webhooks: 24 bytes or more, 256 characters at most. Default: they are not signed.',
      'whsec_YSBzZWNyZXQgb2YgdGhpcyBleGFtcGxl',
    ),
  ),
});
export type NewWebhook = Static<typeof NewWebhook>;

/** An absent member stays as it is; `null` clears an optional one. */
export const WebhookChange = Type.Object({
  name: Type.Optional(about(Name, 'New label. Absent: it stays.', 'alarms')),
  url: Type.Optional(about(Url, 'New address. Absent: it stays.', 'https://example.com/hook')),
  headers: Type.Optional(
    about(
      HeadersOrNull,
      `Headers instead of those there were. Absent: they stay; \`null\`: none are left. ${ofHeaders}`,
      { 'X-Tenant': 'water' },
    ),
  ),
  messages: Type.Optional(
    about(Type.Boolean(), 'Whether it gets messages from now on. Absent: it stays.', true),
  ),
  metadata: MetadataChange,
  secret: Type.Optional(
    about(
      Secret,
      'New secret; the one before also signs for a day. Absent: it stays; `null`: deliveries are not signed.',
    ),
  ),
  disabled: Type.Optional(
    about(
      Type.Boolean(),
      '`true`: within a second nothing is sent to it any more. It gets no messages of that time, and a delivery whose next attempt falls into that time is dropped. `false`: it is sent to again. Absent: it stays as a user has set it; a webhook that the service disabled is sent to again.',
      false,
    ),
  ),
});
export type WebhookChange = Static<typeof WebhookChange>;

/** No other member is allowed: a filter that is not known would be ignored, and too much removed. */
export const WebhookIds = Type.Object(
  {
    webhook_ids: about(IdsToDelete, 'Ids of the webhooks to remove.', [
      'f7a8b9c0-1d2e-4f3a-9b4c-5d6e7f8a9b0c',
    ]),
  },
  { additionalProperties: false },
);

export const webhookOrders = ['id', 'name', 'url', 'created_at', 'updated_at'] as const;
export const WebhooksQuery = listQuery(webhookOrders, { name: filters.name });
export const Webhooks = Type.Object({
  ...pageEnvelope,
  webhooks: about(Type.Array(Webhook), 'Webhooks of the page.'),
});

const Instant = Type.Unsafe<string | number>(Time);
const MessageId = Type.String({ minLength: 1, maxLength: 128 });

/** One attempt to deliver a message. Without an answer there is no status, and `error` says why. */
export const WebhookDelivery = Type.Object({
  id: about(Type.Integer(), 'Number of the attempt, which grows.', 42),
  message_id: about(
    Type.String(),
    'Id of the message: `webhook-id` of the delivery.',
    'msg_2f6f1c1f7a10',
  ),
  thing_id: Type.Optional(
    about(
      Uuid,
      'Id of the thing that sent the message. Absent: no thing did, or the message is kept no longer.',
      'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b',
    ),
  ),
  thing_name: Type.Optional(
    about(
      Type.String(),
      'Name of that thing. Absent: the webhook gets its messages no longer.',
      'Pump 7',
    ),
  ),
  received_at: Type.Optional(
    about(
      Timestamp,
      'When the message was received: ISO 8601, UTC, milliseconds. Absent: it is kept no longer.',
      '2026-11-21T09:59:59.900Z',
    ),
  ),
  attempt: about(Type.Integer(), 'Which attempt of this message it was, from 1.', 1),
  tried_at: about(
    Timestamp,
    'When it was made: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
  duration_ms: about(Type.Integer(), 'Milliseconds until the answer, or until there was none.', 18),
  status: Type.Optional(
    about(Type.Integer(), 'HTTP status of the answer. Absent: there was none.', 200),
  ),
  error: Type.Optional(about(Type.String(), 'Why there was no answer.')),
  /** The first 4 KiB of it, as text. */
  answer: about(Type.String(), 'First 4 KiB of the answer, as text.', 'ok'),
  request_id: Type.Optional(
    about(
      Type.String(),
      'Id of the request that brought the message: `X-Request-Id` of its answer. Absent: it was received before these were kept.',
      '5d0f3c9a1b7e-2s',
    ),
  ),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const deliveryFilters = {
  message_id: Type.Optional(about(MessageId, 'Id of a message: only attempts of this one.')),
  status: Type.Optional(
    about(Type.Integer({ minimum: 100, maximum: 599 }), 'HTTP status that the answer must have.'),
  ),
  outcome: Type.Optional(
    about(
      Type.Enum(['delivered', 'failed']),
      '`delivered`: answered with 2xx; `failed`: all others.',
    ),
  ),
  from: Type.Optional(
    about(Instant, `Earliest time of an attempt, inclusive. ${Time.description}`),
  ),
  to: Type.Optional(
    about(Instant, `Latest time of an attempt, inclusive. ${UntilTime.description}`),
  ),
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
  deliveries: about(Type.Array(WebhookDelivery), 'Attempts of the page.'),
});

/** A message as a webhook gets it. */
export const WebhookMessage = Type.Object({
  message_id: about(Type.String(), 'Id of the message.', 'msg_2f6f1c1f7a10'),
  content_type: about(Type.String(), 'Type of the body.', 'application/senml+json'),
  subtopic: Type.Optional(about(Type.String(), 'Subtopic. Absent: it has none.', 'room/1')),
  bytes: about(Type.Integer(), 'Size of the body in bytes.', 34),
  encoding: about(
    Type.Enum(['text', 'base64']),
    '`base64`: of a body that is no text, as CBOR is.',
    'text',
  ),
  body: about(
    Type.String(),
    'The body that is sent; of a longer one the first 64 KiB.',
    '[{"n":"level","v":1}]',
  ),
});
export type WebhookMessage = Static<typeof WebhookMessage>;

/** The deliveries to make again: one message, those whose last attempt failed, or those of a time. */
export const Replay = Type.Object({
  message_id: Type.Optional(
    about(MessageId, 'Id of the message to deliver again.', 'msg_2f6f1c1f7a10'),
  ),
  failed: Type.Optional(about(Type.Literal(true), '`true`: those whose last attempt failed.')),
  from: Type.Optional(about(Instant, `Earliest time of receipt, inclusive. ${Time.description}`)),
  to: Type.Optional(about(Instant, `Latest time of receipt, inclusive. ${UntilTime.description}`)),
});
export type Replay = Static<typeof Replay>;
