import type { Database } from '../../stores/database.ts';

/** A webhook that nothing reaches: every attempt has failed since `since`, or it was disabled then. */
export type FailingWebhook = {
  id: string;
  name: string;
  place: string;
  since: Date;
  isDisabled: boolean;
  /** The number of all of them. */
  total: number;
};

/**
 * Webhooks whose last attempts failed, and those that were disabled for it within a day, the longest first. Uses
 * `webhooks_failing`.
 */
export function findFailingWebhooks(db: Database, rowsMax: number): Promise<FailingWebhook[]> {
  return db.rows<FailingWebhook>(
    `SELECT webhooks.id, webhooks.name, coalesce(things.name, groups.name, orgs.name) AS place,
       coalesce(disabled_at, failing_since) AS since, disabled_at IS NOT NULL AS "isDisabled",
       count(*) OVER ()::int AS total
     FROM webhooks
     LEFT JOIN things ON things.id = webhooks.thing_id
     LEFT JOIN groups ON groups.id = webhooks.group_id
     LEFT JOIN orgs ON orgs.id = webhooks.org_id
     WHERE (disabled_at IS NULL AND failing_since IS NOT NULL)
        OR (disabled_why IN ('gone', 'failing') AND disabled_at > now() - interval '1 day')
     ORDER BY since LIMIT $1`,
    [rowsMax],
  );
}
