import { present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import {
  addGroupMembers,
  addOrgMembers,
  changeGroupRoles,
  changeOrgRoles,
  removeGroupMembers,
  removeOrgMembers,
} from './changes.ts';
import { groupMembers, orgMembers } from './operations.ts';
import { withRoles } from './rules.ts';
import { findMember, findMembers } from './sql.ts';

/** Members of orgs and of groups. */
export function membershipRoutes(api: Api, { db }: { db: Database }): void {
  handle(api, orgMembers.addOrgMembers, async (request, reply) => {
    await addOrgMembers(db, request.params.id, withRoles(request.body.org_memberships));
    return reply.send();
  });

  handle(api, orgMembers.changeOrgRoles, async (request, reply) => {
    await changeOrgRoles(db, request.params.id, request.body.org_memberships);
    return reply.send();
  });

  handle(api, orgMembers.removeOrgMembers, async (request, reply) => {
    await removeOrgMembers(db, request.params.id, request.body.member_ids);
    return reply.status(204).send();
  });

  handle(api, orgMembers.viewOrgMember, async ({ params: { id, memberId } }) => {
    const member = present(await findMember(db, { of: 'org', id }, memberId), 'member');
    return { ...member, org_id: id.toLowerCase() };
  });

  handle(api, orgMembers.listOrgMembers, async ({ params: { id }, query }) => {
    const { total, rows } = await findMembers(db, { of: 'org', id }, query);
    const members = rows.map((row) => ({ ...row, org_id: id.toLowerCase() }));
    return { ...envelope(query, total), org_memberships: members };
  });

  handle(api, groupMembers.addGroupMembers, async (request, reply) => {
    const { body } = request;
    const given = Array.isArray(body) ? body : body.group_memberships;
    await addGroupMembers(db, request.params.id, withRoles(given));
    return reply.status(201).send({});
  });

  handle(api, groupMembers.changeGroupRoles, async (request, reply) => {
    const { body } = request;
    const given = Array.isArray(body) ? body : body.group_memberships;
    await changeGroupRoles(db, request.params.id, given);
    return reply.send();
  });

  handle(api, groupMembers.removeGroupMembers, async (request, reply) => {
    await removeGroupMembers(db, request.params.id, request.body.member_ids);
    return reply.status(204).send();
  });

  handle(api, groupMembers.listGroupMembers, async ({ params: { id }, query }) => {
    const { total, rows } = await findMembers(db, { of: 'group', id }, query);
    const members = rows.map((row) => ({ ...row, group_id: id.toLowerCase() }));
    return { ...envelope(query, total), group_memberships: members };
  });
}
