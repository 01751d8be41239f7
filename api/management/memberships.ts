import { DomainError } from '../../schemas/http/errors.ts';
import type { AssignableRole, Role } from '../../schemas/roles.ts';

/** A member as they stand in an org or a group. */
export type FoundMember = { member_id: string; role: Role };

/** New members as they were given, each with a role: who gives none makes a viewer. */
export function withRoles<Given extends { role?: AssignableRole | '' | undefined }>(
  given: readonly Given[],
): (Given & { role: AssignableRole })[] {
  return given.map((one) => ({ ...one, role: one.role || 'viewer' }));
}

/** A member's row as it shows. */
export function toMembership<Row extends { created_at: Date; updated_at: Date }>(row: Row) {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The members a request names, each once. */
export function distinct(memberIds: readonly string[]): string[] {
  return [...new Set(memberIds.map((id) => id.toLowerCase()))];
}

/**
 * Holds what both kinds of memberships promise when members go or get another role.
 *
 * @throws DomainError `not_found` where one of those named is no member, `forbidden` where one is an owner.
 */
export function mustBeChangeable(named: readonly string[], found: readonly FoundMember[]): void {
  if (found.length < named.length) throw new DomainError('not_found', 'member');
  mustKeepOwners(found);
}

/** @throws DomainError `forbidden` where one of them is an owner. */
export function mustKeepOwners(found: readonly Pick<FoundMember, 'role'>[]): void {
  if (found.some(({ role }) => role === 'owner')) {
    throw new DomainError('forbidden', 'an owner stays what they are');
  }
}

/** @throws DomainError `malformed` where a request gives one member two roles. */
export function mustNameOnce(field: string, memberIds: readonly string[]): void {
  if (distinct(memberIds).length < memberIds.length) {
    throw new DomainError('malformed', `${field} names a member twice`);
  }
}
