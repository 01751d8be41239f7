import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Uuid } from '../http/common.ts';

/** The queue of deliveries to webhooks. */
export const webhookQueue = 'webhooks';

const offset = Type.Integer({ minimum: 0 });

/** Messages that stand together in an edge's log: its segment, and where their first and last frames stand there. */
export const BundleKey = Type.Object({
  log: Type.String({ minLength: 1, maxLength: 64 }),
  segment: Type.Integer({ minimum: 0 }),
  first: offset,
  last: offset,
});
export type BundleKey = Static<typeof BundleKey>;

/**
 * Deliveries of the messages of one bundle. It holds ids only: the messages themselves are in Postgres, once, until
 * their last delivery is done, however often and to however many webhooks they are sent.
 */
export const WebhookJob = Type.Object({
  bundle: BundleKey,
  /** Size of the bundle, which is read for the job. */
  bytes: Type.Integer({ minimum: 0 }),
  /** Each message and each of its webhooks is one delivery. */
  messages: Type.Array(Type.Object({ offset, webhook_ids: Type.Array(Uuid) })),
  /** Attempts that each delivery had before this job. */
  attempts: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Set if a user asked for these deliveries again: it gives their job another id. */
  replay: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});
export type WebhookJob = Static<typeof WebhookJob>;

const jobs = Compile(WebhookJob);

/** The data of a job; undefined if it is malformed. */
export function readWebhookJob(data: unknown): WebhookJob | undefined {
  return jobs.Check(data) ? data : undefined;
}

/**
 * How a job is called in the queue. Each delivery of a bundle or a group is attempted once; one that fails, or can't be
 * attempted yet, becomes a job of its own. A single delivery stays one, which the queue repeats until its schedule is
 * over.
 */
export const webhookJobNames = {
  bundle: 'messages',
  group: 'messages',
  single: 'message',
} as const;

/** The place of its frame identifies a message. */
type MessagePlace = { log: string; segment: number; offset: number };

/** Equal for each attempt and each replay: the header `webhook-id` is made of it. */
export const webhookMessageId = ({ log, segment, offset: at }: MessagePlace): string =>
  `${log}-${segment}-${at}`;

/** The place that `webhookMessageId` was made of; undefined for a message that never was in a log. */
export function placeOfMessage(messageId: string): MessagePlace | undefined {
  const [, log, segment, at] = /^(.+)-(\d{1,9})-(\d{1,9})$/.exec(messageId) ?? [];
  if (log === undefined) return undefined;
  return { log, segment: Number(segment), offset: Number(at) };
}

/** Starts the log's name of messages that the API made to test a webhook. */
export const pingLogPrefix = 'ping-';

/** Starts the log's name of a notice of alarms, which is called as the notice is. */
export const noticeLogPrefix = 'alarm_';

/**
 * The header `webhook-id`, and the id of a single job: the same for each attempt. It holds no `.`, which separates
 * the parts of what is signed.
 */
export const webhookJobId = (messageId: string, webhookId: string): string =>
  `${messageId}_${webhookId}`;

/** Its place identifies a bundle: one that ends elsewhere is another bundle. */
export const webhookBundleId = ({ log, segment, first, last }: BundleKey): string =>
  `${webhookMessageId({ log, segment, offset: first })}-${last}_bundle`;

/** The options of every job. The worker knows how long to wait between attempts. */
export const webhookJobOptions = {
  /** Standard Webhooks' schedule: the first attempt, and nine more. */
  attempts: 10,
  backoff: { type: 'schedule' },
  // A done job is remembered for a while, so that adding it again causes no second delivery.
  removeOnComplete: { age: 3_600, count: 1_000 },
  // Operators look at these.
  removeOnFail: { age: 30 * 86_400, count: 100_000 },
} as const;

/** The id of a job that delivers a message again: another job, with the same `webhook-id`. */
export const webhookReplayId = (messageId: string, webhookId: string, replay: string): string =>
  `${webhookJobId(messageId, webhookId)}_${replay}`;
