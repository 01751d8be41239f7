import type { QueueJob } from '../../../schemas/resources/queue.ts';
import type { WebhookJob } from '../../../schemas/internal/webhook-job.ts';
import type { Database } from '../../stores/database.ts';

type Named = NonNullable<QueueJob['things']>[number];

/** The things whose messages a job delivers, and the webhooks it delivers to. */
export type JobNames = { things: Named[]; webhooks: (Named & { url: string })[] };

type Row = { id: string; things: Named[] | null; webhooks: JobNames['webhooks'] | null };

/** The names of each job, by its id. Deleted things and webhooks are left out. Uses primary keys. */
export async function findNamesOf(
  db: Database,
  jobs: readonly (WebhookJob & { id: string })[],
): Promise<Map<string, JobNames>> {
  if (jobs.length === 0) return new Map();
  const asked = jobs.map(({ id, bundle, messages }) => ({
    id,
    ...bundle,
    offsets: messages.map(({ offset }) => offset),
    webhooks: [...new Set(messages.flatMap(({ webhook_ids: ids }) => ids))],
  }));
  const rows = await db.rows<Row>(
    `SELECT job.id,
            (SELECT json_agg(DISTINCT jsonb_build_object('id', things.id, 'name', things.name))
             FROM webhook_bundles AS bundle,
                  unnest(bundle.offsets, bundle.thing_ids) AS message (at, thing_id)
             JOIN things ON things.id = message.thing_id
             WHERE (bundle.log_id, bundle.segment, bundle.first_offset, bundle.last_offset)
                     = (job.log, job.segment, job.first, job.last)
               AND message.at = ANY (job.offsets)) AS things,
            (SELECT json_agg(json_build_object('id', id, 'name', name, 'url', url) ORDER BY name)
             FROM webhooks WHERE webhooks.id = ANY (job.webhooks)) AS webhooks
     FROM json_to_recordset($1::json) AS job (
       id text, log text, segment integer, first integer, last integer, offsets integer[], webhooks uuid[]
     )`,
    [JSON.stringify(asked)],
  );
  return new Map(
    rows.map(({ id, things, webhooks }) => [
      id,
      { things: things ?? [], webhooks: webhooks ?? [] },
    ]),
  );
}

/** Forgets deliveries that are not to be made: else they would be put into the queue again. Uses the primary key. */
export async function forgetWebhookJob(db: Database, id: string): Promise<void> {
  await db.rows('DELETE FROM webhook_jobs WHERE id = $1', [id]);
}

/** Tells the audit log of a change of a queue: it is in another store than the log. */
export async function noteQueueChange(
  db: Database,
  queue: string,
  action: 'update' | 'delete',
  changes: Readonly<Record<string, { from?: string; to?: string }>>,
): Promise<void> {
  await db.change("SELECT audit_done('queue', $1, $2::jsonb, $3::jsonb)", [
    action,
    JSON.stringify({ id: queue, name: queue }),
    JSON.stringify(changes),
  ]);
}
