import type { QueryResultRow } from 'pg';
import type { namedOrders as orders } from '../../schemas/http/page.ts';
import { limits } from '../limits.ts';
import type { Conditions } from './conditions.ts';
import type { Database } from './database.ts';
import { readListCursor, writeListCursor } from './list-cursor.ts';

/** Which page of a list, and how the list is sorted. */
export type PageQuery = {
  limit?: number;
  offset?: number;
  order?: string;
  dir?: 'asc' | 'desc';
  /** `next` of the page before. */
  cursor?: string;
};

/** The columns of `namedOrders` in tables that name them as clients do. */
export const namedOrders: Readonly<Record<(typeof orders)[number], string>> = {
  id: 'id',
  name: 'name',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

/** `next`: the cursor of what follows, of a list that has cursors. Absent: nothing does. */
export type ListPage<Row> = { total: number; rows: Row[]; next?: string };

/**
 * One page, and how many rows there are in all, as of one moment. `columns`, `from` and the values of
 * `orders` are parts of our own source; `query.order` only picks one of them. Ties go by `id`.
 */
export async function findPage<Row extends QueryResultRow>(
  db: Database,
  list: {
    columns: string;
    from: string;
    conditions: Conditions;
    /** By what a client names it. */
    orders: Readonly<Record<string, string>>;
    /** The column that makes the order total. */
    id: string;
    /** What is sorted by is never null, and the id is one of the columns, as `id`. */
    hasCursors?: boolean;
  },
  query: PageQuery,
): Promise<ListPage<Row>> {
  const { columns, from, conditions, orders, id, hasCursors = false } = list;
  const all = conditions.text;
  const { order = 'id', dir = 'desc', cursor, limit: rowsMax = limits.pageLimitDefault } = query;
  const by = orders[order] ?? id;
  if (hasCursors && cursor !== undefined) {
    const after = readListCursor(cursor, { order, dir });
    const place = `(${conditions.bind(after.value)}, ${conditions.bind(after.id)})`;
    conditions.add(`(${by}, ${id}) ${dir === 'asc' ? '>' : '<'} ${place}`);
  }
  const where = conditions.text;
  const direction = dir === 'asc' ? 'ASC' : 'DESC';
  const limit = conditions.bind(rowsMax);
  const offset = conditions.bind(query.offset ?? 0);
  const rows = await db.search<
    { total: string; position: string | null; bytes: number | null; sorted_by?: string } & Row
  >(
    `SELECT counted.total, page.*
     FROM (SELECT count(*) AS total FROM ${from} WHERE ${all}) AS counted
     LEFT JOIN (
       SELECT sorted.*, row_number() OVER () AS position, octet_length(sorted::text) AS bytes
       FROM (
         SELECT ${columns}${hasCursors ? `, (${by})::text AS sorted_by` : ''}
         FROM ${from}
         WHERE ${where}
         ORDER BY ${by} ${direction}, ${id} ${direction}
         LIMIT ${limit} OFFSET ${offset}
       ) AS sorted
     ) AS page ON true
     ORDER BY page.position`,
    conditions.values,
    {
      isHeavy: conditions.isHeavy,
      isLarge: rowsMax > limits.pageLargeFrom,
    },
  );
  const page = rows.filter((row) => row.position !== null);
  const last = page.at(-1);
  const value = last?.sorted_by;
  return {
    total: Number(rows[0]?.total ?? 0),
    rows: page,
    ...(value === undefined || page.length < rowsMax
      ? {}
      : { next: writeListCursor({ order, dir, value, id: String(last?.['id']) }) }),
  };
}
