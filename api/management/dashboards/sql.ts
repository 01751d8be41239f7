import { randomUUID } from 'node:crypto';
import type { DashboardContent } from '../../../schemas/dashboards/content.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type {
  Dashboard,
  DashboardChange,
  DashboardSummary,
  DashboardVersion,
  DashboardVersions,
  NewDashboard,
} from '../../../schemas/resources/dashboard.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Scope } from '../../access/reach.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { findPage, type ListPage, namedOrders } from '../../stores/page.ts';

type SummaryRow = {
  id: string;
  org_id: string | null;
  group_id: string | null;
  name: string;
  description: string;
  version: number;
  saved_by_email: string | null;
  created_at: Date;
  updated_at: Date;
};
type DashboardRow = SummaryRow & { content: DashboardContent };

const summaryColumns =
  'id, org_id, group_id, name, description, version, saved_by_email, created_at, updated_at';
const columns = `${summaryColumns}, content`;
const panelCount = `jsonb_array_length(content -> 'panels') AS panels`;

/**
 * Makes a dashboard of an org or a group. Uses the primary keys, and `dashboards_org` or `dashboards_group`.
 *
 * @throws DomainError `not_found` if the place is gone, `conflict` if it has too many.
 */
export async function insertDashboard(
  db: Database,
  { of, id }: { of: 'org' | 'group'; id: string },
  { name, description = '', content }: NewDashboard,
  { email }: UserCaller,
): Promise<Dashboard> {
  return db.transaction(async (work) => {
    // Two at the same moment would both find room for one more.
    const held = await work.rows(`SELECT FROM ${of}s WHERE id = $1 FOR NO KEY UPDATE`, [id]);
    if (held.length === 0) throw new DomainError('not_found', of);
    const [counted] = await work.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM dashboards WHERE ${of}_id = $1`,
      [id],
    );
    if ((counted?.count ?? 0) >= limits.dashboardsPerPlaceMax) {
      const detail = `the ${of} has ${limits.dashboardsPerPlaceMax} dashboards, and may have no more`;
      throw new DomainError('conflict', detail);
    }
    const [row] = await work.rows<DashboardRow>(
      `INSERT INTO dashboards (id, ${of}_id, name, description, content, saved_by_email)
       VALUES ($1, $2, $3, $4, $5, $6)
       RETURNING ${columns}`,
      [randomUUID(), id, name, description, JSON.stringify(content), email],
    );
    if (row === undefined) throw new Error('a dashboard was not written');
    return toDashboard(row);
  });
}

/** Uses the primary key. */
export async function findDashboard(db: Statements, id: string): Promise<Dashboard | undefined> {
  const [row] = await db.rows<DashboardRow>(`SELECT ${columns} FROM dashboards WHERE id = $1`, [
    id,
  ]);
  return row && toDashboard(row);
}

/**
 * The dashboards of a group; or of an org, with those of its groups that the user is in. Uses `dashboards_group` and
 * `dashboards_org`.
 */
export async function findDashboards(
  db: Database,
  user: UserCaller,
  scope: Scope,
  query: ListQuery,
): Promise<ListPage<DashboardSummary>> {
  if (scope.of !== 'org' && scope.of !== 'group') throw new Error('dashboards are of a place');
  const conditions = new Conditions();
  const place = conditions.bind(scope.id);
  if (scope.of === 'group') conditions.add(`group_id = ${place}`);
  else conditions.add(`org_id = ${place} OR group_id IN (${groupsOf(conditions, place, user)})`);
  conditions.containsText('name', query.name);
  const list = {
    columns: `${summaryColumns}, ${panelCount}`,
    from: 'dashboards',
    conditions,
    orders: namedOrders,
    id: 'id',
  };
  const { total, rows } = await findPage<SummaryRow & { panels: number }>(db, list, query);
  return { total, rows: rows.map((row) => ({ ...toSummary(row), panels: row.panels })) };
}

function groupsOf(conditions: Conditions, org: string, user: UserCaller): string {
  const all = `SELECT id FROM groups WHERE groups.org_id = ${org}`;
  if (user.platformAdmin) return all;
  const member = conditions.bind(user.id);
  return `${all} AND id IN (SELECT group_id FROM group_memberships WHERE member_id = ${member})`;
}

/**
 * Changes a dashboard, and keeps what it was. Uses primary keys.
 *
 * @throws DomainError `not_found`; `conflict` naming the version if it is another one than the change was made from.
 */
export async function updateDashboard(
  db: Database,
  id: string,
  { version, name, description, content }: DashboardChange,
  { email }: UserCaller,
): Promise<Dashboard> {
  return db.transaction(async (work) => {
    const [held] = await work.rows<{ version: number }>(
      'SELECT version FROM dashboards WHERE id = $1 FOR UPDATE',
      [id],
    );
    if (held === undefined) throw new DomainError('not_found', 'dashboard');
    if (held.version !== version) {
      throw new DomainError('conflict', `version: it is at version ${held.version} by now`);
    }
    await keepVersion(work, id);
    const [row] = await work.rows<DashboardRow>(
      `UPDATE dashboards
       SET name = coalesce($2, name),
           description = CASE WHEN $3 THEN coalesce($4, '') ELSE description END,
           content = coalesce($5, content),
           version = version + 1,
           saved_by_email = $6,
           updated_at = now()
       WHERE id = $1
       RETURNING ${columns}`,
      [
        id,
        name ?? null,
        description !== undefined,
        description ?? null,
        content === undefined ? null : JSON.stringify(content),
        email,
      ],
    );
    if (row === undefined) throw new Error('a dashboard was not written');
    return toDashboard(row);
  });
}

/** Keeps what a dashboard is, and forgets the oldest that is too many. */
async function keepVersion(db: Statements, id: string): Promise<void> {
  await db.rows(
    `INSERT INTO dashboard_versions (dashboard_id, version, name, description, content, saved_by_email, saved_at)
     SELECT id, version, name, description, content, saved_by_email, updated_at
     FROM dashboards WHERE id = $1`,
    [id],
  );
  await db.rows(
    `DELETE FROM dashboard_versions
     WHERE dashboard_id = $1
       AND version <= (SELECT version FROM dashboards WHERE id = $1) - $2::integer`,
    [id, limits.dashboardVersionsMax],
  );
}

/** Whether there was one. Uses the primary key. */
export async function deleteDashboard(db: Database, id: string): Promise<boolean> {
  const rows = await db.change('DELETE FROM dashboards WHERE id = $1 RETURNING id', [id]);
  return rows.length > 0;
}

type VersionRow = {
  version: number;
  name: string;
  description: string;
  saved_by_email: string | null;
  saved_at: Date;
};

/** The version that there is, and those before it. */
const versionsOf = (columnsOfEach: string) => `
  SELECT version, name, description, saved_by_email, updated_at AS saved_at, ${columnsOfEach}
  FROM dashboards WHERE id = $1
  UNION ALL
  SELECT version, name, description, saved_by_email, saved_at, ${columnsOfEach}
  FROM dashboard_versions WHERE dashboard_id = $1`;

/** The latest first. Uses primary keys. */
export async function findVersions(
  db: Database,
  id: string,
): Promise<DashboardVersions['versions']> {
  const rows = await db.rows<VersionRow & { panels: number }>(
    `${versionsOf(panelCount)} ORDER BY version DESC`,
    [id],
  );
  return rows.map((row) => ({ ...toVersion(row), panels: row.panels }));
}

/** Uses primary keys. */
export async function findVersion(
  db: Database,
  id: string,
  version: number,
): Promise<DashboardVersion | undefined> {
  const [row] = await db.rows<VersionRow & { content: DashboardContent }>(
    `SELECT * FROM (${versionsOf('content')}) AS all_versions WHERE version = $2`,
    [id, version],
  );
  return row && { ...toVersion(row), content: row.content };
}

function toVersion({ version, name, description, saved_by_email, saved_at }: VersionRow) {
  return {
    version,
    name,
    description,
    ...(saved_by_email === null ? {} : { saved_by_email }),
    saved_at: saved_at.toISOString(),
  };
}

function toSummary({ org_id, group_id, saved_by_email, ...row }: SummaryRow) {
  return {
    id: row.id,
    ...(org_id === null ? {} : { org_id }),
    ...(group_id === null ? {} : { group_id }),
    name: row.name,
    description: row.description,
    version: row.version,
    ...(saved_by_email === null ? {} : { saved_by_email }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function toDashboard(row: DashboardRow): Dashboard {
  return { ...toSummary(row), content: row.content };
}
