import type { GroupInvite } from '../../../schemas/resources/invite.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { Statements } from '../../stores/database.ts';

/** The groups of these that are in the org, with the user's role in each. Uses primary keys. */
export async function findGroupRoles(
  db: Statements,
  orgId: string,
  groupIds: string[],
  userId: string,
): Promise<{ id: string; role: Role | null }[]> {
  return db.rows<{ id: string; role: Role | null }>(
    `SELECT groups.id, member.role
     FROM groups
     LEFT JOIN group_memberships AS member
       ON member.group_id = groups.id AND member.member_id = $3
     WHERE groups.id = ANY ($2::uuid[]) AND groups.org_id = $1`,
    [orgId, groupIds, userId],
  );
}

/** Uses `users_email`. */
export async function findUserByEmail(
  db: Statements,
  email: string,
): Promise<{ id: string; email: string } | undefined> {
  const [row] = await db.rows<{ id: string; email: string }>(
    'SELECT id, email FROM users WHERE email_name(email) = email_name($1)',
    [email],
  );
  return row;
}

/** Uses the primary key. */
export async function findOrgName(db: Statements, id: string): Promise<string | undefined> {
  const [row] = await db.rows<{ name: string }>('SELECT name FROM orgs WHERE id = $1', [id]);
  return row?.name;
}

type OrgInviteToInsert = {
  id: string;
  orgId: string;
  inviterId: string;
  inviteeId: string;
  role: string;
  lifetimeSeconds: number;
};

/**
 * Creates an org invite in place of an expired one; returns when it will expire, `undefined` if the
 * invitee is a member already. Uses `org_invites_pending`.
 */
export async function insertOrgInvite(
  db: Statements,
  invite: OrgInviteToInsert,
): Promise<Date | undefined> {
  const { id, orgId, inviterId, inviteeId, role, lifetimeSeconds } = invite;
  await db.rows(
    `UPDATE org_invites SET state = 'expired'
     WHERE org_id = $1 AND invitee_id = $2 AND state = 'pending' AND expires_at <= now()`,
    [orgId, inviteeId],
  );
  const [row] = await db.rows<{ expires_at: Date }>(
    `INSERT INTO org_invites (id, org_id, inviter_id, invitee_id, role, expires_at)
     SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::text, now() + make_interval(secs => $6)
     WHERE NOT EXISTS (
       SELECT 1 FROM org_memberships WHERE org_id = $2::uuid AND member_id = $4::uuid
     )
     RETURNING expires_at`,
    [id, orgId, inviterId, inviteeId, role, lifetimeSeconds],
  );
  return row?.expires_at;
}

type PlatformInviteToInsert = {
  id: string;
  inviterId: string;
  inviteeEmail: string;
  orgId: string | null;
  role: string | null;
  lifetimeSeconds: number;
};

/**
 * Creates a platform invite in place of an expired one; returns when it will expire, `undefined` if the
 * e-mail is a user's already. Uses `platform_invites_pending` and `users_email`.
 */
export async function insertPlatformInvite(
  db: Statements,
  invite: PlatformInviteToInsert,
): Promise<Date | undefined> {
  const { id, inviterId, inviteeEmail, orgId, role, lifetimeSeconds } = invite;
  await db.rows(
    `UPDATE platform_invites SET state = 'expired'
     WHERE email_name(invitee_email) = email_name($1) AND state = 'pending' AND expires_at <= now()`,
    [inviteeEmail],
  );
  const [row] = await db.rows<{ expires_at: Date }>(
    `INSERT INTO platform_invites (id, inviter_id, invitee_email, org_id, role, expires_at)
     SELECT $1::uuid, $2::uuid, $3::text, $4::uuid, $5::text, now() + make_interval(secs => $6)
     WHERE NOT EXISTS (SELECT 1 FROM users WHERE email_name(email) = email_name($3::text))
     RETURNING expires_at`,
    [id, inviterId, inviteeEmail, orgId, role, lifetimeSeconds],
  );
  return row?.expires_at;
}

const groupTables = { org: 'org_invite_groups', platform: 'platform_invite_groups' } as const;

export async function insertInviteGroups(
  db: Statements,
  kind: keyof typeof groupTables,
  inviteId: string,
  groups: GroupInvite[],
): Promise<void> {
  await db.rows(
    `INSERT INTO ${groupTables[kind]} (invite_id, group_id, role)
     SELECT $1, group_id, role FROM unnest($2::uuid[], $3::text[]) AS given (group_id, role)`,
    [inviteId, groups.map((group) => group.group_id), groups.map((group) => group.member_role)],
  );
}

/** Uses the primary keys of the two tables. */
export async function copyInviteGroups(
  db: Statements,
  platformInviteId: string,
  orgInviteId: string,
): Promise<void> {
  await db.rows(
    `INSERT INTO org_invite_groups (invite_id, group_id, role)
     SELECT $2, group_id, role FROM platform_invite_groups WHERE invite_id = $1`,
    [platformInviteId, orgInviteId],
  );
}
