import type { Group } from '../../schemas/group.ts';
import type { Database } from '../database.ts';

type GroupRow = {
  id: string;
  org_id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
};

/** A group to be made, with the id it will have. */
export type GroupToInsert = {
  id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
};

/**
 * Makes groups in an org, all or none: the org's owner becomes their owner, another creator their
 * admin. Given back in the order given; `notFound` when the org is gone.
 */
export async function insertGroups(
  db: Database,
  orgId: string,
  creatorId: string,
  groups: GroupToInsert[],
): Promise<Group[]> {
  const rows = await db.rows<GroupRow>(
    `WITH made AS (
       INSERT INTO groups (id, org_id, name, description, metadata)
       SELECT id, $1, name, description, metadata
       FROM unnest($3::uuid[], $4::text[], $5::text[], $6::jsonb[])
         AS given (id, name, description, metadata)
       RETURNING id, org_id, name, description, metadata, created_at, updated_at
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
     SELECT id, org_id, name, description, metadata, created_at, updated_at FROM made`,
    [
      orgId,
      creatorId,
      groups.map((group) => group.id),
      groups.map((group) => group.name),
      groups.map((group) => group.description),
      groups.map((group) => JSON.stringify(group.metadata)),
    ],
  );
  const byId = new Map(rows.map((row) => [row.id, toGroup(row)]));
  return groups.flatMap((group) => byId.get(group.id) ?? []);
}

/** Leans on the primary key. */
export async function findGroup(db: Database, id: string): Promise<Group | undefined> {
  const [row] = await db.rows<GroupRow>(
    `SELECT id, org_id, name, description, metadata, created_at, updated_at
     FROM groups WHERE id = $1`,
    [id],
  );
  return row && toGroup(row);
}

function toGroup(row: GroupRow): Group {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
