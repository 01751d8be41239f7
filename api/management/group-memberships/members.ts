import type { Role } from '../../../schemas/roles.ts';
import type { Database } from '../../stores/database.ts';
import { distinct, mustBeChangeable, mustNameOnce } from '../memberships.ts';
import { deleteGroupMembers, lockGroupMembers, updateGroupMembers } from './sql.ts';

/** @throws DomainError as `mustBeChangeable` and `mustNameOnce`. */
export async function changeGroupRoles(
  db: Database,
  groupId: string,
  given: readonly { member_id: string; role: Role }[],
): Promise<void> {
  const ids = given.map((one) => one.member_id);
  mustNameOnce('group_memberships', ids);
  await db.transaction(async (statements) => {
    mustBeChangeable(ids, await lockGroupMembers(statements, groupId, ids));
    await updateGroupMembers(statements, groupId, given);
  });
}

/** @throws DomainError as `mustBeChangeable`. */
export async function removeGroupMembers(
  db: Database,
  groupId: string,
  given: readonly string[],
): Promise<void> {
  const ids = distinct(given);
  await db.transaction(async (statements) => {
    mustBeChangeable(ids, await lockGroupMembers(statements, groupId, ids));
    await deleteGroupMembers(statements, groupId, ids);
  });
}
