import { needs as needsOf } from '../../../schemas/client/generated/routes.ts';
import type { OperationName } from '../../../schemas/client/generated/types.ts';
import { includesRole, type Role } from '../../../schemas/role-order.ts';
import { call } from './client/call.ts';
import { session, type User, userIn } from './client/session.ts';
import { useRead } from './client/use-read.ts';

/** Roles that one may give to others, the least first. */
export const givenRoles = ['viewer', 'editor', 'admin'] as const;

export type GivenRole = (typeof givenRoles)[number];

export const isGiven = (role: string): role is GivenRole =>
  givenRoles.some((given) => given === role);

/** Where one has a role: an org, or a group, in which the role in its org says nothing. */
export type RolePlace = { of: 'org' | 'group'; id: string };

/** Whether one may do something in a place. */
export type May = (operation: OperationName) => boolean;

/**
 * Says what one may do in a place, by the API's own table and one's role. Until the role is known, that is nothing that
 * needs one. The API decides in any case: this is for what is better not shown.
 */
export function useMay(place: RolePlace | undefined): May {
  const user = userIn(session.value);
  const asked =
    place === undefined || user === undefined || user.platform_admin ? undefined : { place, user };
  const key = asked && `${asked.place.of} ${asked.place.id} ${asked.user.id}`;
  const reading = useRead(key, async (signal) =>
    asked === undefined ? undefined : roleIn(asked.place, asked.user, signal),
  );
  // While that of another place is read, the one before does not count.
  const role = reading.isLoading ? undefined : reading.value;
  return (operation) => {
    const needs = needsOf[operation];
    if (needs.kind === 'platformAdmin') return user?.platform_admin === true;
    if (needs.kind !== 'member') return true;
    return user?.platform_admin === true || (role !== undefined && includesRole(role, needs.role));
  };
}

/** The same, in several groups at once. */
export function useMayIn(
  groups: readonly string[],
): (group: string, operation: OperationName) => boolean {
  const user = userIn(session.value);
  const ids = [...new Set(groups)].toSorted();
  const isKnown = user === undefined || user.platform_admin || ids.length === 0;
  const { value: roles } = useRead(
    isKnown ? undefined : `${user.id} ${ids.join()}`,
    async (signal) => (user === undefined ? undefined : rolesIn(ids, user, signal)),
  );
  return (group, operation) => {
    const needs = needsOf[operation];
    if (user?.platform_admin === true || needs.kind !== 'member') return true;
    const role = roles?.get(group);
    return role !== undefined && includesRole(role, needs.role);
  };
}

async function rolesIn(ids: readonly string[], user: User, signal: AbortSignal) {
  const roles = await Promise.all(ids.map((id) => roleIn({ of: 'group', id }, user, signal)));
  return new Map(ids.map((id, at) => [id, roles[at]]));
}

/** One's role in a place; undefined for who has none. */
export async function roleIn(
  { of, id }: RolePlace,
  { id: memberId, email }: User,
  signal: AbortSignal,
): Promise<Role | undefined> {
  if (of === 'org') return (await call('viewOrgMember', { path: { id, memberId } }, signal)).role;
  // Others may have an address that holds this one.
  const request = { path: { id }, query: { email, limit: 200 } };
  const { group_memberships: members } = await call('listGroupMembers', request, signal);
  return members.find((member) => member.member_id === memberId)?.role;
}
