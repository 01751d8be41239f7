import { DomainError } from '../../../schemas/http/errors.ts';
import type { UserCaller } from '../../access/caller.ts';
import { limits } from '../../limits.ts';
import type { Publishers } from '../../messages/reach/publishers.ts';
import type { BoundedReach } from '../../messages/reach/reach.ts';
import type { Database } from '../../stores/database.ts';

/** A database, which is an org, as a statement may see it: the things of those of its groups that the caller is in. */
export type Scope = {
  orgId: string;
  groups: readonly { id: string; name: string }[];
  reach: BoundedReach;
};

export type ScopeDependencies = { db: Database; publishers: Publishers };

/**
 * The names of the databases that the caller may read, each once: where two orgs have one name, the ids of both. Uses
 * `org_memberships_first` and the primary key of orgs.
 */
export async function findDatabases(db: Database, caller: UserCaller): Promise<string[]> {
  const rows = await db.rows<{ id: string; name: string }>(
    `SELECT id, name FROM orgs
     WHERE $2 OR id IN (SELECT org_id FROM org_memberships WHERE member_id = $1)
     ORDER BY name, id LIMIT $3`,
    [caller.id, caller.platformAdmin, limits.databasesShownMax],
  );
  const named = Map.groupBy(rows, ({ name }) => name);
  return rows.map(({ id, name }) => (named.get(name)?.length === 1 ? name : id));
}

/**
 * The org of this name or id, among those that the caller is in; the platform admin is in all. Every query of
 * ClickHouse after this call sees what changed in its groups before it.
 *
 * @throws DomainError `not_found` in InfluxDB's words
 */
export async function openScope(
  { db, publishers }: ScopeDependencies,
  caller: UserCaller,
  database: string,
): Promise<Scope> {
  const orgId = await findOrg(db, caller, database);
  if (orgId === undefined) throw new DomainError('not_found', `database not found: ${database}`);
  const groups = await findGroups(db, caller, orgId);
  await publishers.catchUp(groups.filter(({ changed }) => changed).map(({ id }) => id));
  return { orgId, groups, reach: { kind: 'groups', groups: groups.map(({ id }) => id) } };
}

/**
 * An id comes before a name; of several with one name, the one joined first. Uses `org_memberships_first` and the
 * primary key of orgs.
 */
async function findOrg(
  db: Database,
  caller: UserCaller,
  database: string,
): Promise<string | undefined> {
  const [row] = await db.rows<{ id: string }>(
    `SELECT id FROM orgs LEFT JOIN org_memberships AS member
       ON member.org_id = orgs.id AND member.member_id = $1
     WHERE (id::text = lower($3) OR name = $3) AND ($2 OR member.member_id IS NOT NULL)
     ORDER BY id::text = lower($3) DESC, member.created_at, id LIMIT 1`,
    [caller.id, caller.platformAdmin, database],
  );
  return row?.id;
}

/** Uses `groups_name`, the primary key of memberships and `publisher_changes_group`. */
async function findGroups(
  db: Database,
  caller: UserCaller,
  orgId: string,
): Promise<{ id: string; name: string; changed: boolean }[]> {
  return db.rows(
    `SELECT id, name, EXISTS (SELECT FROM publisher_changes WHERE group_id = groups.id) AS changed
     FROM groups
     WHERE org_id = $1 AND ($3 OR EXISTS (
       SELECT FROM group_memberships WHERE group_id = groups.id AND member_id = $2))
     ORDER BY name`,
    [orgId, caller.id, caller.platformAdmin],
  );
}
