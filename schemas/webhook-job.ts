import { isUtf8 } from 'node:buffer';
import { type Static, Type } from 'typebox';
import { Uuid } from './common.ts';

/** The queue of copies of messages that go out to webhooks. */
export const webhookQueue = 'webhooks';

/**
 * One copy of one message for one webhook: the data of a job whose id is `webhookJobId`. `payload` is what came
 * after the profile's transformation, as text, or in base64 where it is no UTF-8.
 */
export const WebhookJob = Type.Object({
  webhook_id: Uuid,
  /** The same for each try and each repeat: `webhook-id` of Standard Webhooks is made of it. */
  message_id: Type.String({ minLength: 1, maxLength: 128 }),
  content_type: Type.String(),
  payload: Type.String(),
  encoding: Type.Enum(['utf8', 'base64']),
  /** Tries that it had in a pack, before it became a job of its own. */
  tries: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type WebhookJob = Static<typeof WebhookJob>;

const offset = Type.Integer({ minimum: 0 });

/** Messages that stood together in the log of an edge: where their first and last frames stand in its segment. */
export const PackKey = Type.Object({
  log: Type.String({ minLength: 1, maxLength: 64 }),
  segment: Type.Integer({ minimum: 0 }),
  first: offset,
  last: offset,
});
export type PackKey = Static<typeof PackKey>;

/**
 * Where each message of a pack goes: the data of a job whose id is `webhookPackId`. The messages are kept in
 * Postgres, so that a queue of many is small. Each copy has its first try there; one that fails, or can't be
 * tried yet, becomes a job of its own.
 */
export const WebhookPack = Type.Object({
  pack: PackKey,
  /** Of all its frames. */
  bytes: Type.Integer({ minimum: 0 }),
  messages: Type.Array(Type.Object({ offset, webhook_ids: Type.Array(Uuid) })),
});
export type WebhookPack = Static<typeof WebhookPack>;

/** A message is known by where its frame stands. */
export type MessagePlace = { log: string; segment: number; offset: number };

export const webhookMessageId = ({ log, segment, offset: at }: MessagePlace): string =>
  `${log}-${segment}-${at}`;

/** What `webhookMessageId` was made of; undefined for one that never stood in a log. */
export function placeOfMessage(messageId: string): MessagePlace | undefined {
  const [, log, segment, at] = /^(.+)-(\d{1,9})-(\d{1,9})$/.exec(messageId) ?? [];
  if (log === undefined) return undefined;
  return { log, segment: Number(segment), offset: Number(at) };
}

/**
 * What stands in the header `webhook-id`, and is the job's id: stable for a message and a webhook. It holds
 * no `.`, which parts what is signed.
 */
export const webhookJobId = (messageId: string, webhookId: string): string =>
  `${messageId}_${webhookId}`;

/** A pack is known by where it stands: one that ends elsewhere is another one. */
export const webhookPackId = ({ log, segment, first, last }: PackKey): string =>
  `${webhookMessageId({ log, segment, offset: first })}-${last}_pack`;

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

/** A payload as a job carries it. */
export function payloadText(payload: Buffer): { payload: string; encoding: 'utf8' | 'base64' } {
  const encoding = isUtf8(payload) ? 'utf8' : 'base64';
  return { payload: payload.toString(encoding), encoding };
}
