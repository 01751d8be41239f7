import { DomainError } from '../../schemas/errors.ts';
import type { Role } from '../../schemas/roles.ts';
import type { Caller } from '../access/caller.ts';
import { requireRole } from '../access/authorize.ts';
import type { Database } from '../database.ts';

/** The things whose messages a request may touch; `all` is the platform admin's. */
export type Reach = 'all' | readonly string[];

/**
 * Bounds a query by its caller: a user by the groups where they have at least `role`, a thing by itself.
 *
 * @throws DomainError `forbidden` for somebody else's publisher, `notFound` for an absent one.
 */
export async function reachOf(
  db: Database,
  caller: Caller,
  publisher: string | undefined,
  role: Role,
): Promise<Reach> {
  const named = publisher?.toLowerCase();
  if (caller.kind === 'thing') {
    if (named !== undefined && named !== caller.id) throw new DomainError('forbidden');
    return [caller.id];
  }
  if (named !== undefined) {
    await requireRole(db, caller, role, 'thing', named);
    return [named];
  }
  return caller.platformAdmin ? 'all' : findThingsOfMember(db, caller.id, rolesFrom[role]);
}

const rolesFrom: Readonly<Record<Role, readonly Role[]>> = {
  viewer: ['viewer', 'editor', 'admin', 'owner'],
  editor: ['editor', 'admin', 'owner'],
  admin: ['admin', 'owner'],
  owner: ['owner'],
};

/** Leans on `group_memberships_member`, `things_group`. */
async function findThingsOfMember(
  db: Database,
  userId: string,
  roles: readonly Role[],
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    `SELECT things.id
     FROM group_memberships
     JOIN things ON things.group_id = group_memberships.group_id
     WHERE group_memberships.member_id = $1 AND group_memberships.role = ANY ($2)`,
    [userId, roles],
  );
  return rows.map((row) => row.id);
}
