import type {
  GroupInvite,
  inviteOrders,
  OrgInvite,
  PlatformInvite,
} from '../../../schemas/resources/invite.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { Database, Statements } from '../../stores/database.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type PlatformInviteRow = {
  id: string;
  invitee_email: string;
  state: PlatformInvite['state'];
  created_at: Date;
  expires_at: Date;
};

type OrgInviteRow = PlatformInviteRow & {
  invitee_id: string;
  inviter_id: string;
  inviter_email: string;
  org_id: string;
  org_name: string;
  invitee_role: OrgInvite['invitee_role'];
};

/** A pending invite whose time is over has expired, though no row says so. */
const state = `CASE WHEN invite.state = 'pending' AND invite.expires_at <= now() THEN 'expired'
  ELSE invite.state END`;
const stillOpen = `state = 'pending' AND expires_at > now()`;

const orgInvites = {
  columns: `invite.id, invite.invitee_id, invitee.email AS invitee_email, invite.inviter_id,
    inviter.email AS inviter_email, invite.org_id, orgs.name AS org_name,
    invite.role AS invitee_role, ${state} AS state, invite.created_at, invite.expires_at`,
  from: `org_invites AS invite
    JOIN orgs ON orgs.id = invite.org_id
    JOIN users AS inviter ON inviter.id = invite.inviter_id
    JOIN users AS invitee ON invitee.id = invite.invitee_id`,
};

const platformInvites = {
  columns: `invite.id, invite.invitee_email, ${state} AS state, invite.created_at,
    invite.expires_at`,
  from: 'platform_invites AS invite',
};

const orders: Readonly<Record<(typeof inviteOrders)[number], string>> = {
  id: 'invite.id',
  created_at: 'invite.created_at',
  expires_at: 'invite.expires_at',
};

/** Which of the lists of org invites, and whose. */
export type OrgInvitesOf = { of: 'org' | 'invitee' | 'inviter'; id: string };

const places = {
  org: { column: 'invite.org_id', otherEmail: 'invitee.email' },
  invitee: { column: 'invite.invitee_id', otherEmail: 'inviter.email' },
  inviter: { column: 'invite.inviter_id', otherEmail: 'invitee.email' },
} as const;

/** Uses `org_invites_org`, `org_invites_invitee`, `org_invites_inviter`. */
export async function findOrgInvites(
  db: Database,
  whose: OrgInvitesOf,
  query: ListQuery,
): Promise<ListPage<OrgInvite>> {
  const { column, otherEmail } = places[whose.of];
  const conditions = new Conditions();
  conditions.equals(column, whose.id);
  conditions.equals(state, query.state);
  conditions.equals('invite.role', query.role);
  conditions.containsText(otherEmail, query.email);
  const list = { ...orgInvites, conditions, orders, id: 'invite.id' };
  const { total, rows } = await findPage<OrgInviteRow>(db, list, query);
  return { total, rows: rows.map(toOrgInvite) };
}

/** All there are: a platform's invites are few. */
export async function findPlatformInvites(
  db: Database,
  query: ListQuery,
): Promise<ListPage<PlatformInvite>> {
  const conditions = new Conditions();
  conditions.equals(state, query.state);
  conditions.containsText('invite.invitee_email', query.email);
  const list = { ...platformInvites, conditions, orders, id: 'invite.id' };
  const { total, rows } = await findPage<PlatformInviteRow>(db, list, query);
  return { total, rows: rows.map(toPlatformInvite) };
}

/** An invite of either kind as it shows, and what decides who may see it. */
export type FoundInvite = {
  invite: OrgInvite | PlatformInvite;
  inviterId: string;
  orgId: string | null;
};

/** Uses the primary keys. */
export async function findInvite(db: Statements, id: string): Promise<FoundInvite | undefined> {
  const [org] = await db.rows<OrgInviteRow>(
    `SELECT ${orgInvites.columns} FROM ${orgInvites.from} WHERE invite.id = $1`,
    [id],
  );
  if (org !== undefined) {
    return { invite: toOrgInvite(org), inviterId: org.inviter_id, orgId: org.org_id };
  }
  const [platform] = await db.rows<
    PlatformInviteRow & { inviter_id: string; org_id: string | null }
  >(
    `SELECT ${platformInvites.columns}, invite.inviter_id, invite.org_id
     FROM ${platformInvites.from} WHERE invite.id = $1`,
    [id],
  );
  return (
    platform && {
      invite: toPlatformInvite(platform),
      inviterId: platform.inviter_id,
      orgId: platform.org_id,
    }
  );
}

/**
 * Makes the invitee a member of the org and of the groups named, in one statement; false unless the
 * invite is theirs and open, and its inviter may still invite: rights that were taken away grant nothing.
 * Who has become a member meanwhile keeps the role they have. Uses the primary keys.
 */
