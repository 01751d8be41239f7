import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { DomainError } from '../../schemas/errors.ts';
import type { Replay } from '../../schemas/webhook.ts';
import {
  type WebhookJob,
  webhookJobId,
  webhookJobOptions,
  webhookReplayId,
} from '../../schemas/webhook-job.ts';
import type { Database } from '../database.ts';
import {
  awayRetrySeconds,
  replayBatchBytesMax,
  replayBatchMessagesMax,
  replayMessagesMax,
  replayQueueJobsMax,
} from '../limits.ts';
import type { Queues } from '../queues/open.ts';
import {
  findKeptMessages,
  findMessages,
  type KeptMessage,
  type Which,
  type WholeMessage,
} from './deliveries-sql.ts';
import type { StoredWebhook } from './sql.ts';

/** Sends a small message to a webhook, as its thing would. Gives the message's id. */
export async function ping(queues: Queues, webhook: StoredWebhook): Promise<string> {
  mustBeEnabled(webhook);
  const messageId = `ping-${randomUUID()}`;
  const now = new Date();
  const data = { webhook_id: webhook.id, thing_id: webhook.thing_id };
  const job: WebhookJob = {
    ...data,
    message_id: messageId,
    received_at: now.getTime(),
    content_type: 'application/json',
    payload: JSON.stringify({ type: 'ping', timestamp: now.toISOString(), data }),
    encoding: 'utf8',
  };
  await add(queues, [{ id: webhookJobId(messageId, webhook.id), job }]);
  return messageId;
}

/**
 * Delivers messages that are kept to a webhook once more, under the ids they had; gives how many. When the
 * queue goes away meanwhile, some of them are on their way.
 *
 * @throws DomainError `notFound` for a message that is not kept, `malformed` for too many, `conflict` for a
 * webhook that is disabled, `unavailable` where the queue has enough to do.
 */
export async function replay(
  { db, queues }: { db: Database; queues: Queues },
  webhook: StoredWebhook,
  asked: Replay,
): Promise<number> {
  mustBeEnabled(webhook);
  const which = whichOf(asked);
  const waiting = await queues.ask(() => queues.webhooks.getWaitingCount());
  if (waiting >= replayQueueJobsMax) {
    throw new DomainError('unavailable', 'the queue is long', awayRetrySeconds);
  }
  const kept = await findKeptMessages(db, webhook, which, replayMessagesMax + 1);
  if (which.by === 'message' && kept.length === 0) throw new DomainError('notFound');
  if (kept.length > replayMessagesMax) {
    throw new DomainError(
      'malformed',
      `more than ${replayMessagesMax} messages: narrow from and to`,
    );
  }
  // Another job for each, though the same message: the queue knows the first one still.
  const suffix = randomUUID();
  let queued = 0;
  for (const messageIds of batchesOf(kept)) {
    const messages = await findMessages(db, messageIds);
    const jobs = messages.map((message) => ({
      id: webhookReplayId(message.message_id, webhook.id, suffix),
      job: toJob(webhook, message),
    }));
    await add(queues, jobs);
    queued += jobs.length;
  }
  return queued;
}

/** @throws DomainError `malformed` where it asks for none of the three, or for more than one. */
function whichOf({ message_id: messageId, failed, from, to }: Replay): Which {
  const asked: Which[] = [];
  if (messageId !== undefined) asked.push({ by: 'message', messageId });
  if (failed !== undefined) asked.push({ by: 'failure' });
  if ((from ?? to) !== undefined) asked.push({ by: 'time', from, to });
  const [which] = asked;
  if (which === undefined || asked.length > 1) {
    throw new DomainError('malformed', 'one of message_id, failed, or from and to is needed');
  }
  return which;
}

/** So many at a time as memory holds; the largest goes alone. */
function* batchesOf(kept: readonly KeptMessage[]): Generator<string[]> {
  let batch: string[] = [];
  let held = 0;
  for (const { messageId, bytes } of kept) {
    const isFull = batch.length >= replayBatchMessagesMax || held + bytes > replayBatchBytesMax;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      held = 0;
    }
    batch.push(messageId);
    held += bytes;
  }
  if (batch.length > 0) yield batch;
}

function toJob(webhook: StoredWebhook, message: WholeMessage): WebhookJob {
  const encoding = isUtf8(message.payload) ? 'utf8' : 'base64';
  return {
    webhook_id: webhook.id,
    thing_id: webhook.thing_id,
    message_id: message.message_id,
    received_at: message.received_at.getTime(),
    content_type: message.content_type,
    payload: message.payload.toString(encoding),
    encoding,
  };
}

async function add(queues: Queues, jobs: { id: string; job: WebhookJob }[]): Promise<void> {
  await queues.ask(() =>
    queues.webhooks.addBulk(
      jobs.map(({ id, job }) => ({
        name: 'message',
        data: job,
        opts: { ...webhookJobOptions, jobId: id },
      })),
    ),
  );
}

/** @throws DomainError `conflict`: what were sent would go nowhere. */
function mustBeEnabled({ disabled_at: disabledAt }: StoredWebhook): void {
  if (disabledAt === null) return;
  throw new DomainError('conflict', 'the webhook is disabled; an update enables it');
}
