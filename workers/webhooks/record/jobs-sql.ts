import type { Pool, PoolClient, Rows } from '../../../infra/runtime/stores/postgres.ts';
import {
  type BundleJob,
  countDeliveries,
  type DeliveryJob,
} from '../../../infra/runtime/webhooks/jobs.ts';
import type { BundleKey } from '../../../schemas/internal/webhook-job.ts';

/** Where a row of `webhook_jobs` has the key of its bundle. */
const keyColumns = 'log_id AS log, segment, first_offset AS first, last_offset AS last';

type JobRow = Omit<DeliveryJob, 'bundle'> & BundleKey;

const columns = `id, kind, org_id AS "orgId", webhook_id AS "webhookId", ${keyColumns}, offsets, bytes, attempts, replay`;

const jobOf = ({ log, segment, first, last, ...job }: JobRow): DeliveryJob => ({
  ...job,
  bundle: { log, segment, first, last },
});

/** Uses the primary key. */
export async function deleteJobs(rows: Rows, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await rows('DELETE FROM webhook_jobs WHERE id = ANY ($1::text[])', [ids]);
}

/** A bundle's job that no worker has put into the queue yet. */
type NewBundleJob = BundleJob & { id: string };

/** The oldest of them. Uses `webhook_jobs_new`. */
export async function findNew(rows: Rows, jobsMax: number): Promise<NewBundleJob[]> {
  const found = await rows<Omit<NewBundleJob, 'bundle'> & BundleKey>(
    `SELECT id, ${keyColumns}, bytes, orgs FROM webhook_jobs
     WHERE kind = 'bundle' AND queued_at IS NULL
     ORDER BY since LIMIT $1`,
    [jobsMax],
  );
  return found.map(({ log, segment, first, last, ...job }) => ({
    ...job,
    bundle: { log, segment, first, last },
  }));
}

/** How many deliveries each org has in the queue before their first attempt. Uses the primary key of `webhook_orgs`. */
export async function countFresh(
  rows: Rows,
  orgIds: readonly string[],
): Promise<Map<string, number>> {
  const found = await rows<{ id: string; fresh: number }>(
    'SELECT org_id AS id, fresh::float8 AS fresh FROM webhook_orgs WHERE org_id = ANY ($1::uuid[])',
    [orgIds],
  );
  return new Map(found.map(({ id, fresh }) => [id, fresh]));
}

/**
 * Notes that these bundles are in the queue, and with how many deliveries of which orgs. `isWhole`: none of its
 * deliveries had to wait. Uses the primary key.
 */
export async function noteQueuedBundles(
  rows: Rows,
  jobs: readonly (NewBundleJob & { isWhole: boolean })[],
): Promise<void> {
  if (jobs.length === 0) return;
  const queued = jobs.map(({ id, orgs, isWhole }) => ({
    id,
    ...(isWhole ? {} : { orgs }),
    orgIds: orgs.map(({ org_id: orgId }) => orgId),
    orgDeliveries: orgs.map(({ messages }) => countDeliveries(messages)),
  }));
  await rows(
    `UPDATE webhook_jobs AS job
     SET queued_at = now(), orgs = coalesce(queued.orgs, job.orgs), org_ids = "orgIds", org_deliveries = "orgDeliveries"
     FROM json_to_recordset($1::json) AS queued (
       id text, orgs json, "orgIds" uuid[], "orgDeliveries" integer[]
     )
     WHERE job.id = queued.id`,
    [JSON.stringify(queued)],
  );
}

/** How many deliveries a webhook has in the queue, in single jobs or in groups. */
export type Queued = Waiting & { deliveries: number };

/** Uses `webhook_jobs_of_org` and the primary key of webhooks. */
export async function countQueued(
  rows: Rows,
  orgIds: readonly string[],
  kind: DeliveryJob['kind'],
): Promise<Queued[]> {
  return rows<Queued>(
    `SELECT queued.org_id AS "orgId", webhook_id AS "webhookId",
            failing_since IS NOT NULL AS "isFailing", deliveries
     FROM (
       SELECT org_id, webhook_id, sum(deliveries)::integer AS deliveries
       FROM webhook_jobs
       WHERE queued_at IS NOT NULL AND kind <> 'bundle' AND org_id = ANY ($1::uuid[]) AND kind = $2
       GROUP BY org_id, webhook_id
     ) AS queued
     LEFT JOIN webhooks ON webhooks.id = webhook_id`,
    [orgIds, kind],
  );
}

/** Makes this transaction the only one that counts or moves jobs. */
export async function lockJobs(client: PoolClient): Promise<true> {
  await client.query("SELECT pg_advisory_xact_lock(hashtext('webhook_jobs'))");
  return true;
}

/** Whether this transaction is the only one. */
export async function tryLockJobs(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    "SELECT pg_try_advisory_xact_lock(hashtext('webhook_jobs')) AS locked",
  );
  return rows[0]?.locked === true;
}

/** A webhook whose jobs wait to be queued, and are due. */
export type Waiting = { orgId: string; webhookId: string; isFailing: boolean };

/** Whether there are bundles that are new, other jobs that wait, and jobs in the queue. */
type JobsThere = { areNew: boolean; areWaiting: boolean; areQueued: boolean };

