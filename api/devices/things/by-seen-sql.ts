import type { Role } from '../../../schemas/roles.ts';
import type { UserCaller } from '../../access/caller.ts';
import { addPlace, addReach, roleColumn, type Scope } from '../../access/reach.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { readTime } from '../../http/query/time.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';
import { readListCursor } from '../../stores/list-cursor.ts';
import { type ListPage, pageOf } from '../../stores/page.ts';
import { columns, type ListedThing, type ThingRow, toListed } from './sql.ts';

const order = 'last_seen';

/** Whether a list is sorted by when things were heard, and nothing else of a thing is asked for but its place. */
export function isBySeenAlone(scope: Scope, query: ListQuery): boolean {
  const { name = '', type = '', text = '', metadata, refused } = query;
  const others = [name, type, text, metadata ?? '', refused ?? ''];
  return scope.of !== 'profile' && query.order === order && others.every((one) => one === '');
}

/** In whole milliseconds, as times are shown: the first that is not before the given time. */
export function seenTime(name: string, given: string | number): string {
  const at = new Date(Math.ceil(Number(readTime(name, given)) / 1e6));
  return at.toISOString();
}

type Row = ThingRow & {
  role: Role;
  total: string;
  position: string | null;
  sorted_by: string;
  bytes: number | null;
};

/**
 * Things in the user's groups by when they were heard; those that never were come before all others. Their order is that of
 * the narrow tables that know it, so of a million things only these rows are sorted, and the page alone is looked up. Uses
 * `group_memberships_member`, `things_seen_group`, `things_unheard_group`, and the primary keys.
 */
export async function findBySeen(
  db: Database,
  user: UserCaller,
  scope: Scope,
  query: ListQuery,
): Promise<ListPage<ListedThing>> {
  const conditions = new Conditions();
  const { dir = 'desc', limit = limits.pageLimitDefault, total_max: totalMax } = query;
  const sources = sourcesOf(conditions, user, scope, query);
  const counted =
    totalMax === undefined
      ? sources
          .map(({ table, where }) => `(SELECT count(*) FROM ${table} WHERE ${where})`)
          .join(' + ')
      : `(SELECT count(*) FROM (${sources
          .map(({ table, where }) => `SELECT FROM ${table} WHERE ${where}`)
          .join(' UNION ALL ')} LIMIT ${conditions.bind(totalMax + 1)}) AS first)`;
  const role = roleColumn(conditions, 'things.group_id', user);
  const rows = await db.search<Row>(
    `WITH ${pickedOf(conditions, sources, { ...query, dir, limit })}
     SELECT counted.total, page.*
     FROM (SELECT ${counted} AS total) AS counted
     LEFT JOIN (
       SELECT found.*, octet_length(found::text) AS bytes
       FROM (
         SELECT ${columns}, ${role}, picked.at::text AS sorted_by, picked.position
         FROM picked JOIN things ON things.id = picked.thing_id
       ) AS found
     ) AS page ON true
     ORDER BY page.position`,
    conditions.values,
    { isHeavy: false, isLarge: limit > limits.pageLargeFrom },
  );
  const { rows: listed, ...page } = pageOf(rows, { ...query, order, dir, limit });
  return { ...page, rows: listed.map(toListed) };
}

/** A table of things in the order of when they were heard: its conditions, and the time of a row. */
type Source = { table: string; where: string; at: string };

/** Those that were never heard, and those that were. */
function sourcesOf(
  conditions: Conditions,
  user: UserCaller,
  scope: Scope,
  query: ListQuery,
): [never: Source, heard: Source] {
  const { heard, silent_since: silentSince, seen_since: seenSince } = query;
  addReach(conditions, 'in_group', user);
  addPlace(conditions, 'in_group', scope);
  const place = conditions.text;
  const bound = (name: string, operator: string, given: string | number | undefined) =>
    given === undefined ? '' : ` AND seen_at ${operator} ${conditions.bind(seenTime(name, given))}`;
  const times = bound('silent_since', '<', silentSince) + bound('seen_since', '>=', seenSince);
  const isWanted = heard !== true && seenSince === undefined;
  return [
    {
      table: 'things_unheard',
      where: isWanted ? place : 'false',
      at: `'-infinity'::timestamptz`,
    },
    {
      table: 'things_seen',
      where: heard === false ? 'false' : `${place}${times}`,
      at: 'seen_at',
    },
  ];
}

/**
 * The rows of the page, as the table `picked`. What comes first in the order is read first; the other table only where
 * that does not fill the page.
 */
function pickedOf(
  conditions: Conditions,
  sources: readonly [never: Source, heard: Source],
  query: { dir: 'asc' | 'desc'; limit: number; offset?: number; cursor?: string },
): string {
  const { dir, limit, offset = 0, cursor } = query;
  const [never, heard] = sources;
  const [first, second] = dir === 'asc' ? [never, heard] : [heard, never];
  const after = cursor === undefined ? undefined : readListCursor(cursor, { order, dir });
  const place =
    after && `(${conditions.bind(after.value)}::timestamptz, ${conditions.bind(after.id)}::uuid)`;
  const rows = conditions.bind(limit + offset);
  const sort = (at: string) => `ORDER BY ${at} ${dir}, thing_id ${dir}`;
  const take = ({ table, where, at }: Source, max: string) => `
    SELECT thing_id, ${at} AS at FROM ${table}
    WHERE ${where}${place === undefined ? '' : ` AND (${at}, thing_id) ${dir === 'asc' ? '>' : '<'} ${place}`}
    ${at === 'seen_at' ? sort(at) : `ORDER BY thing_id ${dir}`} LIMIT ${max}`;
  return `first AS MATERIALIZED (${take(first, `${rows}::bigint`)}),
    second AS MATERIALIZED (${take(second, `${rows}::bigint - (SELECT count(*) FROM first)`)}),
    picked AS MATERIALIZED (
      SELECT thing_id, at, row_number() OVER (${sort('at')}) AS position
      FROM (SELECT * FROM first UNION ALL SELECT * FROM second) AS page_rows
      ${sort('at')} LIMIT ${conditions.bind(limit)} OFFSET ${conditions.bind(offset)}
    )`;
}
