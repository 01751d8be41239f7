import { permissions, type Operation, type Requirement } from '../../../../permissions.ts';
import { includesRole, type Role } from '../../../../../schemas/roles.ts';
import { call, type Org } from '../../client/call.ts';
import { session, userIn } from '../../client/session.ts';
import { useRead } from '../../client/use-read.ts';

/** Roles that one may give to others, the least first. */
export const givenRoles = ['viewer', 'editor', 'admin'] as const;

export type GivenRole = (typeof givenRoles)[number];

export const isGiven = (role: string): role is GivenRole =>
  givenRoles.some((given) => given === role);

/** Whether one may do something in the org. */
export type May = (operation: Operation) => boolean;

/**
 * What one may do in an org, by the API's own table and one's role. Nothing that needs a role, until the role is known.
 * The API decides in any case: this is for what is better not shown.
 */
export function useMay(org: Org | undefined): May {
  const user = userIn(session.value);
  const isAsked = org !== undefined && user?.platform_admin === false;
  const reading = useRead(isAsked ? `${org.id} ${user.id}` : undefined, (signal) =>
    roleIn(org?.id ?? '', user?.id ?? '', signal),
  );
  // While that of another org is read, the one before does not count.
  const role = reading.isLoading ? undefined : reading.value;
  return (operation) => {
    const needs: Requirement = permissions[operation];
    if (needs.who === 'platformAdmin') return user?.platform_admin === true;
    if (needs.who !== 'member') return true;
    return user?.platform_admin === true || (role !== undefined && includesRole(role, needs.role));
  };
}

async function roleIn(id: string, memberId: string, signal: AbortSignal): Promise<Role> {
  return (await call('viewOrgMember', { path: { id, memberId } }, signal)).role;
}
