import { DomainError } from '../../../schemas/http/errors.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { distinct, mustBeChangeable, mustKeepOwners, mustNameOnce } from '../memberships.ts';
import {
  deleteOrgMembers,
  findUserIds,
  insertOrgMembers,
  lockGroupMembersInOrg,
  lockOrgMembers,
  type MembersToSet,
  updateOrgMembers,
} from './sql.ts';

type Given = readonly { email: string; role: Role }[];

/** @throws DomainError `not_found` where an e-mail is nobody's, `conflict` where it is a member's. */
export async function addOrgMembers(db: Database, orgId: string, given: Given): Promise<void> {
  await insertOrgMembers(db, orgId, await identify(db, given));
}

/** @throws DomainError as `mustBeChangeable`, and `not_found` where an e-mail is nobody's. */
export async function changeOrgRoles(db: Database, orgId: string, given: Given): Promise<void> {
  await db.transaction(async (statements) => {
    const members = await identify(statements, given);
    mustNameOnce('org_memberships', members.ids);
    mustBeChangeable(members.ids, await lockOrgMembers(statements, orgId, members.ids));
    await updateOrgMembers(statements, orgId, members);
  });
}

/**
 * Takes members out of the org, and out of its groups: nobody is left in a group of an org they were
 * removed from. Who owns a group can't be removed from that, so not from its org either.
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
    mustBeChangeable(ids, await lockOrgMembers(statements, orgId, ids));
    const inGroups = await lockGroupMembersInOrg(statements, orgId, ids);
    mustKeepOwners(inGroups);
    await deleteOrgMembers(statements, orgId, ids);
  });
}

async function identify(db: Statements, given: Given): Promise<MembersToSet> {
  const found = await findUserIds(
    db,
    given.map(({ email }) => email),
  );
  const ids = found.map((id, index) => {
    if (id === null) throw new DomainError('not_found', `user: org_memberships.${index}.email`);
    return id;
  });
  return { ids, roles: given.map(({ role }) => role) };
}