/** Uses `webhook_jobs_new`, `webhook_jobs_late` and `webhook_jobs_queued`. */
export async function findJobs(pool: Pool): Promise<JobsThere> {
  const { rows } = await pool.query<JobsThere>({
    name: 'find-jobs',
    text: `
      SELECT EXISTS (SELECT FROM webhook_jobs WHERE kind = 'bundle' AND queued_at IS NULL) AS "areNew",
             EXISTS (SELECT FROM webhook_jobs WHERE kind <> 'bundle' AND queued_at IS NULL) AS "areWaiting",
             EXISTS (SELECT FROM webhook_jobs WHERE queued_at IS NOT NULL) AS "areQueued"`,
  });
  return rows[0] ?? { areNew: false, areWaiting: false, areQueued: false };
}

/** Skips from one webhook to the next in `webhook_jobs_waiting`. Uses the primary key of webhooks, too. */
export async function findWaiting(client: PoolClient, webhooksMax: number): Promise<Waiting[]> {
  const first = `SELECT org_id, webhook_id, due_at FROM webhook_jobs
    WHERE kind <> 'bundle' AND queued_at IS NULL`;
  const { rows } = await client.query<Waiting>(
    `WITH RECURSIVE waiting AS (
       (${first} ORDER BY webhook_id, due_at LIMIT 1)
       UNION ALL
       SELECT next.*
       FROM waiting CROSS JOIN LATERAL (
         ${first} AND webhook_id > waiting.webhook_id ORDER BY webhook_id, due_at LIMIT 1
       ) AS next
     )
     SELECT waiting.org_id AS "orgId", webhook_id AS "webhookId", failing_since IS NOT NULL AS "isFailing"
     FROM (SELECT * FROM waiting LIMIT $1) AS waiting
     LEFT JOIN webhooks ON webhooks.id = waiting.webhook_id
     WHERE due_at <= now()`,
    [webhooksMax],
  );
  return rows;
}

/** Of each webhook the jobs that were due first, as many as it has room for. Uses `webhook_jobs_waiting`. */
export async function findDue(
  client: PoolClient,
  rooms: readonly { webhookId: string; room: number }[],
  jobsMax: number,
): Promise<DeliveryJob[]> {
  const { rows } = await client.query<JobRow>(
    `SELECT ${columns}
     FROM unnest($1::uuid[], $2::integer[]) AS room (of, deliveries)
     CROSS JOIN LATERAL (
       SELECT *, sum(due.deliveries) OVER (ORDER BY due_at, id) - due.deliveries AS before
       FROM (
         SELECT * FROM webhook_jobs
         WHERE webhook_id = room.of AND kind <> 'bundle' AND queued_at IS NULL AND due_at <= now()
         ORDER BY due_at LIMIT $3
       ) AS due
     ) AS job
     WHERE before < room.deliveries`,
    [rooms.map(({ webhookId }) => webhookId), rooms.map(({ room }) => room), jobsMax],
  );
  return rows.map(jobOf);
}

/** Uses the primary key. */
export async function noteQueued(client: PoolClient, ids: readonly string[]): Promise<void> {
  await client.query('UPDATE webhook_jobs SET queued_at = now() WHERE id = ANY ($1::text[])', [
    ids,
  ]);
}

/** A job in the queue. */
export type QueuedJob = { id: string; bundle: BundleKey; queuedAt: string };

/** Jobs that have been in the queue for a while, one page after the other. Uses `webhook_jobs_queued`. */
export async function findQueued(
  client: PoolClient,
  after: { queuedAt: string; id: string },
  sinceMs: number,
  jobsMax: number,
): Promise<QueuedJob[]> {
  const { rows } = await client.query<Omit<QueuedJob, 'bundle'> & BundleKey>(
    `SELECT id, queued_at::text AS "queuedAt", ${keyColumns} FROM webhook_jobs
     WHERE queued_at <= now() - make_interval(secs => $3::float8 / 1000) AND (queued_at, id) > ($1::timestamptz, $2)
     ORDER BY queued_at, id LIMIT $4`,
    [after.queuedAt, after.id, sinceMs, jobsMax],
  );
  return rows.map(({ log, segment, first, last, ...job }) => ({
    ...job,
    bundle: { log, segment, first, last },
  }));
}

/** These jobs wait for the queue again. Uses the primary key. */
export async function noteLost(client: PoolClient, ids: readonly string[]): Promise<void> {
  await client.query(
    `UPDATE webhook_jobs SET queued_at = NULL, org_ids = '{}', org_deliveries = '{}'
     WHERE id = ANY ($1::text[])`,
    [ids],
  );
}

/**
 * Deletes jobs that waited for longer than the schedule of attempts lasts, and returns them; but no bundles, which wait
 * only while no worker runs. Uses `webhook_jobs_late`.
 */
export async function takeLateJobs(
  client: PoolClient,
  keptDays: number,
  jobsMax: number,
): Promise<DeliveryJob[]> {
  const { rows } = await client.query<JobRow>(
    `DELETE FROM webhook_jobs WHERE id IN (
       SELECT id FROM webhook_jobs
       WHERE since < now() - make_interval(days => $1) AND kind <> 'bundle' AND queued_at IS NULL
       ORDER BY since LIMIT $2
       FOR UPDATE SKIP LOCKED
     )
     RETURNING ${columns}`,
    [keptDays, jobsMax],
  );
  return rows.map(jobOf);
}

/** Deliveries that wait in Postgres for a place in the queue. */
export async function countWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ deliveries: number }>(
    `SELECT coalesce(sum(deliveries), 0)::float8 AS deliveries FROM webhook_jobs WHERE queued_at IS NULL`,
  );
  return rows[0]?.deliveries ?? 0;
}

/** Deletes the counts of orgs that have nothing under way. */
export async function deleteIdleOrgs(pool: Pool): Promise<void> {
  await pool.query('DELETE FROM webhook_orgs WHERE fresh = 0 AND bytes = 0');
}
