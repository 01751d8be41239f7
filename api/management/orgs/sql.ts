import { randomUUID } from 'node:crypto';
import type { NewOrg, Org } from '../../../schemas/resources/org.ts';
import type { UserCaller } from '../../access/caller.ts';
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

/** Creates an org whose owner is the user; returns its id. */
export async function insertOrg(db: Database, ownerId: string, org: NewOrg): Promise<string> {
  const id = randomUUID();
  const { name, description, metadata, retentionDays } = describedBy(org);
  await db.change(
    `WITH org AS (
       INSERT INTO orgs (id, owner_id, name, description, metadata, retention_days)
       VALUES ($1, $2, $3, $4, $5, $6)
       RETURNING id, owner_id
     )
     INSERT INTO org_memberships (org_id, member_id, role)
     SELECT id, owner_id, 'owner' FROM org`,
    [id, ownerId, name, description, metadata, retentionDays],
  );
  return id;
}

const columns = `id, owner_id, ${containerColumns}`;

type OrgRow = ContainerRow & { owner_id: string };

/** Uses the primary key. */
export async function findOrg(db: Database, id: string): Promise<Org | undefined> {
  const [row] = await db.rows<OrgRow>(`SELECT ${columns} FROM orgs WHERE id = $1`, [id]);
  return row && toOrg(row);
}

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
  const list = { table: 'orgs', columns, conditions } as const;
  const { total, rows } = await findContainers<OrgRow>(db, list, query);
  return { total, rows: rows.map(toOrg) };
}

function toOrg(row: OrgRow): Org {
  return { ...toContainer(row), owner_id: row.owner_id };
}