export async function acceptInvite(db: Database, id: string, inviteeId: string): Promise<boolean> {
  const rows = await db.change(
    `WITH accepted AS (
       UPDATE org_invites SET state = 'accepted'
       WHERE id = $1 AND invitee_id = $2 AND ${stillOpen}
         AND EXISTS (
           SELECT FROM users AS inviter
           LEFT JOIN org_memberships AS held
             ON held.member_id = inviter.id AND held.org_id = org_invites.org_id
           WHERE inviter.id = inviter_id
             AND (inviter.platform_admin OR held.role IN ('admin', 'owner')))
       RETURNING id, org_id, invitee_id, inviter_id, role
     ),
     joined AS (
       INSERT INTO org_memberships (org_id, member_id, role)
       SELECT org_id, invitee_id, role FROM accepted
       ON CONFLICT (org_id, member_id) DO NOTHING
     ),
     joined_groups AS (
       INSERT INTO group_memberships (group_id, member_id, role)
       SELECT named.group_id, accepted.invitee_id, named.role
       FROM accepted
       JOIN org_invite_groups AS named ON named.invite_id = accepted.id
       JOIN users AS inviter ON inviter.id = accepted.inviter_id
       LEFT JOIN group_memberships AS held
         ON held.member_id = inviter.id AND held.group_id = named.group_id
       WHERE inviter.platform_admin OR held.role IN ('admin', 'owner')
       ON CONFLICT (group_id, member_id) DO NOTHING
     )
     SELECT id FROM accepted`,
    [id, inviteeId],
  );
  return rows.length > 0;
}

/** False unless the invite is theirs and open. Uses the primary key. */
export async function declineInvite(db: Database, id: string, inviteeId: string): Promise<boolean> {
  const rows = await db.change(
    `UPDATE org_invites SET state = 'declined'
     WHERE id = $1 AND invitee_id = $2 AND ${stillOpen}
     RETURNING id`,
    [id, inviteeId],
  );
  return rows.length > 0;
}

/** Of either kind; false unless it is the inviter's and open. Uses the primary keys. */
export async function revokeInvite(db: Database, id: string, inviterId: string): Promise<boolean> {
  const rows = await db.change(
    `WITH org AS (
       UPDATE org_invites SET state = 'revoked'
       WHERE id = $1 AND inviter_id = $2 AND ${stillOpen}
       RETURNING id
     ),
     platform AS (
       UPDATE platform_invites SET state = 'revoked'
       WHERE id = $1 AND inviter_id = $2 AND ${stillOpen}
       RETURNING id
     )
     SELECT id FROM org UNION ALL SELECT id FROM platform`,
    [id, inviterId],
  );
  return rows.length > 0;
}

/** Those of the groups that are in the org, with the user's role there. Uses primary keys. */
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

export type OrgInviteToInsert = {
  id: string;
  orgId: string;
  inviterId: string;
  inviteeId: string;
  role: string;
  lifetimeSeconds: number;
};

/**
 * Makes an org invite in place of an expired one; gives when it will expire, `undefined` where the
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

export type PlatformInviteToInsert = {
  id: string;
  inviterId: string;
  inviteeEmail: string;
  orgId: string | null;
  role: string | null;
  lifetimeSeconds: number;
};

/**
 * Makes a platform invite in place of an expired one; gives when it will expire, `undefined` where the
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

export type TakenInvite = {
  inviter_id: string;
  inviter_email: string;
  org_id: string | null;
  org_name: string | null;
  role: string | null;
};

/** Marks a platform invite accepted; `undefined` unless it is open. Uses the primary key. */
export async function takePlatformInvite(
  db: Statements,
  id: string,
): Promise<TakenInvite | undefined> {
  const [row] = await db.rows<TakenInvite>(
    `WITH taken AS (
       UPDATE platform_invites SET state = 'accepted' WHERE id = $1 AND ${stillOpen}
       RETURNING inviter_id, org_id, role
     )
     SELECT taken.inviter_id, inviter.email AS inviter_email, taken.org_id, orgs.name AS org_name,
       taken.role
     FROM taken
     JOIN users AS inviter ON inviter.id = taken.inviter_id
     LEFT JOIN orgs ON orgs.id = taken.org_id`,
    [id],
  );
  return row;
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

function toPlatformInvite(row: PlatformInviteRow): PlatformInvite {
  return {
    id: row.id,
    invitee_email: row.invitee_email,
    state: row.state,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

function toOrgInvite(row: OrgInviteRow): OrgInvite {
  return {
    ...toPlatformInvite(row),
    invitee_id: row.invitee_id,
    inviter_id: row.inviter_id,
    inviter_email: row.inviter_email,
    org_id: row.org_id,
    org_name: row.org_name,
    invitee_role: row.invitee_role,
  };
}
