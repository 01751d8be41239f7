import type { Throttle } from '../../access/throttle.ts';
import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../schemas/http/errors.ts';
import type {
  GroupInvite,
  NewOrgInvite,
  NewPlatformInvite,
} from '../../../schemas/resources/invite.ts';
import type { RateLeft } from '../../../schemas/http/rate-limit.ts';
import { includesRole } from '../../../schemas/roles.ts';
import { lacks } from '../../access/authorize.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { mustExist, present } from '../../http/errors.ts';
import { insertMail, orgInviteMail, platformInviteMail } from './mail.ts';
import {
  findGroupRoles,
  findOrgName,
  findUserByEmail,
  insertInviteGroups,
  insertOrgInvite,
  insertPlatformInvite,
} from './inserts-sql.ts';

/** How long invites are open, and the address that the links in their mails begin with. */
export type InviteConfig = { lifetimeSeconds: number; publicUrl: string };

/**
 * Invites a registered user to an org and, if any are named, to groups of it; returns the invite's id, and how many
 * more invites the inviter may send.
 *
 * @throws DomainError `malformed` for a group that is not in the org, `forbidden` for one that the
 * inviter is no admin of, `not_found` for an e-mail that is no user's, `conflict` for a user who is a member or
 * invited already, `too_many` as `Throttle.invite` and `Throttle.inviteTo`.
 */
export async function inviteToOrg(
  { db, invites, throttle }: { db: Database; invites: InviteConfig; throttle: Throttle },
  inviter: UserCaller,
  orgId: string,
  invite: NewOrgInvite,
): Promise<{ id: string; left: RateLeft[] }> {
  const groups = invite.group_invites ?? [];
  await requireGroups(db, inviter, orgId, groups);
  return db.transaction(async (tx) => {
    const orgName = present(await findOrgName(tx, orgId), 'org');
    const invitee = await findUserByEmail(tx, invite.email);
    if (invitee === undefined) throw new DomainError('not_found', 'user: email');
    const id = await insertInviteAndMail(tx, invites, {
      orgId,
      orgName,
      inviter,
      invitee,
      role: invite.role,
      redirectPath: invite.redirect_path,
    });
    await insertInviteGroups(tx, 'org', id, groups);
    // Only an invite that is mailed counts.
    const who = { orgId, inviterId: inviter.id, inviteeId: invitee.id };
    const left = await throttle.invite(who);
    await throttle.inviteTo(invitee.email);
    return { id, left };
  });
}

/** @throws DomainError `conflict` for a user who is a member or invited already. */
export async function insertInviteAndMail(
  tx: Statements,
  { publicUrl, lifetimeSeconds }: InviteConfig,
  invite: {
    orgId: string;
    orgName: string;
    inviter: { id: string; email: string };
    invitee: { id: string; email: string };
    role: string;
    redirectPath: string | undefined;
  },
): Promise<string> {
  const { orgId, orgName, inviter, invitee, role, redirectPath } = invite;
  const id = randomUUID();
  const expiresAt = await insertOrgInvite(tx, {
    id,
    orgId,
    inviterId: inviter.id,
    inviteeId: invitee.id,
    role,
    lifetimeSeconds,
  });
  if (expiresAt === undefined) throw new DomainError('conflict', 'email');
  const link = { publicUrl, redirectPath, inviteId: id, expiresAt };
  const what = { inviterEmail: inviter.email, orgName, role };
  await insertMail(tx, orgInviteMail(invitee.email, what, link));
  return id;
}

/**
 * Invites a person to the platform and, if one is named, to an org; returns the invite's id.
 *
 * @throws DomainError `malformed` if only one of org and role is given, or for a group that is not in
 * the org; `not_found` for an absent org; `conflict` for a person who is a user or invited already, `too_many` as
 * `Throttle.inviteTo`.
 */
export async function inviteToPlatform(
  { db, invites, throttle }: { db: Database; invites: InviteConfig; throttle: Throttle },
  inviter: UserCaller,
  invite: NewPlatformInvite,
): Promise<string> {
  const { invitee_email: inviteeEmail, org_id: orgId, role, group_invites: groups = [] } = invite;
  if (orgId === undefined && role !== undefined) {
    throw new DomainError('malformed', 'org_id is missing');
  }
  if (orgId !== undefined && role === undefined) {
    throw new DomainError('malformed', 'role is missing');
  }
  if (orgId === undefined && groups.length > 0) {
    throw new DomainError('malformed', 'group_invites: org_id is missing');
  }
  if (orgId !== undefined) {
    mustExist((await findOrgName(db, orgId)) !== undefined, 'org');
    await requireGroups(db, inviter, orgId, groups);
  }
  const id = randomUUID();
  await db.transaction(async (tx) => {
    const expiresAt = await insertPlatformInvite(tx, {
      id,
      inviterId: inviter.id,
      inviteeEmail,
      orgId: orgId ?? null,
      role: role ?? null,
      lifetimeSeconds: invites.lifetimeSeconds,
    });
    if (expiresAt === undefined) throw new DomainError('conflict', 'invitee_email');
    await insertInviteGroups(tx, 'platform', id, groups);
    const { publicUrl } = invites;
    const link = { publicUrl, redirectPath: invite.redirect_path, inviteId: id, expiresAt };
    await insertMail(tx, platformInviteMail(inviteeEmail, inviter.email, link));
    await throttle.inviteTo(inviteeEmail);
  });
  return id;
}

/** An invite to a group needs an admin of that group: a role in the org gives none in its groups. */
async function requireGroups(
  db: Database,
  inviter: UserCaller,
  orgId: string,
  groups: GroupInvite[],
): Promise<void> {
  if (groups.length === 0) return;
  const ids = new Set(groups.map((group) => group.group_id.toLowerCase()));
  if (ids.size < groups.length) {
    throw new DomainError('malformed', 'group_invites name a group twice');
  }
  const found = await findGroupRoles(db, orgId, [...ids], inviter.id);
  if (found.length < ids.size) {
    throw new DomainError('malformed', 'group_invites name a group that is not in the org');
  }
  const mayInvite = found.every(({ role }) => role !== null && includesRole(role, 'admin'));
  if (!mayInvite && !inviter.platformAdmin) throw lacks('admin', 'group');
}
