import { DomainError } from '../../../schemas/http/errors.ts';
import { includesRole } from '../../../schemas/roles.ts';
import type { UserCaller } from '../../access/caller.ts';
import { findRole } from '../../access/sql.ts';
import type { Database } from '../../stores/database.ts';
import { mustExist } from '../../http/errors.ts';
import { isSameEmail, userExists } from '../users/sql.ts';
import { type FoundInvite, findInvite } from './sql.ts';

/** The invitee, the inviter, the org's admins and the platform admin see an invite. */
export async function maySee(
  db: Database,
  user: UserCaller,
  { invite, inviterId, orgId }: FoundInvite,
): Promise<boolean> {
  if (user.platformAdmin || inviterId === user.id) return true;
  if (await isSameEmail(db, invite.invitee_email, user.email)) return true;
  if (orgId === null) return false;
  const role = await findRole(db, 'org', orgId, user.id);
  return role !== undefined && role !== null && includesRole(role, 'admin');
}

/**
 * Says why a change was refused: the invite does not exist, is not the caller's, or is no longer open. A caller who may
 * not see the invite is not told which. `needed` names whose invite it must be.
 *
 * @throws DomainError `not_found` or `forbidden`.
 */
export async function refuse(
  db: Database,
  inviteId: string,
  needed: 'invitee' | 'inviter',
): Promise<never> {
  mustExist((await findInvite(db, inviteId)) !== undefined, 'invite');
  throw new DomainError('forbidden', `needs the ${needed}, while the invite is pending`);
}

/** @throws DomainError unless the path names the caller, or a user and the caller is platform admin. */
export async function requireSelf(db: Database, user: UserCaller, id: string): Promise<void> {
  if (id.toLowerCase() === user.id) return;
  mustExist(await userExists(db, id), 'user');
  if (!user.platformAdmin) throw new DomainError('forbidden', 'needs that user');
}
