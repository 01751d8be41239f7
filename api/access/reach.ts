import { pathIdOf } from '../http/path-id.ts';
import type { Requirement } from '../http/requirement.ts';
import type { Conditions } from '../stores/conditions.ts';
import type { UserCaller } from './caller.ts';

/** Where a list or a search looks: everywhere, or in the one entity its path names. */
export type Scope = { of: 'all' } | { of: 'org' | 'group' | 'profile'; id: string };

/** The scope of a request: the entity in which its operation needs a role, or everywhere. */
export function scopeOf(needs: Requirement, params: unknown): Scope {
  if (needs.kind !== 'member') return { of: 'all' };
  const { of } = needs;
  if (of === 'org' || of === 'group' || of === 'profile') return { of, id: pathIdOf(params) };
  throw new Error(`nothing is listed of a ${of}`);
}

/**
 * Bounds a list of what stands in groups, by the column that names the group: only what is in groups the
 * user is in, all of it for the platform admin. Uses `group_memberships_member`.
 */
export function addReach(conditions: Conditions, groupColumn: string, user: UserCaller): void {
  if (user.platformAdmin) return;
  const member = conditions.bind(user.id);
  conditions.add(
    `${groupColumn} IN (SELECT group_id FROM group_memberships WHERE member_id = ${member})`,
  );
}

/**
 * The user's role in the group of a row, as a column: what shows of a row depends on it. It is looked up for the
 * rows of the page only, by the primary key of memberships.
 */
export function roleColumn(conditions: Conditions, groupColumn: string, user: UserCaller): string {
  if (user.platformAdmin) return `'owner' AS role`;
  const member = conditions.bind(user.id);
  return `(SELECT role FROM group_memberships AS member
           WHERE member.group_id = ${groupColumn} AND member.member_id = ${member}) AS role`;
}

/** Bounds such a list to the org or the group of its path. Uses `groups_name`. */
export function addPlace(conditions: Conditions, groupColumn: string, scope: Scope): void {
  if (scope.of === 'group') conditions.add(`${groupColumn} = ${conditions.bind(scope.id)}`);
  if (scope.of !== 'org') return;
  const org = conditions.bind(scope.id);
  conditions.add(`${groupColumn} IN (SELECT id FROM groups WHERE org_id = ${org})`);
}
