import { randomUUID } from 'node:crypto';
import { readPacks } from '../../infra/webhook-packs.ts';
import { DomainError } from '../../schemas/errors.ts';
import type { Replay } from '../../schemas/webhook.ts';
import {
  payloadText,
  type WebhookJob,
  webhookJobId,
  webhookJobOptions,
  webhookMessageId,
  webhookPackId,
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
import { findKeptMessages, type KeptMessage, type Which } from './deliveries-sql.ts';
import type { StoredWebhook } from './sql.ts';

/** Sends a small message to a webhook, as its thing would. Gives the message's id. */
export async function ping(queues: Queues, webhook: StoredWebhook): Promise<string> {
  mustBeEnabled(webhook);
  const messageId = `ping-${randomUUID()}`;
  const now = new Date();
  const data = { webhook_id: webhook.id, thing_id: webhook.thing_id };
  const job: WebhookJob = {
    webhook_id: webhook.id,
    message_id: messageId,
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
  for (const batch of batchesOf(kept)) {
    const jobs = (await readJobs(db, webhook, batch)).map((job) => ({
      id: webhookReplayId(job.message_id, webhook.id, suffix),
      job,
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

/** So many at a time as memory holds; the largest pack goes alone. */
function* batchesOf(kept: readonly KeptMessage[]): Generator<KeptMessage[]> {
  let batch: KeptMessage[] = [];
  let packIds = new Set<string>();
  let held = 0;
  for (const message of kept) {
    const packId = webhookPackId(message.pack);
    const more = packIds.has(packId) ? 0 : message.bytes;
    if (batch.length >= replayBatchMessagesMax || (held > 0 && held + more > replayBatchBytesMax)) {
      yield batch;
      batch = [];
      packIds = new Set();
      held = 0;
    }
    batch.push(message);
    if (!packIds.has(packId)) held += message.bytes;
    packIds.add(packId);
  }
  if (batch.length > 0) yield batch;
}

/** Those of the messages that are still there. */
async function readJobs(
  db: Database,
  webhook: StoredWebhook,
  batch: readonly KeptMessage[],
): Promise<WebhookJob[]> {
  const keys = new Map(batch.map(({ pack }) => [webhookPackId(pack), pack]));
  const read = await readPacks((text, values) => db.rows(text, values), [...keys.values()]);
  const packs = new Map([...keys.keys()].map((id, at) => [id, read[at]]));
  return batch.flatMap(({ pack, offset }) => {
    const message = packs.get(webhookPackId(pack))?.get(offset);
    if (message === undefined) return [];
    return [
      {
        webhook_id: webhook.id,
        message_id: webhookMessageId({ log: pack.log, segment: pack.segment, offset }),
        content_type: message.contentType,
        ...payloadText(message.payload),
      },
    ];
  });
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
