import { randomUUID } from 'node:crypto';
import { seriesOfPanelMax } from '../../../schemas/dashboards/members.ts';
import type { DashboardContent } from '../../../schemas/dashboards/content.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type {
  DashboardShare,
  NewDashboardShare,
} from '../../../schemas/resources/dashboard-share.ts';
import type { UserCaller } from '../../access/caller.ts';
import { readTime } from '../../http/query/time.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';

type ShareRow = {
  id: string;
  dashboard_id: string;
  name: string;
  made_by_email: string;
  expires_at: Date;
  last_used_at: Date | null;
  created_at: Date;
};

const columns = 'id, dashboard_id, name, made_by_email, expires_at, last_used_at, created_at';

/**
 * Makes a share of a dashboard. Uses primary keys and `dashboard_shares_dashboard`.
 *
 * @throws DomainError `malformed` for an end that is past or far away; `not_found`; `conflict` if there are too many.
 */
export async function insertShare(
  db: Database,
  dashboardId: string,
  { name, expires_at: expiresAt }: NewDashboardShare,
  valueHash: Buffer,
  user: UserCaller,
): Promise<DashboardShare> {
  const endMs = Number(readTime('expires_at', expiresAt) / 1_000_000n);
  if (endMs <= Date.now()) throw new DomainError('malformed', 'expires_at is not in the future');
  if (endMs > Date.now() + limits.shareMsMax) {
    throw new DomainError('malformed', 'expires_at is more than a year from now');
  }
  return db.transaction(async (work) => {
    // Two at the same moment would both find room for one more.
    const held = await work.rows('SELECT FROM dashboards WHERE id = $1 FOR NO KEY UPDATE', [
      dashboardId,
    ]);
    if (held.length === 0) throw new DomainError('not_found', 'dashboard');
    const [counted] = await work.rows<{ live: number }>(
      `SELECT count(*)::int AS live FROM dashboard_shares WHERE dashboard_id = $1`,
      [dashboardId],
    );
    if ((counted?.live ?? 0) >= limits.sharesPerDashboardMax) {
      const detail = `the dashboard has ${limits.sharesPerDashboardMax} shares, and may have no more`;
      throw new DomainError('conflict', detail);
    }
    const [row] = await work.rows<ShareRow>(
      `INSERT INTO dashboard_shares
         (id, dashboard_id, org_id, group_id, name, value_hash, maker_id, made_by_email, expires_at)
       SELECT $2, id, org_id, group_id, $3, $4, $5, $6, $7 FROM dashboards WHERE id = $1
       RETURNING ${columns}`,
      [
        dashboardId,
        randomUUID(),
        name,
        valueHash,
        user.id,
        user.email,
        new Date(endMs).toISOString(),
      ],
    );
    if (row === undefined) throw new Error('a share was not written');
    return toShare(row);
  });
}

/** The latest first. Uses `dashboard_shares_dashboard`. */
export async function findShares(db: Database, dashboardId: string): Promise<DashboardShare[]> {
  const rows = await db.rows<ShareRow>(
    `SELECT ${columns} FROM dashboard_shares WHERE dashboard_id = $1 ORDER BY created_at DESC, id`,
    [dashboardId],
  );
  return rows.map(toShare);
}

/** Whether there was one. Uses the primary key. */
export async function deleteShare(db: Database, id: string): Promise<boolean> {
  const rows = await db.change('DELETE FROM dashboard_shares WHERE id = $1 RETURNING id', [id]);
  return rows.length > 0;
}

/** A dashboard that somebody has the token of, and with whose rights it is read. */
export type Shared = {
  dashboardId: string;
  name: string;
  content: DashboardContent;
  expiresAt: Date;
  maker: UserCaller;
};

type SharedRow = {
  dashboard_id: string;
  name: string;
  content: DashboardContent;
  expires_at: Date;
  maker_id: string;
  email: string;
  platform_admin: boolean;
  org: string | null;
};

/**
 * The dashboard of a share that has not ended, which notes, once a minute, that it is used. Uses
 * `dashboard_shares_value` and primary keys.
 */
export async function findShared(db: Database, valueHash: Buffer): Promise<Shared | undefined> {
  const [row] = await db.rows<SharedRow>(
    `WITH noted AS (
       UPDATE dashboard_shares SET last_used_at = now()
       WHERE value_hash = $1 AND expires_at > now()
         AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
     )
     SELECT dashboards.id AS dashboard_id, dashboards.name, content, share.expires_at, maker_id, users.email,
            users.platform_admin,
            (SELECT org_id FROM org_memberships WHERE member_id = users.id
             ORDER BY created_at, org_id LIMIT 1) AS org
     FROM dashboard_shares AS share
     JOIN dashboards ON dashboards.id = share.dashboard_id
     JOIN users ON users.id = share.maker_id
     WHERE share.value_hash = $1 AND share.expires_at > now()`,
    [valueHash],
  );
  if (row === undefined) return undefined;
  return {
    dashboardId: row.dashboard_id,
    name: row.name,
    content: row.content,
    expiresAt: row.expires_at,
    maker: {
      kind: 'user',
      id: row.maker_id,
      email: row.email,
      platformAdmin: row.platform_admin,
      apiKeyId: undefined,
      sessionId: undefined,
      org: row.org ?? undefined,
    },
  };
}

/** The first things of a group, by name, for who is in it. Uses `group_memberships_pkey` and `things_group`. */
export async function findThingsOfGroup(
  db: Database,
  groupId: string,
  { id, platformAdmin }: UserCaller,
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    `SELECT id FROM things
     WHERE group_id = $1
       AND ($3 OR EXISTS (SELECT FROM group_memberships WHERE group_id = $1 AND member_id = $2))
     ORDER BY name, id LIMIT $4`,
    [groupId, id, platformAdmin, seriesOfPanelMax],
  );
  return rows.map((row) => row.id);
}

/** Names of things, by their ids. Uses the primary key. */
export async function findNames(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.rows<{ id: string; name: string }>(
    'SELECT id, name FROM things WHERE id = ANY ($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function toShare({ last_used_at: usedAt, ...row }: ShareRow): DashboardShare {
  return {
    id: row.id,
    dashboard_id: row.dashboard_id,
    name: row.name,
    made_by_email: row.made_by_email,
    expires_at: row.expires_at.toISOString(),
    ...(usedAt === null ? {} : { last_used_at: usedAt.toISOString() }),
    created_at: row.created_at.toISOString(),
  };
}
