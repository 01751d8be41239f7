import type { FastifyRequest } from 'fastify';
import { Value } from 'typebox/value';
import { DomainError } from '../../schemas/errors.ts';
import { includesRole, type Role } from '../../schemas/roles.ts';
import type { Database } from '../database.ts';
import type { EntityKind, Requirement } from '../permissions.ts';
import { IdParams } from '../shapes.ts';
import { type UserCaller, userOf } from './caller.ts';
import { findRole } from './sql.ts';

/**
 * Holds the request against its row of the permission table; gives the caller's role there.
 *
 * @throws DomainError `notFound` where the entity is absent, `forbidden` where the role or the user does
 * not do.
 */
export async function authorize(
  db: Database,
  requirement: Requirement,
  request: FastifyRequest,
): Promise<Role | null> {
  const takesAdmin = requirement.who === 'platformAdmin' || requirement.who === 'queueAdmin';
  if (takesAdmin && !userOf(request).platformAdmin) {
    throw new DomainError('forbidden');
  }
  if (requirement.who !== 'member') return null;
  const { id } = Value.Parse(IdParams, request.params);
  return requireRole(db, userOf(request), requirement.role, requirement.of, id);
}

/** The user's role where the entity is, if it is at least `needed`. The platform admin may do all. */
export async function requireRole(
  db: Database,
  user: UserCaller,
  needed: Role,
  kind: EntityKind,
  entityId: string,
): Promise<Role> {
  const role = await findRole(db, kind, entityId, user.id);
  if (role === undefined) throw new DomainError('notFound');
  if (user.platformAdmin) return 'owner';
  if (role === null || !includesRole(role, needed)) throw new DomainError('forbidden');
  return role;
}
