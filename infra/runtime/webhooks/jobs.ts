import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import {
  type BundleKey,
  type WebhookJob,
  webhookJobId,
  webhookJobNames,
  webhookJobOptions,
  webhookMessageId,
  webhookBundleId,
  webhookReplayId,
} from '../../../schemas/internal/webhook-job.ts';
import type { Rows } from './bundles.ts';

/*
 * How much of the queue of webhooks an org may have. Half of its share is for copies before their first try,
 * which go there with the bundle they came in. What comes later is a row of `webhook_jobs`, of two kinds:
 *
 * - one copy, which stays in the queue from its first failure until its last: a quarter of the share;
 * - a group of copies of one bundle for one webhook, which waits in Postgres until it is due and there is room, and
 *   leaves the queue once each copy had a try or may have none yet: the other quarter, of which webhooks whose last
 *   try failed have one half, and the others the other.
 *
 * Only single copies stay for long. So webhooks that are dead, however many, leave room in the queue for what
 * waits, and webhooks get it in turns; no webhook has more of a quarter than is still free.
 */

/** The edge and the workers read it. */
export const webhookShareSettings = {
  /** Jobs that wait to be tried, of all orgs; beyond them messages wait in Postgres. */
  WEBHOOK_QUEUE_MAX: Type.Integer({ minimum: 1, default: 10_000 }),
  /** Copies of one org that are on their way. */
  WEBHOOK_COPIES_PER_ORG_MAX: Type.Integer({ minimum: 16, default: 10_000 }),
};

/** How many copies before their first try a share holds. */
export const halfShare = (deliveriesPerOrgMax: number): number =>
  Math.floor(deliveriesPerOrgMax / 2);

/** How many single copies, and how many in groups. */
export const quarterShare = (deliveriesPerOrgMax: number): number =>
  Math.floor(deliveriesPerOrgMax / 4);

/** Copies of messages of one bundle, for one webhook. */
export type DeliveryGroup = {
  orgId: string;
  webhookId: string;
  bundle: BundleKey;
  offsets: number[];
  bytes: number;
  attempts: number;
  /** Empty: no repeat. */
  replay: string;
};

/** Copies that are a job, in the queue or not. */
export type DeliveryJob = DeliveryGroup & { id: string };

/** A single copy has one id, whoever makes the job. */
export function singleJobId({ bundle, offsets, webhookId, replay }: DeliveryGroup): string {
  const messageId = webhookMessageId({ ...bundle, offset: offsets[0] ?? 0 });
  return replay === ''
    ? webhookJobId(messageId, webhookId)
    : webhookReplayId(messageId, webhookId, replay);
}

/** A group, be it of one copy, has an id of its own: its copies may be jobs before it is over. */
export const groupJobId = ({ bundle, webhookId }: DeliveryGroup): string =>
  `${webhookBundleId(bundle)}_${webhookId}_${randomUUID()}`;

/** What stands in the id of each group, and of no single copy. */
export const groupMark = '_pack_';

/** What the queue is given: a single copy keeps its own schedule, those of a group become jobs when they fail. */
export function queueJobOf(job: DeliveryJob, delayMs: number) {
  const { id, bundle, offsets, webhookId, bytes, attempts, replay } = job;
  const isOne = !id.includes(groupMark);
  const data: WebhookJob = {
    bundle,
    bytes,
    messages: offsets.map((offset) => ({ offset, webhook_ids: [webhookId] })),
    attempts,
    ...(replay === '' ? {} : { replay }),
  };
  return {
    name: isOne ? webhookJobNames.single : webhookJobNames.bundle,
    data,
    opts: {
      ...webhookJobOptions,
      attempts: isOne
        ? Math.max(1, webhookJobOptions.attempts - attempts)
        : webhookJobOptions.attempts,
      delay: Math.max(0, Math.round(delayMs)),
      jobId: id,
    },
  };
}

/** Notes jobs, as waiting or as in the queue; one that is noted stays as it is. Leans on the primary key. */
export async function insertJobs(
  rows: Rows,
  jobs: readonly (DeliveryJob & { dueMs: number })[],
  isQueued: boolean,
): Promise<void> {
  if (jobs.length === 0) return;
  await rows(
    `INSERT INTO webhook_jobs (id, org_id, webhook_id, log_id, segment, first_offset, last_offset, offsets,
                               bytes, tries, replay, due_at, queued_at)
     SELECT id, "orgId", "webhookId", log, segment, first, last, offsets, bytes, attempts, replay,
            to_timestamp("dueMs" / 1000), CASE WHEN $2 THEN now() END
     FROM json_to_recordset($1::json) AS job (
       id text, "orgId" uuid, "webhookId" uuid, log text, segment integer, first integer, last integer,
       offsets integer[], bytes integer, attempts integer, replay text, "dueMs" float8
     )
     ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(jobs.map(({ bundle, ...job }) => ({ ...job, ...bundle }))), isQueued],
  );
}

/** Copies of these webhooks that are not delivered and will not be. Leans on the primary key of webhooks. */
export async function noteMissed(
  rows: Rows,
  missed: readonly { webhookId: string; copies: number; fromMs: number; toMs: number }[],
): Promise<void> {
  if (missed.length === 0) return;
  await rows(
    `UPDATE webhooks
     SET missed_copies = missed_copies + missed.copies,
         missed_from = least(missed_from, to_timestamp(missed."fromMs" / 1000)),
         missed_to = greatest(missed_to, to_timestamp(missed."toMs" / 1000))
     FROM json_to_recordset($1::json) AS missed (
       "webhookId" uuid, copies bigint, "fromMs" float8, "toMs" float8
     )
     WHERE webhooks.id = missed."webhookId"`,
    [JSON.stringify(missed)],
  );
}
