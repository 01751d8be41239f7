import { ulid } from 'ulid';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Role } from '../../../schemas/roles.ts';
import type {
  MemberType,
  NewTreeGroup,
  TreeGroup,
  TreeGroupChange,
  treeMemberOrders,
} from '../../../schemas/resources/tree.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Database } from '../../stores/database.ts';
import { limits } from '../../limits.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage, namedOrders } from '../../stores/page.ts';

const columns =
  'id, parent_id, owner_id, name, description, metadata, path, created_at, updated_at';

type TreeGroupRow = {
  id: string;
  parent_id: string | null;
  owner_id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  path: string[];
  created_at: Date;
  updated_at: Date;
};

function toTreeGroup(row: TreeGroupRow): TreeGroup {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    ...(row.parent_id === null ? {} : { parent_id: row.parent_id }),
    metadata: row.metadata,
    owner_id: row.owner_id,
    level: row.path.length,
    path: row.path.join('.'),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** How a refusal names a parent that is not there. */
export const absentParent = 'hierarchical group: parent_id';

/**
 * Makes a group under its parent, or a root; gives its id. A parent that is deleted meanwhile is held by
 * the foreign key, or not found. Uses the primary key.
 *
 * @throws DomainError `not_found` without that parent, `malformed` where the tree is too deep.
 */
export async function insertTreeGroup(
  db: Database,
  ownerId: string,
  parentId: string | null,
  group: NewTreeGroup,
): Promise<string> {
  const id = ulid();
  const [parent] = await db.change<{ level: number }>(
    `WITH parent AS (
       SELECT id, path FROM tree_groups WHERE id = $2
       UNION ALL
       SELECT NULL, '{}'::text[] WHERE $2::text IS NULL
     ),
     made AS (
       INSERT INTO tree_groups (id, parent_id, owner_id, name, description, metadata, path)
       SELECT $1, parent.id, $3, $4, $5, $6, parent.path || $1::text
       FROM parent
       WHERE cardinality(parent.path) < $7
     )
     SELECT cardinality(path) AS level FROM parent`,
    [
      id,
      parentId,
      ownerId,
      group.name,
      group.description ?? '',
      JSON.stringify(group.metadata ?? {}),
      limits.treeLevelsMax,
    ],
  );
  if (parent === undefined) throw new DomainError('not_found', absentParent);
  if (parent.level >= limits.treeLevelsMax) {
    throw new DomainError(
      'malformed',
      `parent_id is at level ${limits.treeLevelsMax}, the deepest`,
    );
  }
  return id;
}

/** Uses the primary key. */
export async function findTreeGroup(db: Database, id: string): Promise<TreeGroup | undefined> {
  const [row] = await db.rows<TreeGroupRow>(`SELECT ${columns} FROM tree_groups WHERE id = $1`, [
    id,
  ]);
  return row && toTreeGroup(row);
}

/** Uses the primary key. */
export async function findTreeOwner(db: Database, id: string): Promise<string | undefined> {
  const [row] = await db.rows<{ owner_id: string }>(
    'SELECT owner_id FROM tree_groups WHERE id = $1',
    [id],
  );
  return row?.owner_id;
}

/** Sets what is given; `null` empties. Whether there is such a group. Uses the primary key. */
export async function updateTreeGroup(
  db: Database,
  id: string,
  change: TreeGroupChange,
): Promise<boolean> {
  const { name, description, metadata } = change;
  const rows = await db.change(
    `UPDATE tree_groups
     SET name = coalesce($2, name),
         description = coalesce($3, description),
         metadata = coalesce($4, metadata),
         updated_at = now()
     WHERE id = $1
     RETURNING id`,
    [
      id,
      name ?? null,
      description === null ? '' : (description ?? null),
      metadata === undefined ? null : JSON.stringify(metadata ?? {}),
    ],
  );
  return rows.length > 0;
}

/**
 * Deletes a group and all under it; `conflict` when one of them has members, even one that is just being
 * added: the members' foreign key restricts. All at once by path, so that the cascade, which takes what is
 * just being made under them, needs no depth. Uses `tree_groups_path`.
 */
export async function deleteTreeGroup(db: Database, id: string): Promise<boolean> {
  try {
    const query = 'DELETE FROM tree_groups WHERE path @> ARRAY[$1::text] RETURNING id';
    return (await db.change(query, [id])).length > 0;
  } catch (error) {
    // Before 18, Postgres does not tell this from a key that points nowhere.
    const hasMembers = error instanceof DomainError && error.code === 'not_found';
    throw hasMembers ? new DomainError('conflict', 'it has members') : error;
  }
}

/** Some of the groups around one, how many there are in all, and that one's name. */
export type Relatives = { total: number; name: string; groups: TreeGroup[] };

/** `level` is the distance. */
export type Bounds = { level: number; limit: number; offset: number };

/** A group and its ancestors, the root first; a page holds the nearest. Uses the primary key. */
export function findTreeParents(
  db: Database,
  id: string,
  bounds: Bounds,
): Promise<Relatives | undefined> {
  return findAround(
    db,
    `SELECT start.name AS start_name, cardinality(start.path) AS total, nearby.*
     FROM tree_groups AS start
     LEFT JOIN LATERAL (
       SELECT ${columns}
       FROM tree_groups
       WHERE id = ANY (start.path[greatest(cardinality(start.path) - $2, 1):])
       ORDER BY cardinality(path) DESC
       LIMIT $3 OFFSET $4
     ) AS nearby ON true
     WHERE start.id = $1
     ORDER BY cardinality(nearby.path)`,
    id,
    bounds,
  );
}

/** A group and its descendants, the nearest first. Uses `tree_groups_path`. */
export function findTreeChildren(
  db: Database,
  id: string,
  bounds: Bounds,
): Promise<Relatives | undefined> {
  return findAround(
    db,
    `SELECT start.name AS start_name,
            (SELECT count(*) FROM tree_groups WHERE path @> ARRAY[$1::text]) AS total,
            nearby.*
     FROM tree_groups AS start
     LEFT JOIN LATERAL (
       SELECT ${columns}
       FROM tree_groups
       WHERE path @> ARRAY[$1::text] AND cardinality(path) <= cardinality(start.path) + $2
       ORDER BY cardinality(path), id
       LIMIT $3 OFFSET $4
     ) AS nearby ON true
     WHERE start.id = $1
     ORDER BY cardinality(nearby.path), nearby.id`,
    id,
    bounds,
  );
}

async function findAround(
  db: Database,
  text: string,
  id: string,
  { level, limit, offset }: Bounds,
): Promise<Relatives | undefined> {
  const rows = await db.rows<{ start_name: string; total: string } & (TreeGroupRow | { id: null })>(
    text,
    [id, level, limit, offset],
  );
  const [first] = rows;
  return (
    first && {
      total: Number(first.total),
      name: first.start_name,
      groups: rows.flatMap((row) => (row.id === null ? [] : toTreeGroup(row))),
    }
  );
}

/** Adds members, all or none; `conflict` for one that is in it already. */
export async function insertTreeMembers(
  db: Database,
  groupId: string,
  type: MemberType,
  memberIds: string[],
): Promise<void> {
  await db.change(
    `INSERT INTO tree_members (group_id, member_id, type)
     SELECT $1, member_id, $2 FROM unnest($3::text[]) AS given (member_id)`,
    [groupId, type, memberIds],
  );
}

/**
 * Removes members, all or none. Uses the primary key.
 *
 * @throws DomainError `not_found` where one of them is not in it, or of another type than the given.
 */
export async function deleteTreeMembers(
  db: Database,
  groupId: string,
  type: MemberType | undefined,
  memberIds: string[],
): Promise<void> {
  await db.transaction(async (transaction) => {
    const gone = await transaction.rows(
      `DELETE FROM tree_members
       WHERE group_id = $1 AND member_id = ANY ($2::text[]) AND type = coalesce($3, type)
       RETURNING member_id`,
      [groupId, memberIds, type ?? null],
    );
    if (gone.length < new Set(memberIds).size) throw new DomainError('not_found', 'member');
  });
}

/** A group's name, for what is listed of it. Uses the primary key. */
export async function findTreeName(db: Database, id: string): Promise<string | undefined> {
  const [row] = await db.rows<{ name: string }>('SELECT name FROM tree_groups WHERE id = $1', [id]);
  return row?.name;
}

const memberOrders: Readonly<Record<(typeof treeMemberOrders)[number], string>> = {
  id: 'member.member_id',
  type: 'member.type',
  created_at: 'member.created_at',
};

type MemberRow = { member_id: string; type: MemberType };

/** Uses the primary key. */
export function findTreeMembers(
  db: Database,
  groupId: string,
  query: ListQuery,
): Promise<ListPage<MemberRow>> {
  const conditions = new Conditions();
  conditions.equals('member.group_id', groupId);
  conditions.equals('member.type', query.type);
  const list = {
    columns: 'member.member_id, member.type',
    from: 'tree_members AS member',
    conditions,
    orders: memberOrders,
    id: 'member.member_id',
  };
  return findPage<MemberRow>(db, list, query);
}

/** A member's id as the key of what has UUIDs; NULL for another system's. */
const memberUuid = `CASE WHEN pg_input_is_valid(member.member_id, 'uuid')
                         THEN member.member_id::uuid END`;

/**
 * The members that are users, with the e-mails of those whom the caller may see: oneself, who shares an
 * org, everyone for the platform admin. Uses primary keys.
 */
export function findTreeUsers(
  db: Database,
  groupId: string,
  caller: UserCaller,
  query: ListQuery,
): Promise<ListPage<{ member_id: string; email: string | null }>> {
  const conditions = new Conditions();
  conditions.equals('member.group_id', groupId);
  conditions.equals('member.type', 'users');
  const [me, all] = [conditions.bind(caller.id), conditions.bind(caller.platformAdmin)];
  const list = {
    columns: `member.member_id,
              CASE WHEN ${all}::boolean OR person.id = ${me} OR EXISTS (
                SELECT FROM org_memberships AS mine
                JOIN org_memberships AS theirs ON theirs.org_id = mine.org_id
                WHERE mine.member_id = ${me} AND theirs.member_id = person.id
              ) THEN person.email END AS email`,
    from: `tree_members AS member LEFT JOIN users AS person ON person.id = ${memberUuid}`,
    conditions,
    orders: memberOrders,
    id: 'member.member_id',
  };
  return findPage(db, list, query);
}

/** Of what is no thing there is nothing but the id. */
type TreeThingRow = {
  member_id: string;
  key_sealed: Buffer | null;
  last_seen: Date | null;
  role: Role | null;
};

/**
 * The members that are things, with their keys, when they were heard last, and the caller's roles there. Uses
 * primary keys.
 */
export function findTreeThings(
  db: Database,
  groupId: string,
  caller: UserCaller,
  query: ListQuery,
): Promise<ListPage<TreeThingRow>> {
  const conditions = new Conditions();
  conditions.equals('member.group_id', groupId);
  conditions.equals('member.type', 'things');
  const list = {
    columns: `member.member_id, thing.key_sealed, access.role,
              (SELECT seen_at FROM things_seen WHERE thing_id = thing.id) AS last_seen`,
    from: `tree_members AS member
           LEFT JOIN things AS thing ON thing.id = ${memberUuid}
           LEFT JOIN group_memberships AS access
             ON access.group_id = thing.group_id AND access.member_id = ${conditions.bind(caller.id)}`,
    conditions,
    orders: memberOrders,
    id: 'member.member_id',
  };
  return findPage(db, list, query);
}

/** The groups someone or something is in. Uses `tree_members_member`. */
export async function findTreeGroupsOfMember(
  db: Database,
  memberId: string,
  query: ListQuery,
): Promise<ListPage<TreeGroup>> {
  const conditions = new Conditions();
  const member = conditions.bind(memberId);
  conditions.add(`id IN (SELECT group_id FROM tree_members WHERE member_id = ${member})`);
  conditions.containsText('name', query.name);
  conditions.containsJson('metadata', metadataFilterOf(query));
  const list = { columns, from: 'tree_groups', conditions, orders: namedOrders, id: 'id' };
  const { total, rows } = await findPage<TreeGroupRow>(db, list, query);
  return { total, rows: rows.map(toTreeGroup) };
}
