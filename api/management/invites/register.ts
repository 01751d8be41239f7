import type { Budgets } from '../../budgets/budgets.ts';
import type { Database } from '../../stores/database.ts';
import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Registration } from '../../../schemas/resources/invite.ts';
import { present } from '../../http/errors.ts';
import { hashInTurn } from '../../access/tokens/passwords.ts';
import { insertUser, isSameEmail } from '../users/sql.ts';
import { insertInviteAndMail, type InviteConfig } from './invite.ts';
import { copyInviteGroups } from './inserts-sql.ts';
import { findInvite } from './sql.ts';
import { takePlatformInvite } from './states-sql.ts';

/**
 * Creates the user who was invited. If the invite names an org, the user gets an invite to it. Returns the user's id.
 *
 * @throws DomainError `malformed` if the e-mail is not the invite's, `forbidden` if the invite is
 * not open, `conflict` if a user has the e-mail already.
 */
export async function registerByInvite(
  { db, invites, budgets }: { db: Database; invites: InviteConfig; budgets: Budgets },
  inviteId: string,
  { email, password }: Registration,
): Promise<string> {
  const { kind, invite } = present(await findInvite(db, inviteId), 'invite');
  // An invite to an org is for a person who is a user already.
  if (kind === 'org') throw new DomainError('forbidden', 'the invite is to an org');
  if (!(await isSameEmail(db, invite.invitee_email, email))) {
    throw new DomainError('malformed', 'email is not the one that was invited');
  }
  if (invite.state !== 'pending') throw notPending();

  const user = {
    id: randomUUID(),
    email: invite.invitee_email,
    passwordHash: await hashInTurn(budgets, password),
    metadata: {},
  };
  await db.transaction(async (tx) => {
    const taken = await takePlatformInvite(tx, inviteId);
    if (taken === undefined) throw notPending();
    await insertUser(tx, user);
    const { org_id: orgId, org_name: orgName, role } = taken;
    if (orgId === null || orgName === null || role === null) return;
    const id = await insertInviteAndMail(tx, invites, {
      orgId,
      orgName,
      inviter: { id: taken.inviter_id, email: taken.inviter_email },
      invitee: user,
      role,
      redirectPath: undefined,
    });
    await copyInviteGroups(tx, inviteId, id);
  });
  return user.id;
}

const notPending = () => new DomainError('forbidden', 'the invite is not pending');
