import { type Static, Type } from 'typebox';
import { Uuid } from '../http/common.ts';

/** The queue of copies of messages that go out to webhooks. */
export const webhookQueue = 'webhooks';

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
 * Where messages of a pack go. It holds ids alone: the messages lie in Postgres, once, until their last copy is
 * over, however often and to however many webhooks they are sent.
 */
export const WebhookJob = Type.Object({
  pack: PackKey,
  /** Of what is read for it. */
  bytes: Type.Integer({ minimum: 0 }),
  messages: Type.Array(Type.Object({ offset, webhook_ids: Type.Array(Uuid) })),
  /** That each copy had before it was in this job. */
  tries: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Of a delivery that was asked for once more: what tells it from the others. */
  replay: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});
export type WebhookJob = Static<typeof WebhookJob>;

/**
 * `messages`: each copy is tried once, and one that fails, or can't be tried yet, becomes a job of its own.
 * `message`: one copy, which the queue tries again until its schedule is over.
 */
export const webhookJobNames = { pack: 'messages', copy: 'message' } as const;

/** A message is known by where its frame stands. */
export type MessagePlace = { log: string; segment: number; offset: number };

/** The same for each try and each repeat: `webhook-id` of Standard Webhooks is made of it. */
export const webhookMessageId = ({ log, segment, offset: at }: MessagePlace): string =>
  `${log}-${segment}-${at}`;

/** What `webhookMessageId` was made of; undefined for one that never stood in a log. */
export function placeOfMessage(messageId: string): MessagePlace | undefined {
  const [, log, segment, at] = /^(.+)-(\d{1,9})-(\d{1,9})$/.exec(messageId) ?? [];
  if (log === undefined) return undefined;
  return { log, segment: Number(segment), offset: Number(at) };
}

/** The log of messages that no thing sent: the API made them, to try a webhook. */
export const pingLogPrefix = 'ping-';

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
