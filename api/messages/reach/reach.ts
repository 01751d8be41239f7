import type { Publishers } from './publishers.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { Caller } from '../../access/caller.ts';
import { requireRole } from '../../access/authorize.ts';
import type { Database } from '../../stores/database.ts';

/**
 * The things whose messages a request may touch: those that are named, those of groups, or `all`, which is
 * the platform admin's. ClickHouse knows which things a group has.
 */
export type Reach = 'all' | { publishers: readonly string[] } | { groups: readonly string[] };

export type ReachParts = { db: Database; publishers: Publishers };

/** Whether there can be nothing in it. */
export function isEmpty(reach: Reach): boolean {
  if (reach === 'all') return false;
  return 'groups' in reach ? reach.groups.length === 0 : reach.publishers.length === 0;
}

/**
 * Bounds a query by its caller: a user by the groups where they have at least `role`, a thing by itself. What
 * changed in these groups before the call holds for a query of ClickHouse after it.
 *
 * @throws DomainError `forbidden` for somebody else's publisher, `not_found` for an absent one.
 */
export async function reachOf(
  { db, publishers }: ReachParts,
  caller: Caller,
  publisher: string | undefined,
  role: Role,
): Promise<Reach> {
  const named = publisher?.toLowerCase();
  if (caller.kind === 'thing') {
    if (named !== undefined && named !== caller.id) {
      throw new DomainError('forbidden', 'a thing reads its own messages alone');
    }
    return { publishers: [caller.id] };
  }
  if (named !== undefined) {
    await requireRole(db, caller, role, 'thing', named);
    return { publishers: [named] };
  }
  if (caller.platformAdmin) return 'all';
  const groups = await findGroupsOfMember(db, caller.id, rolesFrom[role]);
  await publishers.settle(groups.filter(({ changed }) => changed).map(({ id }) => id));
  return { groups: groups.map(({ id }) => id) };
}

const rolesFrom: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer', 'editor', 'admin', 'owner'],
  editor: ['editor', 'admin', 'owner'],
  admin: ['admin', 'owner'],
  owner: ['owner'],
};

/**
 * The groups, and whether their things changed without ClickHouse's knowledge, as of one moment. Leans on
 * `group_memberships_member`, `publisher_changes_group`.
 */
async function findGroupsOfMember(
  db: Database,
  userId: string,
  roles: readonly Role[],
): Promise<{ id: string; changed: boolean }[]> {
  return db.rows(
    `SELECT group_id AS id,
            EXISTS (SELECT FROM publisher_changes
                    WHERE publisher_changes.group_id = group_memberships.group_id) AS changed
     FROM group_memberships
     WHERE member_id = $1 AND role = ANY ($2)
     ORDER BY group_id`,
    [userId, roles],
  );
}

/** Whether all these publishers are in reach now. Leans on the primary key of things. */
export async function reachesAll(
  db: Database,
  reach: Reach,
  publishers: readonly string[],
): Promise<boolean> {
  if (reach === 'all') return true;
  const distinct = [...new Set(publishers)];
  if ('publishers' in reach) return distinct.every((id) => reach.publishers.includes(id));
  const [row] = await db.rows<{ count: number }>(
    `SELECT count(*)::int AS count FROM things
     WHERE id = ANY ($1::uuid[]) AND group_id = ANY ($2::uuid[])`,
    [distinct, reach.groups],
  );
  return row?.count === distinct.length;
}
