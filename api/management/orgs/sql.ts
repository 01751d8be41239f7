import { randomUUID } from 'node:crypto';
import type { NewOrg, Org, OrgChange, orgOrders } from '../../../schemas/resources/org.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Database } from '../../stores/database.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

/** Makes an org whose owner is the user; gives its id. */
export async function insertOrg(db: Database, ownerId: string, org: NewOrg): Promise<string> {
  const id = randomUUID();
  await db.rows(
    `WITH org AS (
       INSERT INTO orgs (id, owner_id, name, description, metadata, retention_days)
       VALUES ($1, $2, $3, $4, $5, $6)
       RETURNING id, owner_id
     )
     INSERT INTO org_memberships (org_id, member_id, role)
     SELECT id, owner_id, 'owner' FROM org`,
    [
      id,
      ownerId,
      org.name,
      org.description ?? '',
      JSON.stringify(org.metadata ?? {}),
      org.retention_days ?? null,
    ],
  );
  return id;
}

const columns = 'id, owner_id, name, description, metadata, retention_days, created_at, updated_at';

type OrgRow = {
  id: string;
  owner_id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  retention_days: number | null;
  created_at: Date;
  updated_at: Date;
};

/** Uses the primary key. */
export async function findOrg(db: Database, id: string): Promise<Org | undefined> {
  const [row] = await db.rows<OrgRow>(`SELECT ${columns} FROM orgs WHERE id = $1`, [id]);
  return row && toOrg(row);
}

const orders: Readonly<Record<(typeof orgOrders)[number], string>> = {
  id: 'id',
  name: 'name',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

/** The orgs a user is a member of; all of them for the platform admin. Uses `org_memberships_first`. */
export async function findOrgs(
  db: Database,
  user: UserCaller,
  query: ListQuery,
): Promise<ListPage<Org>> {
  const conditions = new Conditions();
  if (!user.platformAdmin) {
    const member = conditions.bind(user.id);
    conditions.add(`id IN (SELECT org_id FROM org_memberships WHERE member_id = ${member})`);
  }
  conditions.containsText('name', query.name);
  conditions.containsJson('metadata', metadataFilterOf(query));
  const list = { columns, from: 'orgs', conditions, orders, id: 'id' };
  const { total, rows } = await findPage<OrgRow>(db, list, query);
  return { total, rows: rows.map(toOrg) };
}

/** Sets what is given; `null` empties. Whether there is such an org. Uses the primary key. */
export async function updateOrg(db: Database, id: string, change: OrgChange): Promise<boolean> {
  const { name, description, metadata, retention_days: days } = change;
  const rows = await db.rows(
    `UPDATE orgs
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

/** With all that is in it. Whether there was such an org. Uses the primary key. */
export async function deleteOrg(db: Database, id: string): Promise<boolean> {
  const rows = await db.rows('DELETE FROM orgs WHERE id = $1 RETURNING id', [id]);
  return rows.length > 0;
}

function toOrg(row: OrgRow): Org {
  return {
    id: row.id,
    owner_id: row.owner_id,
    name: row.name,
    description: row.description,
    metadata: row.metadata,
    ...(row.retention_days === null ? {} : { retention_days: row.retention_days }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
