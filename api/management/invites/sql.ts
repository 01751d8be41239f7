import type { inviteOrders, OrgInvite, PlatformInvite } from '../../../schemas/resources/invite.ts';
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

/** A pending invite whose time is over counts as expired, though its row still says pending. */
const state = `CASE WHEN invite.state = 'pending' AND invite.expires_at <= now() THEN 'expired'
  ELSE invite.state END`;

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
type OrgInvitesOf = { of: 'org' | 'invitee' | 'inviter'; id: string };

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

/** Scans all platform invites: there are few. */
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

/** An invite of either kind, and what decides who may see it. */
export type FoundInvite = { inviterId: string; orgId: string | null } & (
  | { kind: 'org'; invite: OrgInvite }
  | { kind: 'platform'; invite: PlatformInvite }
);

/** Uses the primary keys. */
export async function findInvite(db: Statements, id: string): Promise<FoundInvite | undefined> {
  const [org] = await db.rows<OrgInviteRow>(
    `SELECT ${orgInvites.columns} FROM ${orgInvites.from} WHERE invite.id = $1`,
    [id],
  );
  if (org !== undefined) {
    return { kind: 'org', invite: toOrgInvite(org), inviterId: org.inviter_id, orgId: org.org_id };
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
      kind: 'platform',
      invite: toPlatformInvite(platform),
      inviterId: platform.inviter_id,
      orgId: platform.org_id,
    }
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
