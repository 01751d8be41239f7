import type { QueryResultRow } from 'pg';
import type { namedOrders as orders } from '../../schemas/http/page.ts';
import { limits } from '../limits.ts';
import type { Conditions } from './conditions.ts';
import type { Database } from './database.ts';

/** Which page of a list, and how the list is sorted. */
export type PageQuery = {
  limit?: number;
  offset?: number;
  order?: string;
  dir?: 'asc' | 'desc';
};

/** The columns of `namedOrders` in tables that name them as clients do. */
export const namedOrders: Readonly<Record<(typeof orders)[number], string>> = {
  id: 'id',
  name: 'name',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

export type ListPage<Row> = { total: number; rows: Row[] };

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
  },
  query: PageQuery,
): Promise<ListPage<Row>> {
  const { columns, from, conditions, orders, id } = list;
  const where = conditions.text;
  const direction = query.dir === 'asc' ? 'ASC' : 'DESC';
  const by = orders[query.order ?? 'id'] ?? id;
  const limit = conditions.bind(query.limit ?? limits.pageLimitDefault);
  const offset = conditions.bind(query.offset ?? 0);
  const rows = await db.search<
    { total: string; position: string | null; bytes: number | null } & Row
  >(
    `SELECT counted.total, page.*
     FROM (SELECT count(*) AS total FROM ${from} WHERE ${where}) AS counted
     LEFT JOIN (
       SELECT sorted.*, row_number() OVER () AS position, octet_length(sorted::text) AS bytes
       FROM (
         SELECT ${columns}
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
      isLarge: (query.limit ?? limits.pageLimitDefault) > limits.pageLargeFrom,
    },
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    rows: rows.filter((row) => row.position !== null),
  };
}
