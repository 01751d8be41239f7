import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import { columnsOf } from '../../../infra/runtime/webhooks/bundles.ts';
import type { BundleKey } from '../../../schemas/internal/webhook-job.ts';

/** The enabled webhooks of a thing, and its org. */
export type Forwarding = { orgId: string; ids: string[] };

/**
 * Those of each thing itself, of its group and of its org. A thing without any is left out. Uses
 * `webhooks_thing`, `webhooks_group`, `webhooks_org` and the primary keys; what is of groups and orgs is looked up
 * once for each group.
 */
export async function loadWebhooks(
  pool: Pool,
  thingIds: readonly string[],
): Promise<Map<string, Forwarding>> {
  const { rows } = await pool.query<Forwarding & { thingId: string }>({
    name: 'load-webhooks',
    text: `
      WITH thing AS MATERIALIZED (
        SELECT things.id, things.group_id, groups.org_id
        FROM things JOIN groups ON groups.id = things.group_id
        WHERE things.id = ANY ($1::uuid[])
      ),
      own AS (
        SELECT thing_id, array_agg(id::text) AS ids
        FROM webhooks
        WHERE thing_id = ANY ($1::uuid[]) AND disabled_at IS NULL
        GROUP BY thing_id
      ),
      place AS MATERIALIZED (
        SELECT places.group_id, array_agg(webhook.id::text) AS ids
        FROM (SELECT DISTINCT group_id, org_id FROM thing) AS places
        CROSS JOIN LATERAL (
          SELECT id FROM webhooks WHERE group_id = places.group_id AND disabled_at IS NULL
          UNION ALL
          SELECT id FROM webhooks WHERE org_id = places.org_id AND disabled_at IS NULL
        ) AS webhook
        GROUP BY places.group_id
      )
      SELECT thing.id AS "thingId", thing.org_id AS "orgId",
             coalesce(own.ids, '{}') || coalesce(place.ids, '{}') AS ids
      FROM thing
      LEFT JOIN own ON own.thing_id = thing.id
      LEFT JOIN place ON place.group_id = thing.group_id
      WHERE own.ids IS NOT NULL OR place.ids IS NOT NULL`,
    values: [thingIds],
  });
  return new Map(rows.map(({ thingId, ...forwarding }) => [thingId, forwarding]));
}

/** What orgs have in bundles; an org that has nothing is left out. Uses the primary key. */
export async function loadOrgs(
  pool: Pool,
  orgIds: readonly string[],
): Promise<Map<string, { fresh: number; bytes: number }>> {
  const { rows } = await pool.query<{ id: string; fresh: number; bytes: number }>({
    name: 'load-webhook-orgs',
    text: `
      SELECT org_id AS id, fresh::float8 AS fresh, bytes::float8 AS bytes
      FROM webhook_orgs WHERE org_id = ANY ($1::uuid[])`,
    values: [orgIds],
  });
  return new Map(rows.map(({ id, ...org }) => [id, org]));
}

export type DeliveryId = { messageId: string; webhookId: string };

/**
 * The deliveries of these messages that arrived since `sinceMs`. Uses `webhook_deliveries_tried`, so the time
 * should not be long ago.
 */
export async function loadDelivered(
  pool: Pool,
  messageIds: readonly string[],
  sinceMs: number,
): Promise<DeliveryId[]> {
  const { rows } = await pool.query<DeliveryId>(
    `SELECT message_id AS "messageId", webhook_id AS "webhookId"
     FROM webhook_deliveries
     WHERE tried_at >= to_timestamp($2::float8 / 1000) AND message_id = ANY ($1::text[])
       AND status BETWEEN 200 AND 299`,
    [messageIds, sinceMs],
  );
  return rows;
}

/** The deliveries of these bundles that are jobs of their own, or wait to be. Uses `webhook_jobs_pack`. */
export async function loadJobs(pool: Pool, bundles: readonly BundleKey[]): Promise<DeliveryId[]> {
  const { rows } = await pool.query<DeliveryId>(
    `SELECT DISTINCT log_id || '-' || segment || '-' || at AS "messageId", webhook_id AS "webhookId"
     FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[])
          AS key (log_id, segment, first_offset, last_offset)
     JOIN webhook_jobs USING (log_id, segment, first_offset, last_offset)
     CROSS JOIN LATERAL unnest(offsets) AS at`,
    columnsOf(bundles),
  );
  return rows;
}

/** Notes that no job makes the first attempts of these bundles. Uses the primary key. */
export async function noteTried(pool: Pool, bundles: readonly BundleKey[]): Promise<void> {
  await pool.query(
    `UPDATE webhook_packs AS bundle SET tried_at = now()
     FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[])
          AS key (log_id, segment, first_offset, last_offset)
     WHERE (bundle.log_id, bundle.segment, bundle.first_offset, bundle.last_offset)
         = (key.log_id, key.segment, key.first_offset, key.last_offset) AND tried_at IS NULL`,
    columnsOf(bundles),
  );
}
