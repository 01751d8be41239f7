import type { TreeGroup } from '../../../schemas/resources/tree.ts';
import type { Database } from '../../stores/database.ts';
import { columns, toTreeGroup, type TreeGroupRow } from './sql.ts';

/** A page of the ancestors or descendants of a group, how many there are in all, and the group's name. */
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
