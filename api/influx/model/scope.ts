import { DomainError } from '../../../schemas/http/errors.ts';
import type { UserCaller } from '../../access/caller.ts';
import { limits } from '../../limits.ts';
import type { Publishers } from '../../messages/reach/publishers.ts';
import type { BoundedReach } from '../../messages/reach/reach.ts';
import type { Database } from '../../stores/database.ts';
import { isUuid } from './tag-test.ts';

/** A database, which is an org, as a statement may see it: the things of those of its groups that the caller is in. */
export type Scope = {
  groups: readonly { id: string; name: string }[];
  reach: BoundedReach;
  /** The ids of the profiles in these groups that have the name of a measurement, for each that was asked for. */
  profiles: ReadonlyMap<string, readonly string[]>;
};

export type ScopeDependencies = { db: Database; publishers: Publishers };

/**
 * The names of the databases that the caller may read, each once: where two orgs have one name, the ids of both. Uses
 * `org_memberships_first` and the primary key of orgs.
 */
export async function findDatabases(db: Database, caller: UserCaller): Promise<string[]> {
  const rows = await db.rows<{ id: string; name: string }>(
    `SELECT id, name FROM orgs
     WHERE $2 OR id IN (SELECT org_id FROM org_memberships WHERE member_id = $1)
     ORDER BY name, id LIMIT $3`,
    [caller.id, caller.platformAdmin, limits.databasesShownMax],
  );
  const named = Map.groupBy(rows, ({ name }) => name);
  return rows.map(({ id, name }) => (named.get(name)?.length === 1 ? name : id));
}

/**
 * The org of this name or id, among those that the caller is in; the platform admin is in all. Every query of
 * ClickHouse after this call sees what changed in its groups before it. `measurements`: whose profiles are looked up. A
 * few things are named: ClickHouse finds those of groups for a millisecond.
 *
 * @throws DomainError `not_found` in InfluxDB's words
 */
export async function openScope(
  { db, publishers }: ScopeDependencies,
  caller: UserCaller,
  database: string,
  measurements: readonly string[],
): Promise<Scope> {
  const [first, ...others] = await findScope(db, caller, database, measurements);
  if (first === undefined) throw new DomainError('not_found', `database not found: ${database}`);
  const groups = [first, ...others].filter(isGroup);
  await publishers.catchUp(groups.filter(({ changed }) => changed).map(({ id }) => id));
  const found = groups.flatMap(({ profiles }) => profiles);
  const ids = (measurement: string) =>
    found.filter(({ name }) => name === measurement).map(({ id }) => id);
  return {
    groups,
    reach: reachIn(groups),
    profiles: new Map(measurements.map((measurement) => [measurement, ids(measurement)])),
  };
}

function reachIn(groups: readonly Group[]): BoundedReach {
  const things = groups.flatMap((group) => group.things ?? []);
  const areFew =
    things.length <= limits.scopeThingsMax && groups.every((group) => group.things !== null);
  return areFew
    ? { kind: 'publishers', publishers: things }
    : { kind: 'groups', groups: groups.map(({ id }) => id) };
}

type Group = {
  id: string;
  name: string;
  changed: boolean;
  /** One more than the limit tells that there are too many; null where there are too many groups to look. */
  things: readonly string[] | null;
  profiles: readonly { id: string; name: string }[];
};
type NoGroup = { [Name in keyof Group]: Group[Name] | null };

const isGroup = (row: Group | NoGroup): row is Group => row.id !== null;

/**
 * The groups of an org: one row without a group if there is none, and no row if there is no org. An id comes before a
 * name; of several with one name, the one joined first. One statement, as each costs a reader half a millisecond. Uses
 * `org_memberships_first`, the primary keys of orgs and of memberships, `groups_name`, `publisher_changes_group`,
 * `things_group` and `profiles_name`.
 */
async function findScope(
  db: Database,
  caller: UserCaller,
  database: string,
  measurements: readonly string[],
): Promise<(Group | NoGroup)[]> {
  return db.rows(
    `WITH org AS (
       SELECT id FROM orgs LEFT JOIN org_memberships AS member
         ON member.org_id = orgs.id AND member.member_id = $1
       WHERE (id = $4 OR name = $3) AND ($2 OR member.member_id IS NOT NULL)
       ORDER BY id = $4 DESC NULLS LAST, member.created_at, id LIMIT 1
     )
     SELECT groups.id, groups.name,
            EXISTS (SELECT FROM publisher_changes WHERE group_id = groups.id) AS changed,
            CASE WHEN count(*) OVER () <= $6
                 THEN ARRAY(SELECT id::text FROM things WHERE group_id = groups.id LIMIT $6 + 1)
                 END AS things,
            ARRAY(SELECT jsonb_build_object('id', id, 'name', name) FROM profiles
                  WHERE group_id = groups.id AND name = ANY ($5::text[])
                    AND name_hash(name) = ANY (ARRAY(SELECT name_hash(unnest($5::text[])))))
              AS profiles
     FROM org LEFT JOIN groups ON groups.org_id = org.id AND ($2 OR EXISTS (
       SELECT FROM group_memberships WHERE group_id = groups.id AND member_id = $1))
     ORDER BY groups.name`,
    [
      caller.id,
      caller.platformAdmin,
      database,
      isUuid(database) ? database.toLowerCase() : null,
      measurements,
      limits.scopeThingsMax,
    ],
    'scope',
  );
}
