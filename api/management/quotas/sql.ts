import type { Quota, QuotaChange, Usage } from '../../../schemas/resources/quota.ts';
import type { Database } from '../../stores/database.ts';

/** Sets what is given; `not_found` when the org is gone. Uses the primary key. */
export async function setQuota(db: Database, orgId: string, change: QuotaChange): Promise<void> {
  await db.change(
    `INSERT INTO org_quotas AS quota
       (org_id, things, webhooks, rules, messages_per_month, records_per_second, storage_days)
     SELECT $1, given.things, given.webhooks, given.rules, given.messages_per_month,
            given.records_per_second, given.storage_days
     FROM jsonb_populate_record(NULL::org_quotas, $2::jsonb) AS given
     ON CONFLICT (org_id) DO UPDATE
       SET things = CASE WHEN $2 ? 'things' THEN excluded.things ELSE quota.things END,
           webhooks = CASE WHEN $2 ? 'webhooks' THEN excluded.webhooks ELSE quota.webhooks END,
           rules = CASE WHEN $2 ? 'rules' THEN excluded.rules ELSE quota.rules END,
           messages_per_month = CASE WHEN $2 ? 'messages_per_month'
                                  THEN excluded.messages_per_month ELSE quota.messages_per_month END,
           records_per_second = CASE WHEN $2 ? 'records_per_second'
                                  THEN excluded.records_per_second ELSE quota.records_per_second END,
           storage_days = CASE WHEN $2 ? 'storage_days' THEN excluded.storage_days ELSE quota.storage_days END`,
    [orgId, JSON.stringify(change)],
  );
}

/** Uses `groups_name`. */
export async function findGroupsOfOrg(db: Database, orgId: string): Promise<string[]> {
  const groups = await db.rows<{ id: string }>('SELECT id FROM groups WHERE org_id = $1', [orgId]);
  return groups.map(({ id }) => id);
}

/** What PostgreSQL counts of an org. */
type Counted = Omit<Usage, 'stored_records'>;

type UsageRow = Omit<Counted, 'quota'> & { quota: Quota | null };

/** Uses `groups_name`, `things_group`, `rules_group`, those of webhooks, and primary keys. */
export async function findUsage(db: Database, orgId: string): Promise<Counted | undefined> {
  const [row] = await db.rows<UsageRow>(
    `WITH this AS (SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date AS month)
     SELECT orgs.id AS org_id, to_char(this.month, 'YYYY-MM') AS month,
            -- Group by group, so the index alone is read.
            (SELECT coalesce(sum(count), 0)
             FROM groups, LATERAL (SELECT count(*) FROM things WHERE group_id = groups.id) AS counted
             WHERE org_id = $1)::float8 AS things,
            count_webhooks(orgs.id)::float8 AS webhooks,
            count_rules(orgs.id)::float8 AS rules,
            coalesce(usage.messages, 0)::float8 AS messages,
            coalesce(usage.records, 0)::float8 AS records,
            jsonb_strip_nulls(to_jsonb(quota) - 'org_id') AS quota
     FROM orgs
     CROSS JOIN this
     LEFT JOIN org_usage AS usage ON usage.org_id = orgs.id AND usage.month = this.month
     LEFT JOIN org_quotas AS quota ON quota.org_id = orgs.id
     WHERE orgs.id = $1`,
    [orgId],
  );
  return row && { ...row, quota: row.quota ?? {} };
}
