import type { PoolClient } from '../../infra/runtime/stores/postgres.ts';

/**
 * The retention that orgs and groups ask for: a digest of all things and their days, and the different numbers of days.
 */
type Wanted = { digest: string; days: number[] };

/** The things whose messages expire. Uses `orgs_retention`, `groups_retention`; orgs with a quota are few. */
const limited = `
  SELECT things.id,
         least(coalesce(groups.retention_days, orgs.retention_days), quota.storage_days) AS days
  FROM groups
  JOIN orgs ON orgs.id = groups.org_id
  LEFT JOIN org_quotas AS quota ON quota.org_id = orgs.id
  JOIN things ON things.group_id = groups.id
  WHERE groups.id IN (SELECT id FROM groups WHERE retention_days IS NOT NULL)
     OR groups.org_id IN (SELECT id FROM orgs WHERE retention_days IS NOT NULL)
     OR groups.org_id IN (SELECT org_id FROM org_quotas WHERE storage_days IS NOT NULL)`;

/** Whether this transaction is the only one that works on retention. */
export async function tryLock(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('millrace retention', 0)) AS locked`,
  );
  return rows[0]?.locked === true;
}

/** The digest is made as ClickHouse's is (see `findDigest`), so that the two can be compared. */
export async function findWanted(client: PoolClient): Promise<Wanted> {
  const { rows } = await client.query<Wanted>(
    `SELECT md5(coalesce(string_agg(days || ' ' || id, ',' ORDER BY (days || ' ' || id) COLLATE "C"), ''))
              AS digest,
            coalesce(array_agg(DISTINCT days), '{}') AS days
     FROM (${limited}) AS limited`,
  );
  const [wanted] = rows;
  if (wanted === undefined) throw new Error('an aggregate has a row');
  return wanted;
}

export async function findKept(client: PoolClient): Promise<{ publisher: string; days: number }[]> {
  const { rows } = await client.query<{ publisher: string; days: number }>(
    `SELECT id AS publisher, days FROM (${limited}) AS limited`,
  );
  return rows;
}

/** Whether expired messages are to be deleted now: at once after a change, and at regular times. */
export async function isSweepDue(client: PoolClient, everyMs: number): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM retention_sweeps
     WHERE swept_at > now() - make_interval(secs => $1::float8 / 1000)`,
    [everyMs],
  );
  return rows.length === 0;
}

export async function noteSweep(client: PoolClient): Promise<void> {
  await client.query(
    `INSERT INTO retention_sweeps (swept_at) VALUES (now())
     ON CONFLICT (single) DO UPDATE SET swept_at = now()`,
  );
}

export async function noteChange(client: PoolClient): Promise<void> {
  await client.query('DELETE FROM retention_sweeps');
}
