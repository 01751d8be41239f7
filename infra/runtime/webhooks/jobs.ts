import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import {
  type PackKey,
  type WebhookJob,
  webhookJobId,
  webhookJobNames,
  webhookJobOptions,
  webhookMessageId,
  webhookPackId,
  webhookReplayId,
} from '../../../schemas/internal/webhook-job.ts';
import type { Rows } from './bundles.ts';

/*
 * How much of the queue of webhooks an org may have. Half of its share is for copies before their first try,
 * which go there with the pack they came in. What comes later is a row of `webhook_jobs`, of two kinds:
 *
 * - one copy, which stays in the queue from its first failure until its last: a quarter of the share;
 * - a group of copies of one pack for one webhook, which waits in Postgres until it is due and there is room, and
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
export const halfShare = (copiesPerOrgMax: number): number => Math.floor(copiesPerOrgMax / 2);

/** How many single copies, and how many in groups. */
export const quarterShare = (copiesPerOrgMax: number): number => Math.floor(copiesPerOrgMax / 4);

/** Copies of messages of one pack, for one webhook. */
export type Copies = {
  orgId: string;
  webhookId: string;
  pack: PackKey;
  offsets: number[];
  bytes: number;
  tries: number;
  /** Empty: no repeat. */
  replay: string;
};

/** Copies that are a job, in the queue or not. */
export type JobOfCopies = Copies & { id: string };

/** A single copy has one id, whoever makes the job. */
export function copyJobId({ pack, offsets, webhookId, replay }: Copies): string {
  const messageId = webhookMessageId({ ...pack, offset: offsets[0] ?? 0 });
  return replay === ''
    ? webhookJobId(messageId, webhookId)
    : webhookReplayId(messageId, webhookId, replay);
}

/** A group, be it of one copy, has an id of its own: its copies may be jobs before it is over. */
export const groupJobId = ({ pack, webhookId }: Copies): string =>
  `${webhookPackId(pack)}_${webhookId}_${randomUUID()}`;

/** What stands in the id of each group, and of no single copy. */
export const groupMark = '_pack_';

/** What the queue is given: a single copy keeps its own schedule, those of a group become jobs when they fail. */
export function queueJobOf(job: JobOfCopies, delayMs: number) {
  const { id, pack, offsets, webhookId, bytes, tries, replay } = job;
  const isOne = !id.includes(groupMark);
  const data: WebhookJob = {
    pack,
    bytes,
    messages: offsets.map((offset) => ({ offset, webhook_ids: [webhookId] })),
    tries,
    ...(replay === '' ? {} : { replay }),
  };
  return {
    name: isOne ? webhookJobNames.copy : webhookJobNames.pack,
    data,
    opts: {
      ...webhookJobOptions,
      attempts: isOne
        ? Math.max(1, webhookJobOptions.attempts - tries)
        : webhookJobOptions.attempts,
      delay: Math.max(0, Math.round(delayMs)),
      jobId: id,
    },
  };
}

/** Notes jobs, as waiting or as in the queue; one that is noted stays as it is. Leans on the primary key. */
export async function insertJobs(
  rows: Rows,
  jobs: readonly (JobOfCopies & { dueMs: number })[],
  isQueued: boolean,
): Promise<void> {
  if (jobs.length === 0) return;
  await rows(
    `INSERT INTO webhook_jobs (id, org_id, webhook_id, log_id, segment, first_offset, last_offset, offsets,
                               bytes, tries, replay, due_at, queued_at)
     SELECT id, "orgId", "webhookId", log, segment, first, last, offsets, bytes, tries, replay,
            to_timestamp("dueMs" / 1000), CASE WHEN $2 THEN now() END
     FROM json_to_recordset($1::json) AS job (
       id text, "orgId" uuid, "webhookId" uuid, log text, segment integer, first integer, last integer,
       offsets integer[], bytes integer, tries integer, replay text, "dueMs" float8
     )
     ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(jobs.map(({ pack, ...job }) => ({ ...job, ...pack }))), isQueued],
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
