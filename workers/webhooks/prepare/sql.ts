import type { Pool } from '../../../infra/runtime/stores/postgres.ts';

/** A row of `webhooks`, with the org it belongs to. */
export type WebhookRow = {
  id: string;
  org_id: string;
  url: string;
  headers_sealed: Buffer | null;
  secret_sealed: Buffer | null;
  previous_secret_sealed: Buffer | null;
  previous_secret_until: Date | null;
  failing_since: Date | null;
  disabled_at: Date | null;
};

/** Uses the primary keys. */
export async function findWebhooks(pool: Pool, ids: readonly string[]): Promise<WebhookRow[]> {
  const { rows } = await pool.query<WebhookRow>(
    `SELECT webhooks.id, coalesce(webhooks.org_id, groups.org_id) AS org_id, url, headers_sealed,
            secret_sealed, previous_secret_sealed, previous_secret_until, failing_since, disabled_at
     FROM webhooks
     LEFT JOIN things ON things.id = webhooks.thing_id
     LEFT JOIN groups ON groups.id = coalesce(webhooks.group_id, things.group_id)
     WHERE webhooks.id = ANY ($1::uuid[])`,
    [ids],
  );
  return rows;
}
