import { holdStatesIn } from '../../../infra/runtime/alarms/locks.ts';
import { randomUUID } from 'node:crypto';
import type { Group, NewGroup } from '../../../schemas/resources/group.ts';
import type { UserCaller } from '../../access/caller.ts';
import { lockAll } from '../../access/lock.ts';
import { addReach, type Scope } from '../../access/reach.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';
import type { ListPage } from '../../stores/page.ts';
import {
  containerColumns,
  type ContainerRow,
  describedBy,
  findContainers,
  toContainer,
} from '../containers.ts';

const columns = `id, org_id, ${containerColumns}`;

type GroupRow = ContainerRow & { org_id: string };

/**
 * Creates groups in an org, all or none: the org's owner becomes their owner, another creator their
 * admin. Returned in the given order; `not_found` if the org is gone.
 */
export async function insertGroups(
  db: Database,
  orgId: string,
  creatorId: string,
  groups: readonly NewGroup[],
): Promise<Group[]> {
  const made = groups.map((group) => ({ id: randomUUID(), ...describedBy(group) }));
  const rows = await db.change<GroupRow>(
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
      made.map((group) => group.id),
      made.map((group) => group.name),
      made.map((group) => group.description),
      made.map((group) => group.metadata),
      made.map((group) => group.retentionDays),
    ],
  );
  const byId = new Map(rows.map((row) => [row.id, toGroup(row)]));
  return made.flatMap((group) => byId.get(group.id) ?? []);
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

/**
 * The groups that a user is a member of, or for the platform admin all groups; only those of one org if that is the
 * scope. Uses `group_memberships_member` and `groups_name`.
 */
export async function findGroups(
  db: Database,
  user: UserCaller,
  scope: Scope,
  query: ListQuery,
): Promise<ListPage<Group>> {
  const conditions = new Conditions();
  addReach(conditions, 'id', user);
  if (scope.of === 'org') conditions.equals('org_id', scope.id);
  const list = { table: 'groups', columns, conditions } as const;
  const { total, rows } = await findContainers<GroupRow>(db, list, query);
  return { total, rows: rows.map(toGroup) };
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
    await holdStatesIn((text, values) => work.rows(text, values), ids);
    await work.rows('DELETE FROM groups WHERE id = ANY ($1::uuid[])', [ids]);
  });
}

function toGroup(row: GroupRow): Group {
  return { ...toContainer(row), org_id: row.org_id };
}
