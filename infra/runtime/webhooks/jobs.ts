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
import type { Rows } from '../stores/postgres.ts';

/*
 * What an org may have in the queue of webhooks is its share. Half of it is for deliveries before their first attempt,
 * which go there with the bundle they came in. What comes later is a row of `webhook_jobs`, of two kinds:
 *
 * - a single delivery stays in the queue from its first failure until its last attempt: a quarter of the share;
 * - a group of deliveries, of one bundle to one webhook, waits in Postgres until it is due and there is room, and
 *   leaves
 *   the queue when each of them had an attempt or was deferred: the other quarter. Of that, one half is for webhooks
 *   whose last attempt failed, and the other half for the others.
 *
 * Only single deliveries stay for long. So dead webhooks, however many, leave room in the queue for what waits, and
 * webhooks get it in turns; no webhook has more of a quarter than is still free.
 */

/** The settings that edges and workers read. */
export const webhookShareSettings = {
  /** Jobs of all orgs that wait for a worker or are with one; beyond them messages wait in Postgres. */
  WEBHOOK_QUEUE_MAX: Type.Integer({ minimum: 1, default: 10_000 }),
  /** An org's share: its deliveries under way. */
  WEBHOOK_COPIES_PER_ORG_MAX: Type.Integer({ minimum: 16, default: 10_000 }),
};

/** Deliveries before their first attempt. */
export const halfShare = (deliveriesPerOrgMax: number): number =>
  Math.floor(deliveriesPerOrgMax / 2);

/** Single deliveries; and as many in groups. */
export const quarterShare = (deliveriesPerOrgMax: number): number =>
  Math.floor(deliveriesPerOrgMax / 4);

/** Deliveries of messages of one bundle to one webhook. */
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

/** Deliveries that are a job, in the queue or waiting for it. */
export type DeliveryJob = DeliveryGroup & { id: string };

/** A single delivery has one id, whoever makes the job. */
export function singleJobId({ bundle, offsets, webhookId, replay }: DeliveryGroup): string {
  const messageId = webhookMessageId({ ...bundle, offset: offsets[0] ?? 0 });
  return replay === ''
    ? webhookJobId(messageId, webhookId)
    : webhookReplayId(messageId, webhookId, replay);
}

/** A group, even of one delivery, has an id of its own: its deliveries may become single jobs while it is there. */
export const groupJobId = ({ bundle, webhookId }: DeliveryGroup): string =>
  `${webhookBundleId(bundle)}_${webhookId}_${randomUUID()}`;

/** Part of the id of each group, and of no single job. */
export const groupMark = '_pack_';

/** The job for the queue. A single delivery keeps its schedule; those of a group become single jobs when they fail. */
export function queueJobOf(job: DeliveryJob, delayMs: number) {
  const { id, bundle, offsets, webhookId, bytes, attempts, replay } = job;
  const isSingle = !id.includes(groupMark);
  const data: WebhookJob = {
    bundle,
    bytes,
    messages: offsets.map((offset) => ({ offset, webhook_ids: [webhookId] })),
    attempts,
    ...(replay === '' ? {} : { replay }),
  };
  return {
    name: isSingle ? webhookJobNames.single : webhookJobNames.bundle,
    data,
    opts: {
      ...webhookJobOptions,
      attempts: isSingle
        ? Math.max(1, webhookJobOptions.attempts - attempts)
        : webhookJobOptions.attempts,
      delay: Math.max(0, Math.round(delayMs)),
      jobId: id,
    },
  };
}

/** Notes jobs as waiting or as queued; those that are noted already stay as they are. Uses the primary key. */
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

/** Deliveries that are not kept, of one webhook. */
export type Missed = { webhookId: string; deliveries: number; fromMs: number; toMs: number };

/** Counts a delivery that is not kept. */
export function miss(missed: Map<string, Missed>, webhookId: string, atMs: number): void {
  const before = missed.get(webhookId) ?? { webhookId, deliveries: 0, fromMs: atMs, toMs: atMs };
  missed.set(webhookId, {
    webhookId,
    deliveries: before.deliveries + 1,
    fromMs: Math.min(before.fromMs, atMs),
    toMs: Math.max(before.toMs, atMs),
  });
}

/** Counts with each webhook the deliveries that were dropped. Uses the primary key of webhooks. */
export async function noteMissed(rows: Rows, missed: readonly Missed[]): Promise<void> {
  if (missed.length === 0) return;
  await rows(
    `UPDATE webhooks
     SET missed_copies = missed_copies + missed.deliveries,
         missed_from = least(missed_from, to_timestamp(missed."fromMs" / 1000)),
         missed_to = greatest(missed_to, to_timestamp(missed."toMs" / 1000))
     FROM json_to_recordset($1::json) AS missed (
       "webhookId" uuid, deliveries bigint, "fromMs" float8, "toMs" float8
     )
     WHERE webhooks.id = missed."webhookId"`,
    [JSON.stringify(missed)],
  );
}
