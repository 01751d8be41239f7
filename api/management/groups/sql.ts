import type { Group, GroupChange, groupOrders } from '../../../schemas/resources/group.ts';
import type { UserCaller } from '../../access/caller.ts';
import { lockAll } from '../../access/lock.ts';
import type { Scope } from '../../access/reach.ts';
import type { Database } from '../../stores/database.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

const columns = 'id, org_id, name, description, metadata, retention_days, created_at, updated_at';

type GroupRow = {
  id: string;
  org_id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  retention_days: number | null;
  created_at: Date;
  updated_at: Date;
};

/** A group to be made, with the id it will have. */
export type GroupToInsert = {
  id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  retentionDays: number | null;
};

/**
 * Makes groups in an org, all or none: the org's owner becomes their owner, another creator their
 * admin. Given back in the order given; `not_found` when the org is gone.
 */
export async function insertGroups(
  db: Database,
  orgId: string,
  creatorId: string,
  groups: GroupToInsert[],
): Promise<Group[]> {
  const rows = await db.rows<GroupRow>(
    `WITH made AS (
       INSERT INTO groups (id, org_id, name, description, metadata, retention_days)
       SELECT id, $1, name, description, metadata, retention_days
       FROM unnest($3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::integer[])
         AS given (id, name, description, metadata, retention_days)
       RETURNING ${columns}
     ),
     members AS (
       SELECT owner_id AS member_id, 'owner' AS role FROM orgs WHERE id = $1
       UNION ALL
       SELECT $2, 'admin' FROM orgs WHERE id = $1 AND owner_id <> $2
     ),
     joined AS (
       INSERT INTO group_memberships (group_id, member_id, role)
       SELECT made.id, members.member_id, members.role FROM made CROSS JOIN members
     )
     SELECT ${columns} FROM made`,
    [
      orgId,
      creatorId,
      groups.map((group) => group.id),
      groups.map((group) => group.name),
      groups.map((group) => group.description),
      groups.map((group) => JSON.stringify(group.metadata)),
      groups.map((group) => group.retentionDays),
    ],
  );
  const byId = new Map(rows.map((row) => [row.id, toGroup(row)]));
  return groups.flatMap((group) => byId.get(group.id) ?? []);
}

/** Uses the primary key. */
export async function findGroup(db: Database, id: string): Promise<Group | undefined> {
  const [row] = await db.rows<GroupRow>(`SELECT ${columns} FROM groups WHERE id = $1`, [id]);
  return row && toGroup(row);
}

/** Uses the primary keys of both. */
export async function findGroupOfThing(db: Database, thingId: string): Promise<Group | undefined> {
  const [row] = await db.rows<GroupRow>(
    `SELECT ${columns} FROM groups WHERE id = (SELECT group_id FROM things WHERE id = $1)`,
    [thingId],
  );
  return row && toGroup(row);
}

/** Uses the primary keys of both. */
export async function findGroupOfProfile(
  db: Database,
  profileId: string,
): Promise<Group | undefined> {
  const [row] = await db.rows<GroupRow>(
    `SELECT ${columns} FROM groups WHERE id = (SELECT group_id FROM profiles WHERE id = $1)`,
    [profileId],
  );
  return row && toGroup(row);
}

const orders: Readonly<Record<(typeof groupOrders)[number], string>> = {
  id: 'id',
  name: 'name',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

/**
 * The groups a user is a member of, all of them for the platform admin; those of one org where that is the
 * scope. Uses `group_memberships_member` and `groups_name`.
 */
export async function findGroups(
  db: Database,
  user: UserCaller,
  scope: Scope,
  query: ListQuery,
): Promise<ListPage<Group>> {
  const conditions = new Conditions();
  if (!user.platformAdmin) {
    const member = conditions.bind(user.id);
    conditions.add(`id IN (SELECT group_id FROM group_memberships WHERE member_id = ${member})`);
  }
  if (scope.of === 'org') conditions.equals('org_id', scope.id);
  conditions.containsText('name', query.name);
  conditions.containsJson('metadata', metadataFilterOf(query));
  const list = { columns, from: 'groups', conditions, orders, id: 'id' };
  const { total, rows } = await findPage<GroupRow>(db, list, query);
  return { total, rows: rows.map(toGroup) };
}

/** Sets what is given; `null` empties. Whether there is such a group. Uses the primary key. */
export async function updateGroup(db: Database, id: string, change: GroupChange): Promise<boolean> {
  const { name, description, metadata, retention_days: days } = change;
  const rows = await db.rows(
    `UPDATE groups
     SET name = coalesce($2, name),
         description = coalesce($3, description),
         metadata = coalesce($4, metadata),
         retention_days = CASE WHEN $5 THEN $6::integer ELSE retention_days END,
         updated_at = now()
     WHERE id = $1
     RETURNING id`,
    [
      id,
      name ?? null,
      description === undefined ? null : (description ?? ''),
      metadata === undefined ? null : JSON.stringify(metadata ?? {}),
      days !== undefined,
      days ?? null,
    ],
  );
  return rows.length > 0;
}

/** With all that is in it. Whether there was such a group. Uses the primary key. */
export async function deleteGroup(db: Database, id: string): Promise<boolean> {
  const rows = await db.rows('DELETE FROM groups WHERE id = $1 RETURNING id', [id]);
  return rows.length > 0;
}

/**
 * Deletes groups with all that is in them, all or none. Uses the primary key.
 *
 * @throws DomainError as `lockAll`.
 */
export async function deleteGroups(
  db: Database,
  user: UserCaller,
  given: readonly string[],
): Promise<void> {
  await db.transaction(async (work) => {
    const ids = await lockAll(work, user, 'group', given, { needed: 'owner', to: 'delete' });
    await work.rows('DELETE FROM groups WHERE id = ANY ($1::uuid[])', [ids]);
  });
}

function toGroup(row: GroupRow): Group {
  return {
    id: row.id,
    org_id: row.org_id,
    name: row.name,
    description: row.description,
    metadata: row.metadata,
    ...(row.retention_days === null ? {} : { retention_days: row.retention_days }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
