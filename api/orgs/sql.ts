import { randomUUID } from 'node:crypto';
import type { NewOrg, Org } from '../../schemas/org.ts';
import type { Database } from '../database.ts';

/** Makes an org whose owner is the user; gives its id. */
export async function insertOrg(db: Database, ownerId: string, org: NewOrg): Promise<string> {
  const id = randomUUID();
  await db.rows(
    `WITH org AS (
       INSERT INTO orgs (id, owner_id, name, description, metadata)
       VALUES ($1, $2, $3, $4, $5)
       RETURNING id, owner_id
     )
     INSERT INTO org_memberships (org_id, member_id, role)
     SELECT id, owner_id, 'owner' FROM org`,
    [id, ownerId, org.name, org.description ?? '', JSON.stringify(org.metadata ?? {})],
  );
  return id;
}

/** Leans on the primary key. */
export async function findOrg(db: Database, id: string): Promise<Org | undefined> {
  const [row] = await db.rows<{
    id: string;
    owner_id: string;
    name: string;
    description: string;
    metadata: Record<string, unknown>;
    created_at: Date;
    updated_at: Date;
  }>(
    `SELECT id, owner_id, name, description, metadata, created_at, updated_at
     FROM orgs WHERE id = $1`,
    [id],
  );
  return (
    row && {
      ...row,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    }
  );
}
