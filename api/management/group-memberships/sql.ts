import type { GroupMembership, membershipOrders } from '../../../schemas/resources/membership.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { type FoundMember, toMembership } from '../memberships.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type Given = readonly { member_id: string; role: Role }[];

/**
 * Makes users members, all or none; `not_found` where one is no user, `conflict` where one is a member
 * already. In the order of their ids, so that two of these never wait for each other.
 */
export async function insertGroupMembers(
  db: Statements,
  groupId: string,
  given: Given,
): Promise<void> {
  await db.rows(
    `INSERT INTO group_memberships (group_id, member_id, role)
     SELECT $1, id, role FROM unnest($2::uuid[], $3::text[]) AS given (id, role)
     ORDER BY id`,
    [groupId, given.map((one) => one.member_id), given.map((one) => one.role)],
  );
}

/** Those of the users who are members, held until the transaction ends. Uses the primary key. */
export async function lockGroupMembers(
  db: Statements,
  groupId: string,
  memberIds: readonly string[],
): Promise<FoundMember[]> {
  return db.rows(
    `SELECT member_id, role FROM group_memberships
     WHERE group_id = $1 AND member_id = ANY ($2::uuid[])
     ORDER BY member_id
     FOR UPDATE`,
    [groupId, memberIds],
  );
}

/** Uses the primary key. */
export async function updateGroupMembers(
  db: Statements,
  groupId: string,
  given: Given,
): Promise<void> {
  await db.rows(
    `UPDATE group_memberships AS member SET role = given.role, updated_at = now()
     FROM unnest($2::uuid[], $3::text[]) AS given (id, role)
     WHERE member.group_id = $1 AND member.member_id = given.id`,
    [groupId, given.map((one) => one.member_id), given.map((one) => one.role)],
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

type GroupMemberRow = Omit<GroupMembership, 'created_at' | 'updated_at'> & {
  created_at: Date;
  updated_at: Date;
};

const orders: Readonly<Record<(typeof membershipOrders)[number], string>> = {
  id: 'member.member_id',
  email: 'users.email',
  role: 'member.role',
  created_at: 'member.created_at',
  updated_at: 'member.updated_at',
};

/** Uses the primary key. */
export async function findGroupMembers(
  db: Database,
  groupId: string,
  query: ListQuery,
): Promise<ListPage<GroupMembership>> {
  const conditions = new Conditions();
  conditions.equals('member.group_id', groupId);
  conditions.containsText('users.email', query.email);
  conditions.equals('member.role', query.role);
  const list = {
    columns: `member.group_id, member.member_id, users.email, member.role, member.created_at,
      member.updated_at`,
    from: 'group_memberships AS member JOIN users ON users.id = member.member_id',
    conditions,
    orders,
    id: 'member.member_id',
  };
  const { total, rows } = await findPage<GroupMemberRow>(db, list, query);
  return { total, rows: rows.map(toMembership) };
}
