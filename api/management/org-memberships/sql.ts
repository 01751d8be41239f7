import type { OrgMembership, membershipOrders } from '../../../schemas/resources/membership.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { type FoundMember, toMembership } from '../memberships.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

/** Whose e-mails these are, in the order given. Uses `users_email`. */
export async function findUserIds(
  db: Statements,
  emails: readonly string[],
): Promise<(string | null)[]> {
  const rows = await db.rows<{ id: string | null }>(
    `SELECT users.id
     FROM unnest($1::text[]) WITH ORDINALITY AS given (email, position)
     LEFT JOIN users ON email_name(users.email) = email_name(given.email)
     ORDER BY given.position`,
    [emails],
  );
  return rows.map((row) => row.id);
}

/** Members to be written, in two lists of one length. */
export type MembersToSet = { ids: readonly string[]; roles: readonly Role[] };

/**
 * Makes users members, all or none; `conflict` where one is a member already. In the order of their ids,
 * so that two of these never wait for each other.
 */
export async function insertOrgMembers(
  db: Statements,
  orgId: string,
  { ids, roles }: MembersToSet,
): Promise<void> {
  await db.rows(
    `INSERT INTO org_memberships (org_id, member_id, role)
     SELECT $1, id, role FROM unnest($2::uuid[], $3::text[]) AS given (id, role)
     ORDER BY id`,
    [orgId, ids, roles],
  );
}

/** Those of the users who are members, held until the transaction ends. Uses the primary key. */
export async function lockOrgMembers(
  db: Statements,
  orgId: string,
  memberIds: readonly string[],
): Promise<FoundMember[]> {
  return db.rows(
    `SELECT member_id, role FROM org_memberships
     WHERE org_id = $1 AND member_id = ANY ($2::uuid[])
     ORDER BY member_id
     FOR UPDATE`,
    [orgId, memberIds],
  );
}

/**
 * What the users are in the org's groups, held until the transaction ends. Uses
 * `group_memberships_member`.
 */
export async function lockGroupMembersInOrg(
  db: Statements,
  orgId: string,
  memberIds: readonly string[],
): Promise<FoundMember[]> {
  return db.rows(
    `SELECT member_id, role FROM group_memberships
     WHERE member_id = ANY ($2::uuid[]) AND group_id IN (SELECT id FROM groups WHERE org_id = $1)
     ORDER BY group_id, member_id
     FOR UPDATE`,
    [orgId, memberIds],
  );
}

/** Uses the primary key. */
export async function updateOrgMembers(
  db: Statements,
  orgId: string,
  { ids, roles }: MembersToSet,
): Promise<void> {
  await db.rows(
    `UPDATE org_memberships AS member SET role = given.role, updated_at = now()
     FROM unnest($2::uuid[], $3::text[]) AS given (id, role)
     WHERE member.org_id = $1 AND member.member_id = given.id`,
    [orgId, ids, roles],
  );
}

/**
 * Takes users out of the org and its groups; invitations to them and by them end. Uses the primary key,
 * `group_memberships_member` and `org_invites_org`.
 */
export async function deleteOrgMembers(
  db: Statements,
  orgId: string,
  memberIds: readonly string[],
): Promise<void> {
  await db.rows(
    `WITH left_groups AS (
       DELETE FROM group_memberships
       WHERE member_id = ANY ($2::uuid[]) AND group_id IN (SELECT id FROM groups WHERE org_id = $1)
     ),
     ended AS (
       UPDATE org_invites SET state = 'revoked'
       WHERE org_id = $1 AND state = 'pending'
         AND (invitee_id = ANY ($2::uuid[]) OR inviter_id = ANY ($2::uuid[]))
     )
     DELETE FROM org_memberships WHERE org_id = $1 AND member_id = ANY ($2::uuid[])`,
    [orgId, memberIds],
  );
}

const from = 'org_memberships AS member JOIN users ON users.id = member.member_id';
const columns = `member.org_id, member.member_id, users.email, member.role, member.created_at,
  member.updated_at`;

type OrgMemberRow = Omit<OrgMembership, 'created_at' | 'updated_at'> & {
  created_at: Date;
  updated_at: Date;
};

/** Uses two primary keys. */
export async function findOrgMember(
  db: Database,
  orgId: string,
  memberId: string,
): Promise<OrgMembership | undefined> {
  const [row] = await db.rows<OrgMemberRow>(
    `SELECT ${columns} FROM ${from} WHERE member.org_id = $1 AND member.member_id = $2`,
    [orgId, memberId],
  );
  return row && toMembership(row);
}

const orders: Readonly<Record<(typeof membershipOrders)[number], string>> = {
  id: 'member.member_id',
  email: 'users.email',
  role: 'member.role',
  created_at: 'member.created_at',
  updated_at: 'member.updated_at',
};

/** Uses the primary key. */
export async function findOrgMembers(
  db: Database,
  orgId: string,
  query: ListQuery,
): Promise<ListPage<OrgMembership>> {
  const conditions = new Conditions();
  conditions.equals('member.org_id', orgId);
  conditions.containsText('users.email', query.email);
  conditions.equals('member.role', query.role);
  const list = { columns, from, conditions, orders, id: 'member.member_id' };
  const { total, rows } = await findPage<OrgMemberRow>(db, list, query);
  return { total, rows: rows.map(toMembership) };
}
