import type { OrgMembership, membershipOrders } from '../../../schemas/resources/membership.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

/** An org or a group, and where its memberships are stored: parts of statements. */
export type Container = { of: 'org' | 'group'; id: string };

const tables = {
  org: { table: 'org_memberships', column: 'org_id' },
  group: { table: 'group_memberships', column: 'group_id' },
} as const;

/** Members to be written. */
export type MemberToSet = { id: string; role: Role };

/** A member and their role in an org or a group. */
export type FoundMember = { member_id: string; role: Role };

/** The ids of the users with these e-mails, in the given order. Uses `users_email`. */
export async function findUserIds(
  db: Statements,
  emails: readonly (string | null)[],
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

/**
 * Makes users members, all or none; `not_found` if one is no user, `conflict` if one is a member
 * already. In the order of their ids, so that two such statements never wait for each other.
 */
export async function insertMembers(
  db: Statements,
  { of, id }: Container,
  members: readonly MemberToSet[],
): Promise<void> {
  const { table, column } = tables[of];
  await db.rows(
    `INSERT INTO ${table} (${column}, member_id, role)
     SELECT $1, id, role FROM unnest($2::uuid[], $3::text[]) AS given (id, role)
     ORDER BY id`,
    [id, ...columnsOf(members)],
  );
}

/** The users of these who are members, locked until the transaction ends. Uses the primary key. */
export async function lockMembers(
  db: Statements,
  { of, id }: Container,
  memberIds: readonly string[],
): Promise<FoundMember[]> {
  const { table, column } = tables[of];
  return db.rows(
    `SELECT member_id, role FROM ${table}
     WHERE ${column} = $1 AND member_id = ANY ($2::uuid[])
     ORDER BY member_id
     FOR UPDATE`,
    [id, memberIds],
  );
}

/** The users' roles in the org's groups, locked until the transaction ends. Uses `group_memberships_member`. */
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
export async function updateMembers(
  db: Statements,
  { of, id }: Container,
  members: readonly MemberToSet[],
): Promise<void> {
  const { table, column } = tables[of];
  await db.rows(
    `UPDATE ${table} AS member SET role = given.role, updated_at = now()
     FROM unnest($2::uuid[], $3::text[]) AS given (id, role)
     WHERE member.${column} = $1 AND member.member_id = given.id`,
    [id, ...columnsOf(members)],
  );
}

/** Uses the primary key. */
export async function deleteGroupMembers(
  db: Statements,
  groupId: string,
  memberIds: readonly string[],
): Promise<void> {
  await db.rows(
    'DELETE FROM group_memberships WHERE group_id = $1 AND member_id = ANY ($2::uuid[])',
    [groupId, memberIds],
  );
}

/**
 * Removes users from the org and its groups; invites to them and by them end. Uses the primary key,
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

/** A member as answers show them, except the org or the group. */
type Member = Omit<OrgMembership, 'org_id'>;

type MemberRow = Omit<Member, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const columns = 'member.member_id, users.email, member.role, member.created_at, member.updated_at';

function fromOf(table: string): string {
  return `${table} AS member JOIN users ON users.id = member.member_id`;
}

/** Uses two primary keys. */
export async function findMember(
  db: Database,
  { of, id }: Container,
  memberId: string,
): Promise<Member | undefined> {
  const { table, column } = tables[of];
  const [row] = await db.rows<MemberRow>(
    `SELECT ${columns} FROM ${fromOf(table)} WHERE member.${column} = $1 AND member.member_id = $2`,
    [id, memberId],
  );
  return row && toMember(row);
}

const orders: Readonly<Record<(typeof membershipOrders)[number], string>> = {
  id: 'member.member_id',
  email: 'users.email',
  role: 'member.role',
  created_at: 'member.created_at',
  updated_at: 'member.updated_at',
};

/** Uses the primary key. */
export async function findMembers(
  db: Database,
  { of, id }: Container,
  query: ListQuery,
): Promise<ListPage<Member>> {
  const { table, column } = tables[of];
  const conditions = new Conditions();
  conditions.equals(`member.${column}`, id);
  conditions.containsText('users.email', query.email);
  conditions.equals('member.role', query.role);
  const list = { columns, from: fromOf(table), conditions, orders, id: 'member.member_id' };
  const { total, rows } = await findPage<MemberRow>(db, list, query);
  return { total, rows: rows.map(toMember) };
}

/** As `unnest` takes them. */
function columnsOf(members: readonly MemberToSet[]): [string[], Role[]] {
  return [members.map(({ id }) => id), members.map(({ role }) => role)];
}

function toMember(row: MemberRow): Member {
  return {
    member_id: row.member_id,
    email: row.email,
    role: row.role,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
