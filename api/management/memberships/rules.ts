import { DomainError } from '../../../schemas/http/errors.ts';
import type { AssignableRole } from '../../../schemas/roles.ts';
import type { FoundMember } from './sql.ts';

/** New members as they were given, each with a role: without one, a viewer. */
export function withRoles<Given extends { role?: AssignableRole | '' | undefined }>(
  given: readonly Given[],
): (Given & { role: AssignableRole })[] {
  return given.map((one) => ({ ...one, role: one.role || 'viewer' }));
}

/** The members a request names, each once. */
export function distinct(memberIds: readonly string[]): string[] {
  return [...new Set(memberIds.map((id) => id.toLowerCase()))];
}

/**
 * Checks members who are to be removed or to get another role.
 *
 * @throws DomainError `not_found` if one of those named is no member, `forbidden` if one is an owner.
 */
export function mustBeChangeable(named: readonly string[], found: readonly FoundMember[]): void {
  if (found.length < named.length) throw new DomainError('not_found', 'member');
  mustKeepOwners(found);
}

/** @throws DomainError `forbidden` if one of them is an owner. */
export function mustKeepOwners(found: readonly Pick<FoundMember, 'role'>[]): void {
  if (found.some(({ role }) => role === 'owner')) {
    throw new DomainError('forbidden', 'an owner stays what they are');
  }
}

/** @throws DomainError `malformed` if a request gives one member two roles. */
export function mustNameOnce(field: string, memberIds: readonly string[]): void {
  if (distinct(memberIds).length < memberIds.length) {
    throw new DomainError('malformed', `${field} names a member twice`);
  }
}
