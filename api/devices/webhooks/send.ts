import { randomUUID } from 'node:crypto';
import { currentRequestId } from '../../../infra/runtime/process/request-id.ts';
import {
  type DeliveryGroup,
  groupJobOf,
  insertJobs,
} from '../../../infra/runtime/webhooks/jobs.ts';
import { insertBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import { frameOf, noThing } from '../../../infra/runtime/webhooks/frames.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Replay } from '../../../schemas/resources/webhook.ts';
import {
  pingLogPrefix,
  webhookMessageId,
  webhookBundleId,
} from '../../../schemas/internal/webhook-job.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { limits } from '../../limits.ts';
import {
  countWaiting,
  findKeptMessages,
  findOrg,
  type KeptMessage,
  type Which,
} from './deliveries-sql.ts';
import { noteReplay, type StoredWebhook } from './sql.ts';
import { withTimes } from '../../http/query/time.ts';
import { toldAs } from '../../stores/told.ts';

/*
 * Deliveries made here wait in Postgres, like those over their org's share, and a worker soon puts them into the queue.
 * So Redis may be away, and no request waits for another.
 */

/** Due before all others of its webhook. */
const atOnce = 0;

/** Sends a small message to a webhook, as if its thing had sent it. Returns the message's id. */
export async function ping(db: Database, webhook: StoredWebhook): Promise<string> {
  mustBeEnabled(webhook);
  await mustHaveRoom(db, webhook);
  const now = new Date();
  const { id, thing_id, group_id, org_id } = webhook;
  const place = thing_id === null ? (org_id === null ? { group_id } : { org_id }) : { thing_id };
  const data = { webhook_id: id, ...place };
  const payload = JSON.stringify({ type: 'ping', timestamp: now.toISOString(), data });
  const frame = {
    contentType: 'application/json',
    protocol: undefined,
    receivedMs: now.getTime(),
    requestId: currentRequestId() ?? '',
    thingId: thing_id ?? noThing,
    payload: Buffer.from(payload),
  };
  const bundle = { log: `${pingLogPrefix}${randomUUID()}`, segment: 0, first: 0, last: 0 };
  const orgId = await findOrg(db, webhook);
  await db.transaction(async (work) => {
    await insertBundles(work.rows, [
      {
        key: bundle,
        offsets: [bundle.first],
        thingIds: [frame.thingId],
        receivedMs: [frame.receivedMs],
        frames: frameOf(frame),
        orgs: [],
      },
    ]);
    const delivery = { orgId, webhookId: webhook.id, bundle, offsets: [bundle.first] };
    await wait(work, [{ ...delivery, bytes: payload.length, attempts: 0, replay: '' }], atOnce);
  });
  return webhookMessageId({ ...bundle, offset: bundle.first });
}

/**
 * Delivers kept messages to a webhook again, under the same ids; returns how many.
 *
 * @throws DomainError `not_found` for a message that is not kept, `malformed` for too many, `conflict` for a
 * webhook that is disabled, `too_many` if too many deliveries wait for it.
 */
export async function replay(db: Database, webhook: StoredWebhook, asked: Replay): Promise<number> {
  mustBeEnabled(webhook);
  const which = whichOf(asked);
  await mustHaveRoom(db, webhook);
  const kept = await findKeptMessages(db, webhook, which, limits.replayMessagesMax + 1);
  if (which.kind === 'message' && kept.length === 0) throw new DomainError('not_found', 'message');
  if (kept.length > limits.replayMessagesMax) {
    throw new DomainError(
      'malformed',
      `more than ${limits.replayMessagesMax} messages: narrow from and to`,
    );
  }
  if (kept.length === 0) return 0;
  const orgId = await findOrg(db, webhook);
  const jobs = jobsOf(kept, { orgId, webhookId: webhook.id });
  await db.transaction(async (work) => {
    for (let at = 0; at < jobs.length; at += limits.replayJobsAtOnce) {
      await wait(work, jobs.slice(at, at + limits.replayJobsAtOnce), Date.now());
    }
    const range = which.kind === 'time' ? which.range : {};
    const told = toldAs('to', { ...asked, ...range, queued: kept.length });
    await noteReplay(work, webhook.id, told);
  });
  return kept.length;
}

/** @throws DomainError `malformed` if it asks for none of the three, or for more than one. */
function whichOf({ message_id: messageId, failed, from, to }: Replay): Which {
  const asked: Which[] = [];
  if (messageId !== undefined) asked.push({ kind: 'message', messageId });
  if (failed !== undefined) asked.push({ kind: 'failure' });
  if ((from ?? to) !== undefined) asked.push({ kind: 'time', range: withTimes({ from, to }) });
  const [which] = asked;
  if (which === undefined || asked.length > 1) {
    throw new DomainError('malformed', 'one of message_id, failed, or from and to is needed');
  }
  return which;
}

/** Messages of one bundle are one job. Its id is new, because the queue still knows the first job of these messages. */
function jobsOf(
  kept: readonly KeptMessage[],
  of: Pick<DeliveryGroup, 'orgId' | 'webhookId'>,
): DeliveryGroup[] {
  const suffix = randomUUID();
  const jobs = new Map<string, DeliveryGroup>();
  for (const { bundle, offset, bytes } of kept) {
    const id = webhookBundleId(bundle);
    const job = jobs.get(id) ?? { ...of, bundle, offsets: [], bytes, attempts: 0, replay: suffix };
    jobs.set(id, job);
    job.offsets.push(offset);
  }
  return [...jobs.values()];
}

async function wait(
  work: Statements,
  jobs: readonly DeliveryGroup[],
  dueMs: number,
): Promise<void> {
  const noted = jobs.map((job) => ({ ...groupJobOf(job), dueMs }));
  await insertJobs((text, values) => work.rows(text, values), noted, false);
}

/** @throws DomainError `too_many` if as many deliveries wait for it as one replay may add. */
async function mustHaveRoom(db: Database, webhook: StoredWebhook): Promise<void> {
  if ((await countWaiting(db, webhook.id, limits.replayMessagesMax)) < limits.replayMessagesMax)
    return;
  throw new DomainError('too_many', 'deliveries wait for this webhook', limits.awayRetrySeconds);
}

/** @throws DomainError `conflict`: nothing is delivered to a disabled webhook. */
function mustBeEnabled({ disabled_at: disabledAt }: StoredWebhook): void {
  if (disabledAt === null) return;
  throw new DomainError(
    'conflict',
    'the webhook is disabled; an update with `disabled: false` enables it',
  );
}
