import type { Pool, PoolClient, Rows } from '../../../infra/runtime/stores/postgres.ts';
import { groupMark, type DeliveryJob } from '../../../infra/runtime/webhooks/jobs.ts';
import type { BundleKey } from '../../../schemas/internal/webhook-job.ts';

/** A row of `webhook_jobs`. */
type JobRow = Omit<DeliveryJob, 'bundle'> & BundleKey;

const columns = `id, org_id AS "orgId", webhook_id AS "webhookId", log_id AS log, segment,
  first_offset AS first, last_offset AS last, offsets, bytes, tries AS attempts, replay`;

const jobOf = ({ log, segment, first, last, ...job }: JobRow): DeliveryJob => ({
  ...job,
  bundle: { log, segment, first, last },
});

/** Uses the primary key. */
export async function deleteJobs(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query('DELETE FROM webhook_jobs WHERE id = ANY ($1::text[])', [ids]);
}

/** How many deliveries a webhook has in the queue, in single jobs or in groups. */
export type Queued = Waiting & { deliveries: number };

/** Uses `webhook_jobs_queued` and the primary key of webhooks. */
export async function countQueued(
  rows: Rows,
  orgIds: readonly string[],
  kind: 'single' | 'group',
): Promise<Queued[]> {
  return rows<Queued>(
    `SELECT queued.org_id AS "orgId", webhook_id AS "webhookId",
            failing_since IS NOT NULL AS "isFailing", deliveries
     FROM (
       SELECT org_id, webhook_id, sum(cardinality(offsets))::integer AS deliveries
       FROM webhook_jobs
       WHERE queued_at IS NOT NULL AND org_id = ANY ($1::uuid[]) AND (strpos(id, $2) > 0) = $3
       GROUP BY org_id, webhook_id
     ) AS queued
     LEFT JOIN webhooks ON webhooks.id = webhook_id`,
    [orgIds, groupMark, kind === 'group'],
  );
}

/** Makes this transaction the only one that counts or moves jobs. */
export async function lockJobs(client: PoolClient): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtext('webhook_jobs'))");
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

/** Whether any jobs wait, or are in the queue. Uses `webhook_jobs_waiting` and `webhook_jobs_queued`. */
export async function findJobs(pool: Pool): Promise<{ areWaiting: boolean; areQueued: boolean }> {
  const { rows } = await pool.query<{ areWaiting: boolean; areQueued: boolean }>({
    name: 'find-jobs',
    text: `
      SELECT EXISTS (SELECT FROM webhook_jobs WHERE queued_at IS NULL) AS "areWaiting",
             EXISTS (SELECT FROM webhook_jobs WHERE queued_at IS NOT NULL) AS "areQueued"`,
  });
  return rows[0] ?? { areWaiting: false, areQueued: false };
}

/** Skips from one webhook to the next in `webhook_jobs_waiting`. Uses the primary key of webhooks, too. */
export async function findWaiting(client: PoolClient, webhooksMax: number): Promise<Waiting[]> {
  const first = `SELECT org_id, webhook_id, due_at FROM webhook_jobs WHERE queued_at IS NULL`;
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
       SELECT *, sum(cardinality(offsets)) OVER (ORDER BY due_at, id) - cardinality(offsets) AS before
       FROM (
         SELECT * FROM webhook_jobs
         WHERE webhook_id = room.of AND queued_at IS NULL AND due_at <= now()
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

/** Jobs that have been in the queue for a while, one page after the other. Uses `webhook_jobs_queued`. */
export async function findQueued(
  client: PoolClient,
  after: { orgId: string; id: string },
  sinceMs: number,
  jobsMax: number,
): Promise<DeliveryJob[]> {
  const { rows } = await client.query<JobRow>(
    `SELECT ${columns} FROM webhook_jobs
     WHERE queued_at < now() - make_interval(secs => $3::float8 / 1000) AND (org_id, id) > ($1, $2)
     ORDER BY org_id, id LIMIT $4`,
    [after.orgId, after.id, sinceMs, jobsMax],
  );
  return rows.map(jobOf);
}

/** These jobs wait for the queue again, and are due. Uses the primary key. */
export async function noteLost(client: PoolClient, ids: readonly string[]): Promise<void> {
  await client.query(
    'UPDATE webhook_jobs SET queued_at = NULL, due_at = now() WHERE id = ANY ($1::text[])',
    [ids],
  );
}

/**
 * Deletes jobs that waited for longer than the schedule of attempts lasts, and returns them. Uses `webhook_jobs_since`.
 */
export async function takeLateJobs(
  client: PoolClient,
  keptDays: number,
  jobsMax: number,
): Promise<DeliveryJob[]> {
  const { rows } = await client.query<JobRow>(
    `DELETE FROM webhook_jobs WHERE id IN (
       SELECT id FROM webhook_jobs
       WHERE since < now() - make_interval(days => $1) AND queued_at IS NULL
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
    `SELECT coalesce(sum(cardinality(offsets)), 0)::float8 AS deliveries
     FROM webhook_jobs WHERE queued_at IS NULL`,
  );
  return rows[0]?.deliveries ?? 0;
}

/** Deletes the counts of orgs that have nothing under way. */
export async function deleteIdleOrgs(pool: Pool): Promise<void> {
  await pool.query('DELETE FROM webhook_orgs WHERE fresh = 0 AND bytes = 0');
}
