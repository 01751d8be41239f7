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
 * A row of `webhook_jobs` is a job: deliveries of one bundle that are not done. Postgres alone knows which are due; a
 * worker puts jobs into the queue as there is room, and the row goes when the job is done. There are three kinds:
 *
 * - a bundle: the first attempts of its deliveries, as its edge, or a test of a webhook, left them;
 * - a group: deliveries to one webhook that had no room with their bundle, or failed or were deferred when no more
 *   single ones had room; it leaves the queue when each of them had an attempt or was deferred;
 * - a single delivery, which stays in the queue from its first failure until its last attempt.
 *
 * The share of an org is how many of its deliveries may be in the queue. Half of it is for bundles, a quarter for groups,
 * and a quarter for single deliveries. Of the quarter for groups, one half is for webhooks whose last attempt failed, and
 * the other half for the others. Only single deliveries stay for long. So dead webhooks, however many, leave room in the
 * queue for jobs that wait, and webhooks get it in turns; no webhook has more of a quarter than is still free.
 */

/** The settings of what the queue may hold. */
export const webhookShareSettings = {
  /** Jobs of all orgs that wait for a worker or are with one; beyond them deliveries wait in Postgres. */
  WEBHOOK_QUEUE_MAX: Type.Integer({ minimum: 1, default: 10_000 }),
  /** An org's share: its deliveries under way. */
  WEBHOOK_DELIVERIES_PER_ORG_MAX: Type.Integer({ minimum: 16, default: 10_000 }),
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

/** Deliveries to one webhook that are a job, in the queue or waiting for it. */
export type DeliveryJob = DeliveryGroup & { id: string; kind: 'group' | 'single' };

/** Messages of one org in a bundle, and the webhooks that they go to. */
export type OrgMessages = { org_id: string; messages: WebhookJob['messages'] };

/** The first attempts of the deliveries of a bundle. `bytes`: the size of the bundle. */
export type BundleJob = { bundle: BundleKey; bytes: number; orgs: readonly OrgMessages[] };

export const countDeliveries = (messages: WebhookJob['messages']): number =>
  messages.reduce((sum, { webhook_ids: ids }) => sum + ids.length, 0);

export const countJobDeliveries = ({ orgs }: BundleJob): number =>
  orgs.reduce((sum, { messages }) => sum + countDeliveries(messages), 0);

/** A single delivery has one id, whoever makes the job. */
export function singleJobId({ bundle, offsets, webhookId, replay }: DeliveryGroup): string {
  const messageId = webhookMessageId({ ...bundle, offset: offsets[0] ?? 0 });
  return replay === ''
    ? webhookJobId(messageId, webhookId)
    : webhookReplayId(messageId, webhookId, replay);
}

/** A group, even of one delivery, has an id of its own: its deliveries may become single jobs while it is there. */
export const groupJobOf = (group: DeliveryGroup): DeliveryJob => ({
  ...group,
  kind: 'group',
  id: `${webhookBundleId(group.bundle)}_${group.webhookId}_${randomUUID()}`,
});

/** The job for the queue. A single delivery keeps its schedule; those of a group become single jobs when they fail. */
export function queueJobOf(job: DeliveryJob, delayMs: number) {
  const { id, kind, bundle, offsets, webhookId, bytes, attempts, replay } = job;
  const data: WebhookJob = {
    bundle,
    bytes,
    messages: offsets.map((offset) => ({ offset, webhook_ids: [webhookId] })),
    attempts,
    ...(replay === '' ? {} : { replay }),
  };
  const { attempts: attemptsMax } = webhookJobOptions;
  return {
    name: webhookJobNames[kind],
    data,
    opts: {
      ...webhookJobOptions,
      attempts: kind === 'single' ? Math.max(1, attemptsMax - attempts) : attemptsMax,
      delay: Math.max(0, Math.round(delayMs)),
      jobId: id,
    },
  };
}

/** Writes the first job of each bundle; it waits until a worker puts it into the queue. */
export async function insertBundleJobs(rows: Rows, jobs: readonly BundleJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const values = jobs.map(({ bundle, ...job }) => ({
    id: webhookBundleId(bundle),
    ...bundle,
    ...job,
    deliveries: countJobDeliveries({ bundle, ...job }),
  }));
  await rows(
    `INSERT INTO webhook_jobs (id, kind, log_id, segment, first_offset, last_offset, bytes, deliveries, orgs, due_at)
     SELECT id, 'bundle', log, segment, first, last, bytes, deliveries, orgs, now()
     FROM json_to_recordset($1::json) AS job (
       id text, log text, segment integer, first integer, last integer, bytes integer, deliveries integer, orgs json
     )`,
    [JSON.stringify(values)],
  );
}

/** Writes jobs as waiting or as queued; those that are there already stay as they are. Uses the primary key. */
export async function insertJobs(
  rows: Rows,
  jobs: readonly (DeliveryJob & { dueMs: number })[],
  isQueued: boolean,
): Promise<void> {
  if (jobs.length === 0) return;
  await rows(
    `INSERT INTO webhook_jobs (id, kind, log_id, segment, first_offset, last_offset, bytes, deliveries, org_id,
                               webhook_id, offsets, attempts, replay, due_at, queued_at)
     SELECT id, kind, log, segment, first, last, bytes, cardinality(offsets), "orgId",
            "webhookId", offsets, attempts, replay, to_timestamp("dueMs" / 1000), CASE WHEN $2 THEN now() END
     FROM json_to_recordset($1::json) AS job (
       id text, kind text, log text, segment integer, first integer, last integer, bytes integer, "orgId" uuid,
       "webhookId" uuid, offsets integer[], attempts integer, replay text, "dueMs" float8
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
     SET missed_deliveries = missed_deliveries + missed.deliveries,
         missed_from = least(missed_from, to_timestamp(missed.from_ms / 1000)),
         missed_to = greatest(missed_to, to_timestamp(missed.to_ms / 1000))
     FROM unnest($1::uuid[], $2::bigint[], $3::float8[], $4::float8[]) AS missed (id, deliveries, from_ms, to_ms)
     WHERE webhooks.id = missed.id`,
    [
      missed.map(({ webhookId }) => webhookId),
      missed.map(({ deliveries }) => deliveries),
      missed.map(({ fromMs }) => fromMs),
      missed.map(({ toMs }) => toMs),
    ],
  );
}
