import { type Static, Type } from 'typebox';
import { Uuid } from './common.ts';

/** The queue of copies of messages that go out to webhooks. */
export const webhookQueue = 'webhooks';

/**
 * A message as webhooks get it. `payload` is what came after the profile's transformation, as text, or in
 * base64 where it is no UTF-8.
 */
const message = {
  thing_id: Uuid,
  /** The same for each try and each repeat: `webhook-id` of Standard Webhooks is made of it. */
  message_id: Type.String({ minLength: 1, maxLength: 128 }),
  received_at: Type.Integer(),
  content_type: Type.String(),
  payload: Type.String(),
  encoding: Type.Enum(['utf8', 'base64']),
};

/** One copy of one message for one webhook: the data of a job whose id is `webhookJobId`. */
export const WebhookJob = Type.Object({
  webhook_id: Uuid,
  ...message,
  /** Tries that it had in a pack, before it became a job of its own. */
  tries: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type WebhookJob = Static<typeof WebhookJob>;

/**
 * Messages that stood together in the log, and where each goes: the data of a job whose id is `webhookPackId`.
 * Each copy has its first try there; one that fails, or can't be tried yet, becomes a job of its own.
 */
export const WebhookPack = Type.Object({
  messages: Type.Array(Type.Object({ ...message, webhook_ids: Type.Array(Uuid) })),
});
export type WebhookPack = Static<typeof WebhookPack>;

/**
 * What stands in the header `webhook-id`, and is the job's id: stable for a message and a webhook. It holds
 * no `.`, which parts what is signed.
 */
export const webhookJobId = (messageId: string, webhookId: string): string =>
  `${messageId}_${webhookId}`;

/** A pack is known by its first message: the same stretch of the log is always cut into the same packs. */
export const webhookPackId = (firstMessageId: string): string => `${firstMessageId}_pack`;

/** How a job of this queue is tried and kept, whoever adds it. How long it waits, the worker knows. */
export const webhookJobOptions = {
  /** Standard Webhooks' schedule: the first try, and nine more. */
  attempts: 10,
  backoff: { type: 'schedule' },
  // What is done is remembered for a while: adding it again is then no second delivery.
  removeOnComplete: { age: 3_600, count: 1_000 },
  // An operator looks at these.
  removeOnFail: { age: 30 * 86_400, count: 100_000 },
} as const;

/** The id of a job that delivers a message once more: another job, the same `webhook-id`. */
export const webhookReplayId = (messageId: string, webhookId: string, replay: string): string =>
  `${webhookJobId(messageId, webhookId)}_${replay}`;
