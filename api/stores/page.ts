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
  /** Counts so many rows at most. */
  total_max?: number;
};

/** The columns of `namedOrders` in tables that name them as clients do. */
export const namedOrders: Readonly<Record<(typeof orders)[number], string>> = {
  id: 'id',
  name: 'name',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

/** `next`: the cursor of what follows, of a list that has cursors. Absent: nothing does. */
export type ListPage<Row> = {
  total: number;
  /** There are more than `total`: counting ended there, as `total_max` asked. */
  isMore?: boolean;
  rows: Row[];
  next?: string;
};

/** The list as SQL: parts of our own source. */
type List = {
  columns: string;
  from: string;
  conditions: Conditions;
  /** By what a client names it. */
  orders: Readonly<Record<string, string>>;
  /** The column that makes the order total. */
  id: string;
  /**
   * Such a list has cursors. What it is sorted by is never null, and `id` is a primary key and one of the columns, under
   * that name.
   */
  isLong?: boolean;
  /**
   * Few rows of the table may match, those of a small org or those with a part of a text: the table, what is joined to it,
   * and orders that have an index. `isSearched`: by a text, so that counting reads the same rows as sorting does.
   */
  walked?:
    | { table: string; joined: string; orders: readonly string[]; isSearched: boolean }
    | undefined;
};

/** So many rows beside those of the page are read in the order of the list, before all that match are looked for. */
const walkedMax = 5_000;
/** Of a list that is longer PostgreSQL walks the order itself: most rows of its table are in it. */
const walkedOffsetMax = 10_000;

/**
 * One page, and how many rows there are in all, as of one moment. `query.order` only picks one of `orders`. Ties go by
 * `id`.
 */
export async function findPage<Row extends QueryResultRow>(
  db: Database,
  list: List,
  query: PageQuery,
): Promise<ListPage<Row>> {
  const { from, conditions, orders, id, isLong = false } = list;
  const all = conditions.text;
  const { total_max: totalMax, offset = 0 } = query;
  const { order = 'id', dir = 'desc', cursor, limit: rowsMax = limits.pageLimitDefault } = query;
  const by = orders[order] ?? id;
  const after = isLong ? addCursor(conditions, { by, id, order, dir, cursor }) : 'true';
  const sorting = { sort: sortBy(by, id, dir), by, where: conditions.text, all, after };
  const [rowsText, passed] = [conditions.bind(rowsMax), conditions.bind(offset)];
  const range = `LIMIT ${rowsText} OFFSET ${passed}`;
  const isWalked = list.walked?.orders.includes(order) === true && offset <= walkedOffsetMax;
  const isShared = isWalked && list.walked?.isSearched === true;
  // Read as far as it is asked for, and once.
  const matching = `WITH matching AS MATERIALIZED (SELECT ${id}, ${by} AS sorted_by FROM ${from} WHERE ${all})`;
  const toCount = isShared ? 'matching' : `${from} WHERE ${all}`;
  const counted =
    totalMax === undefined
      ? toCount
      : `(SELECT FROM ${toCount} LIMIT ${conditions.bind(totalMax + 1)}) AS first`;
  const page = isWalked
    ? walkedPage(list, sorting, { rowsText, passed, isShared })
    : isLong
      ? longPage(list, sorting, range)
      : shortPage(list, sorting, range);
  const rows = await db.search<
    { total: string; position: string | null; bytes: number | null; sorted_by?: string } & Row
  >(
    `${isShared ? matching : ''}
     SELECT counted.total, page.*
     FROM (SELECT count(*) AS total FROM ${counted}) AS counted
     LEFT JOIN (
       SELECT sorted.*, row_number() OVER () AS position, octet_length(sorted::text) AS bytes
       FROM (
         ${page}
       ) AS sorted
     ) AS page ON true
     ORDER BY page.position`,
    conditions.values,
    {
      isHeavy: conditions.isHeavy,
      isLarge: rowsMax > limits.pageLargeFrom,
    },
  );
  return pageOf(rows, { ...query, order, dir, limit: rowsMax });
}

/** A page with its total, out of the rows of its statement. One that has `sorted_by` continues at a cursor. */
export function pageOf<
  Row extends { total: string; position: string | null; sorted_by?: string; id?: unknown },
>(
  rows: readonly Row[],
  query: { order: string; dir: 'asc' | 'desc'; limit: number; total_max?: number },
): ListPage<Row> {
  const { order, dir, limit: rowsMax, total_max: totalMax } = query;
  const page = rows.filter((row) => row.position !== null);
  const last = page.at(-1);
  const value = last?.sorted_by;
  const total = Number(rows[0]?.total ?? 0);
  const isMore = totalMax !== undefined && total > totalMax;
  return {
    total: isMore ? totalMax : total,
    ...(isMore ? { isMore } : {}),
    rows: page,
    ...(value === undefined || page.length < rowsMax
      ? {}
      : { next: writeListCursor({ order, dir, value, id: String(last?.id) }) }),
  };
}

type Sorting = {
  sort: string;
  by: string;
  /** The conditions of the list, and where the page before it ended; both; and each alone. */
  where: string;
  all: string;
  after: string;
};

/** Adds the condition that rows come after the page before, and gives it. */
function addCursor(
  conditions: Conditions,
  given: { by: string; id: string; order: string; dir: 'asc' | 'desc'; cursor: string | undefined },
): string {
  const { by, id, order, dir, cursor } = given;
  if (cursor === undefined) return 'true';
  const last = readListCursor(cursor, { order, dir });
  const place = `(${conditions.bind(last.value)}, ${conditions.bind(last.id)})`;
  const after = `(${by}, ${id}) ${dir === 'asc' ? '>' : '<'} ${place}`;
  conditions.add(after);
  return after;
}

const sortBy = (by: string, id: string, dir: 'asc' | 'desc') => {
  const direction = dir === 'asc' ? 'ASC' : 'DESC';
  return `ORDER BY ${by} ${direction}, ${id} ${direction}`;
};

const shortPage = ({ columns, from }: List, { sort, where }: Sorting, range: string) =>
  `SELECT ${columns} FROM ${from} WHERE ${where} ${sort} ${range}`;

/** Only ids are sorted, and passed over before the page begins: of 240,000 things that takes a fifth of the time. */
const longPage = ({ columns, from, id }: List, { sort, by, where }: Sorting, range: string) =>
  `SELECT ${columns}, (${by})::text AS sorted_by
   FROM ${from}
   WHERE ${id} IN (SELECT ${id} FROM ${from} WHERE ${where} ${sort} ${range})
   ${sort}`;

/**
 * Most rows may match or few, and those that do may come last in the order. PostgreSQL does not know, and would walk past the
 * million things of one org for the only one of another. So the first rows are walked in the order; where these do not fill
 * the page, all that match are found by their own index, and sorted: `OFFSET 0` keeps PostgreSQL from walking on.
 */
function walkedPage(
  { columns, from, id, walked }: List,
  { sort, by, where, all, after }: Sorting,
  { rowsText, passed, isShared }: { rowsText: string; passed: string; isShared: boolean },
): string {
  const { table = '', joined = '' } = walked ?? {};
  const matching = isShared
    ? `SELECT ${id}, sorted_by FROM matching WHERE ${after.replace(by, 'sorted_by')}`
    : `SELECT ${id}, ${by} AS sorted_by FROM ${from} WHERE ${where} OFFSET 0`;
  const wanted = `(${rowsText}::bigint + ${passed}::bigint)`;
  const isFull = `(SELECT count(*) FROM walked) = ${wanted}`;
  return `SELECT ${columns}, (${by})::text AS sorted_by
   FROM ${from}
   WHERE ${id} IN (
     WITH walked AS MATERIALIZED (
       SELECT ${id}, ${by} AS sorted_by
       FROM (SELECT * FROM ${table} WHERE ${after} ${sort} LIMIT ${walkedMax} + 2 * ${wanted}) AS ${table} ${joined}
       WHERE ${all} ${sort} LIMIT ${wanted}
     ),
     found AS MATERIALIZED (
       SELECT ${id}, sorted_by
       FROM (${matching}) AS matching
       ${sort.replace(by, 'sorted_by')}
       LIMIT CASE WHEN ${isFull} THEN 0 ELSE ${wanted} END
     )
     SELECT ${id}
     FROM (SELECT * FROM walked WHERE ${isFull} UNION ALL SELECT * FROM found) AS either_one
     ${sort.replace(by, 'sorted_by')} LIMIT ${rowsText} OFFSET ${passed}
   )
   ${sort}`;
}
