import type { Pool, Rows } from '../../../infra/runtime/stores/postgres.ts';

/** The enabled webhooks of a thing that get messages, and its org. */
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
        WHERE thing_id = ANY ($1::uuid[]) AND messages AND disabled_at IS NULL
        GROUP BY thing_id
      ),
      place AS MATERIALIZED (
        SELECT places.group_id, array_agg(webhook.id::text) AS ids
        FROM (SELECT DISTINCT group_id, org_id FROM thing) AS places
        CROSS JOIN LATERAL (
          SELECT id FROM webhooks WHERE group_id = places.group_id AND messages AND disabled_at IS NULL
          UNION ALL
          SELECT id FROM webhooks WHERE org_id = places.org_id AND messages AND disabled_at IS NULL
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

/** The bytes that orgs keep in bundles; an org that has none is left out. Uses the primary key. */
export async function loadKeptBytes(
  rows: Rows,
  orgIds: readonly string[],
): Promise<Map<string, number>> {
  const found = await rows<{ id: string; bytes: number }>(
    'SELECT org_id AS id, bytes::float8 AS bytes FROM webhook_orgs WHERE org_id = ANY ($1::uuid[])',
    [orgIds],
  );
  return new Map(found.map(({ id, bytes }) => [id, bytes]));
}
