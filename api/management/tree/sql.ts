import { ulid } from 'ulid';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { NewTreeGroup, TreeGroup, TreeGroupChange } from '../../../schemas/resources/tree.ts';
import type { Database } from '../../stores/database.ts';
import { limits } from '../../limits.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage, namedOrders } from '../../stores/page.ts';

export const columns =
  'id, parent_id, owner_id, name, description, metadata, path, created_at, updated_at';

export type TreeGroupRow = {
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

export function toTreeGroup(row: TreeGroupRow): TreeGroup {
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

/** The name of an absent parent in a refusal. */
export const absentParent = 'hierarchical group: parent_id';

/**
 * Creates a group under its parent, or a root; returns its id. Uses the primary key.
 *
 * @throws DomainError `not_found` without that parent, `malformed` if the tree is too deep.
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

/** Sets what is given; `null` clears. Returns whether there is such a group. Uses the primary key. */
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
 * Deletes a group and all under it; `conflict` if one of them has members, even one that is being added at this
 * moment: the members' foreign key restricts. One statement deletes all by path; the cascade is only for groups that
 * are created under them at the same moment. Uses `tree_groups_path`.
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

/** A group's name, for what is listed of it. Uses the primary key. */
export async function findTreeName(db: Database, id: string): Promise<string | undefined> {
  const [row] = await db.rows<{ name: string }>('SELECT name FROM tree_groups WHERE id = $1', [id]);
  return row?.name;
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
