import { DomainError } from '../../../schemas/http/errors.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { Caller } from '../../access/caller.ts';
import { requireRole } from '../../access/authorize.ts';
import type { Database } from '../../stores/database.ts';
import type { Publishers } from './publishers.ts';

/**
 * The things whose messages a request may read or delete: named ones, those of groups, or, for the platform admin,
 * all. Which things a group has is in ClickHouse.
 */
export type Reach = { kind: 'all' } | BoundedReach;

export type BoundedReach =
  | { kind: 'publishers'; publishers: readonly string[] }
  | { kind: 'groups'; groups: readonly string[] };

export type ReachDependencies = { db: Database; publishers: Publishers };

/** Whether no message can be in reach. */
export function isEmpty(reach: Reach): boolean {
  if (reach.kind === 'all') return false;
  return reach.kind === 'groups' ? reach.groups.length === 0 : reach.publishers.length === 0;
}

/** Whether it is a single thing. */
export function isOneThing(reach: Reach): boolean {
  return reach.kind === 'publishers' && reach.publishers.length === 1;
}

/**
 * The messages that a caller may read or delete: a thing its own, a user those of the groups where they have at least
 * `role`. Every query of ClickHouse after this call sees what changed in these groups before it.
 *
 * @throws DomainError `forbidden` for somebody else's publisher, `not_found` for an absent one.
 */
export async function reachOf(
  { db, publishers }: ReachDependencies,
  caller: Caller,
  publisher: string | undefined,
  role: Role,
): Promise<Reach> {
  const named = publisher?.toLowerCase();
  if (caller.kind === 'thing') {
    if (named !== undefined && named !== caller.id) {
      throw new DomainError('forbidden', 'a thing reads its own messages alone');
    }
    return { kind: 'publishers', publishers: [caller.id] };
  }
  if (named !== undefined) {
    await requireRole(db, caller, role, 'thing', named);
    return { kind: 'publishers', publishers: [named] };
  }
  if (caller.platformAdmin) return { kind: 'all' };
  const groups = await findGroupsOfMember(db, caller.id, rolesFrom[role]);
  await publishers.catchUp(groups.filter(({ changed }) => changed).map(({ id }) => id));
  return { kind: 'groups', groups: groups.map(({ id }) => id) };
}

const rolesFrom: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer', 'editor', 'admin', 'owner'],
  editor: ['editor', 'admin', 'owner'],
  admin: ['admin', 'owner'],
  owner: ['owner'],
};

/**
 * The groups, and whether ClickHouse still lacks changes of their things, as of one moment. Uses
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

/** Whether all these publishers are in reach now. Uses the primary key of things. */
export async function reachesAll(
  db: Database,
  reach: Reach,
  publishers: readonly string[],
): Promise<boolean> {
  if (reach.kind === 'all') return true;
  const distinct = [...new Set(publishers)];
  if (reach.kind === 'publishers') return distinct.every((id) => reach.publishers.includes(id));
  const [row] = await db.rows<{ count: number }>(
    `SELECT count(*)::int AS count FROM things
     WHERE id = ANY ($1::uuid[]) AND group_id = ANY ($2::uuid[])`,
    [distinct, reach.groups],
  );
  return row?.count === distinct.length;
}
