import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { OrgCount, OrgTotals } from './org-meters.ts';

/**
 * Adds what orgs have sent to this month's counts; gives these and the quotas. What is of an org that is gone is left
 * out. Of edges that count the same orgs each waits for the others, in the order of ids. Uses primary keys.
 */
export async function addUsage(pool: Pool, counts: readonly OrgCount[]): Promise<OrgTotals[]> {
  const { rows } = await pool.query<{
    id: string;
    messages_per_month: number | null;
    records_per_second: number | null;
    messages: number;
    records: number;
    month_ends_ms: number;
  }>({
    name: 'add-usage',
    text: `
      WITH this AS (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') AS month),
      heard AS MATERIALIZED (
        SELECT orgs.id, heard.messages, heard.records
        FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS heard (id, messages, records)
        JOIN orgs ON orgs.id = heard.id
        ORDER BY orgs.id
        FOR KEY SHARE OF orgs
      ),
      counted AS (
        INSERT INTO org_usage AS usage (org_id, month, messages, records)
        SELECT heard.id, this.month::date, heard.messages, heard.records
        FROM heard CROSS JOIN this WHERE heard.messages > 0
        ORDER BY heard.id
        ON CONFLICT (org_id, month) DO UPDATE
          SET messages = usage.messages + excluded.messages, records = usage.records + excluded.records
        RETURNING org_id, messages, records
      )
      SELECT encode(uuid_send(heard.id), 'hex') AS id,
             quota.messages_per_month::float8 AS messages_per_month, quota.records_per_second,
             coalesce(counted.messages, usage.messages, 0)::float8 AS messages,
             coalesce(counted.records, usage.records, 0)::float8 AS records,
             (extract(epoch FROM this.month + interval '1 month') * 1000)::float8 AS month_ends_ms
      FROM heard
      CROSS JOIN this
      LEFT JOIN counted ON counted.org_id = heard.id
      LEFT JOIN org_usage AS usage ON usage.org_id = heard.id AND usage.month = this.month::date
      LEFT JOIN org_quotas AS quota ON quota.org_id = heard.id`,
    values: [
      counts.map(({ id }) => id),
      counts.map(({ messages }) => messages),
      counts.map(({ records }) => records),
    ],
  });
  return rows.map((row) => ({
    id: row.id,
    messagesPerMonth: row.messages_per_month ?? undefined,
    recordsPerSecond: row.records_per_second ?? undefined,
    messages: row.messages,
    records: row.records,
    monthEndsMs: row.month_ends_ms,
  }));
}
