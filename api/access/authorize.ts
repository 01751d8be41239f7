import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../schemas/http/errors.ts';
import { includesRole, type Role } from '../../schemas/roles.ts';
import { pathIdOf } from '../http/path-id.ts';
import { type EntityKind, entityPlaces, type Requirement } from '../http/requirement.ts';
import type { Statements } from '../stores/database.ts';
import { type UserCaller, userOf } from './caller.ts';
import { findRole } from './sql.ts';

/**
 * Checks the request by its row of the permission table; gives the caller's role at the entity of its path.
 *
 * @throws DomainError `not_found` if the entity is absent, `forbidden` if the role or the user does
 * not suffice, `malformed` if the path's id is none.
 */
export async function authorize(
  db: Statements,
  requirement: Requirement,
  request: FastifyRequest,
): Promise<Role | null> {
  if (requirement.kind === 'platformAdmin' && !userOf(request).platformAdmin) {
    throw new DomainError('forbidden', 'needs the platform admin');
  }
  if (requirement.kind !== 'member') return null;
  return requireRole(
    db,
    userOf(request),
    requirement.role,
    requirement.of,
    pathIdOf(request.params),
  );
}

/** The role from which a thing's keys show, and a webhook's secret. */
export const keysShowFrom: Role = 'editor';

/** The refusal of who has too small a role, or none, where entities of a kind are. */
export function lacks(needed: Role, kind: EntityKind): DomainError {
  return new DomainError('forbidden', `needs ${needed} in the ${entityPlaces[kind]}`);
}

/** The user's role where the entity is, if it is at least `needed`. The platform admin may do all. */
export async function requireRole(
  db: Statements,
  user: UserCaller,
  needed: Role,
  kind: EntityKind,
  entityId: string,
): Promise<Role> {
  const role = await findRole(db, kind, entityId, user.id);
  if (role === undefined) throw new DomainError('not_found', kind);
  if (user.platformAdmin) return 'owner';
  if (role === null || !includesRole(role, needed)) throw lacks(needed, kind);
  return role;
}
