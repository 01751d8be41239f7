import { DomainError } from '../../../schemas/http/errors.ts';
import type { OrgMemberToChange } from '../../../schemas/resources/membership.ts';
import type { AssignableRole, Role } from '../../../schemas/roles.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { distinct, mustBeChangeable, mustKeepOwners, mustNameOnce } from './rules.ts';
import {
  deleteGroupMembers,
  deleteOrgMembers,
  findUserIds,
  insertMembers,
  lockGroupMembersInOrg,
  lockMembers,
  type MemberToSet,
  type Container,
  updateMembers,
} from './sql.ts';

type NamedByEmail = readonly { email: string; role: AssignableRole }[];
type NamedById = readonly { member_id: string; role: Role }[];

/** @throws DomainError `not_found` if no user has an e-mail, `conflict` if a member has it. */
export async function addOrgMembers(
  db: Database,
  orgId: string,
  given: NamedByEmail,
): Promise<void> {
  await db.transaction(async (statements) => {
    await insertMembers(statements, { of: 'org', id: orgId }, await identify(statements, given));
  });
}

/** @throws DomainError `not_found` if one is no user, `conflict` if one is a member. */
export async function addGroupMembers(
  db: Database,
  groupId: string,
  given: NamedById,
): Promise<void> {
  await db.transaction((statements) =>
    insertMembers(statements, { of: 'group', id: groupId }, given.map(toSet)),
  );
}

/** @throws DomainError as `changeRoles`; `not_found` if no user has an e-mail, `malformed` if one is not named. */
export async function changeOrgRoles(
  db: Database,
  orgId: string,
  given: readonly OrgMemberToChange[],
): Promise<void> {
  await db.transaction(async (statements) => {
    await changeRoles(statements, { of: 'org', id: orgId }, await identify(statements, given));
  });
}

/** @throws DomainError as `changeRoles`. */
export async function changeGroupRoles(
  db: Database,
  groupId: string,
  given: NamedById,
): Promise<void> {
  await db.transaction((statements) =>
    changeRoles(statements, { of: 'group', id: groupId }, given.map(toSet)),
  );
}

/** @throws DomainError as `mustNameOnce` and `mustBeChangeable`. */
async function changeRoles(
  statements: Statements,
  container: Container,
  members: readonly MemberToSet[],
): Promise<void> {
  const ids = members.map(({ id }) => id);
  mustNameOnce(`${container.of}_memberships`, ids);
  mustBeChangeable(ids, await lockMembers(statements, container, ids));
  await updateMembers(statements, container, members);
}

/**
 * Removes members from the org and from its groups: nobody stays in a group of an org that they were
 * removed from. The owner of a group can't be removed from it, and so not from its org.
 *
 * @throws DomainError as `mustBeChangeable`.
 */
export async function removeOrgMembers(
  db: Database,
  orgId: string,
  given: readonly string[],
): Promise<void> {
  const ids = distinct(given);
  await db.transaction(async (statements) => {
    mustBeChangeable(ids, await lockMembers(statements, { of: 'org', id: orgId }, ids));
    mustKeepOwners(await lockGroupMembersInOrg(statements, orgId, ids));
    await deleteOrgMembers(statements, orgId, ids);
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
    mustBeChangeable(ids, await lockMembers(statements, { of: 'group', id: groupId }, ids));
    await deleteGroupMembers(statements, groupId, ids);
  });
}

async function identify(
  db: Statements,
  given: readonly OrgMemberToChange[],
): Promise<MemberToSet[]> {
  const found = await findUserIds(
    db,
    given.map(({ email }) => email ?? null),
  );
  return given.map(({ email, member_id: memberId, role }, index) => {
    const place = `org_memberships.${index}.email`;
    if (email === undefined && memberId === undefined) {
      throw new DomainError('malformed', `${place} is missing`);
    }
    const id = email === undefined ? memberId : (found[index] ?? undefined);
    if (id === undefined) throw new DomainError('not_found', `user: ${place}`);
    return { id, role };
  });
}

function toSet({ member_id: id, role }: NamedById[number]): MemberToSet {
  return { id, role };
}
