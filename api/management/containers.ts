import { holdStatesIn } from '../../infra/runtime/alarms/locks.ts';
import { type ListQuery, metadataFilterOf } from '../http/query/list-query.ts';
import type { Conditions } from '../stores/conditions.ts';
import type { Database } from '../stores/database.ts';
import { findPage, type ListPage, namedOrders } from '../stores/page.ts';

/**
 * Orgs and groups are containers: apart from their own columns, they are described, changed and deleted alike. The
 * table's name is a part of statements, and only ever one of these two.
 */
type ContainerTable = 'orgs' | 'groups';

/** The columns that both have, except the id. */
export const containerColumns =
  'name, description, metadata, retention_days, created_at, updated_at';

export type ContainerRow = {
  id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  retention_days: number | null;
  created_at: Date;
  updated_at: Date;
};

/** The description of a new one. */
type NewContainer = {
  name: string;
  description?: string;
  metadata?: Record<string, unknown> | null;
  retention_days?: number | null;
};

/** An absent member stays as it is; `null` clears an optional one. */
type ContainerChange = {
  name?: string;
  description?: string | null;
  metadata?: Record<string, unknown> | null;
  retention_days?: number | null;
};

/** The columns of a new row, except its id and its place. */
export function describedBy({ name, description, metadata, retention_days: days }: NewContainer) {
  return {
    name,
    description: description ?? '',
    metadata: JSON.stringify(metadata ?? {}),
    retentionDays: days ?? null,
  };
}

/** Sets what is given; `null` clears. Returns whether there is such an org or group. Uses the primary key. */
export async function updateContainer(
  db: Database,
  table: ContainerTable,
  id: string,
  { name, description, metadata, retention_days: days }: ContainerChange,
): Promise<boolean> {
  const rows = await db.change(
    `UPDATE ${table}
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

/** Its groups, or itself, are held before what is in them: see infra/runtime/alarms/locks.ts. */
const groupsOf: Readonly<Record<ContainerTable, string>> = { orgs: 'org_id', groups: 'id' };

/**
 * Deletes it with all that is in it. Returns whether there was such an org or group. Uses the primary key, and `groups_name`.
 */
export async function deleteContainer(
  db: Database,
  table: ContainerTable,
  id: string,
): Promise<boolean> {
  return db.transaction(async (work) => {
    const held = await work.rows<{ id: string }>(
      `SELECT id FROM groups WHERE ${groupsOf[table]} = $1 ORDER BY id FOR UPDATE`,
      [id],
    );
    await holdStatesIn(
      (text, values) => work.rows(text, values),
      held.map((group) => group.id),
    );
    const gone = await work.rows(`DELETE FROM ${table} WHERE id = $1 RETURNING id`, [id]);
    return gone.length > 0;
  });
}

/** A page of those that meet the conditions and the query's filters. */
export async function findContainers<Row extends ContainerRow>(
  db: Database,
  {
    table,
    columns,
    conditions,
  }: { table: ContainerTable; columns: string; conditions: Conditions },
  query: ListQuery,
): Promise<ListPage<Row>> {
  conditions.containsText('name', query.name);
  conditions.containsJson('metadata', metadataFilterOf(query));
  return findPage<Row>(
    db,
    { columns, from: table, conditions, orders: namedOrders, id: 'id' },
    query,
  );
}

/** As answers show it. */
export function toContainer(row: ContainerRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    metadata: row.metadata,
    ...(row.retention_days === null ? {} : { retention_days: row.retention_days }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
