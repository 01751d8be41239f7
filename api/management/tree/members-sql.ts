import { DomainError } from '../../../schemas/http/errors.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { MemberType, treeMemberOrders } from '../../../schemas/resources/tree.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Database } from '../../stores/database.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

/** Adds members, all or none; `conflict` for one that is in it already. */
export async function insertTreeMembers(
  db: Database,
  groupId: string,
  type: MemberType,
  memberIds: string[],
): Promise<void> {
  await db.change(
    `INSERT INTO tree_members (group_id, member_id, type)
     SELECT $1, member_id, $2 FROM unnest($3::text[]) AS given (member_id)`,
    [groupId, type, memberIds],
  );
}

/**
 * Removes members, all or none. Uses the primary key.
 *
 * @throws DomainError `not_found` if one of them is not in it, or is of another type than the given one.
 */
export async function deleteTreeMembers(
  db: Database,
  groupId: string,
  type: MemberType | undefined,
  memberIds: string[],
): Promise<void> {
  await db.transaction(async (transaction) => {
    const gone = await transaction.rows(
      `DELETE FROM tree_members
       WHERE group_id = $1 AND member_id = ANY ($2::text[]) AND type = coalesce($3, type)
       RETURNING member_id`,
      [groupId, memberIds, type ?? null],
    );
    if (gone.length < new Set(memberIds).size) throw new DomainError('not_found', 'member');
  });
}

const memberOrders: Readonly<Record<(typeof treeMemberOrders)[number], string>> = {
  id: 'member.member_id',
  type: 'member.type',
  created_at: 'member.created_at',
};

type MemberRow = { member_id: string; type: MemberType };

/** Uses the primary key. */
export function findTreeMembers(
  db: Database,
  groupId: string,
  query: ListQuery,
): Promise<ListPage<MemberRow>> {
  const conditions = new Conditions();
  conditions.equals('member.group_id', groupId);
  conditions.equals('member.type', query.type);
  const list = {
    columns: 'member.member_id, member.type',
    from: 'tree_members AS member',
    conditions,
    orders: memberOrders,
    id: 'member.member_id',
  };
  return findPage<MemberRow>(db, list, query);
}

/** A member's id as UUID; NULL for an id of another system. */
const memberUuid = `CASE WHEN pg_input_is_valid(member.member_id, 'uuid')
                         THEN member.member_id::uuid END`;

/**
 * The members that are users, with the e-mails that the caller may see: their own, those of users in a common org, and
 * for the platform admin all. Uses primary keys.
 */
export function findTreeUsers(
  db: Database,
  groupId: string,
  caller: UserCaller,
  query: ListQuery,
): Promise<ListPage<{ member_id: string; email: string | null }>> {
  const conditions = new Conditions();
  conditions.equals('member.group_id', groupId);
  conditions.equals('member.type', 'users');
  const [me, all] = [conditions.bind(caller.id), conditions.bind(caller.platformAdmin)];
  const list = {
    columns: `member.member_id,
              CASE WHEN ${all}::boolean OR person.id = ${me} OR EXISTS (
                SELECT FROM org_memberships AS mine
                JOIN org_memberships AS theirs ON theirs.org_id = mine.org_id
                WHERE mine.member_id = ${me} AND theirs.member_id = person.id
              ) THEN person.email END AS email`,
    from: `tree_members AS member LEFT JOIN users AS person ON person.id = ${memberUuid}`,
    conditions,
    orders: memberOrders,
    id: 'member.member_id',
  };
  return findPage(db, list, query);
}

/** A member that is no thing has only its id. */
type TreeThingRow = {
  member_id: string;
  key_sealed: Buffer | null;
  last_seen: Date | null;
  role: Role | null;
};

/**
 * The members that are things, with their keys, when they were last heard, and the caller's role in their groups. Uses
 * primary keys.
 */
export function findTreeThings(
  db: Database,
  groupId: string,
  caller: UserCaller,
  query: ListQuery,
): Promise<ListPage<TreeThingRow>> {
  const conditions = new Conditions();
  conditions.equals('member.group_id', groupId);
  conditions.equals('member.type', 'things');
  const list = {
    columns: `member.member_id, thing.key_sealed, access.role,
              (SELECT seen_at FROM things_seen WHERE thing_id = thing.id) AS last_seen`,
    from: `tree_members AS member
           LEFT JOIN things AS thing ON thing.id = ${memberUuid}
           LEFT JOIN group_memberships AS access
             ON access.group_id = thing.group_id AND access.member_id = ${conditions.bind(caller.id)}`,
    conditions,
    orders: memberOrders,
    id: 'member.member_id',
  };
  return findPage(db, list, query);
}
