import type { Database } from '../../stores/database.ts';
import { Type } from 'typebox';
import { Uuid } from '../../../schemas/http/common.ts';
import {
  MembershipsQuery,
  MembershipsToRemove,
  NewOrgMemberships,
  OrgMembership,
  OrgMemberships,
  OrgMembershipsToChange,
} from '../../../schemas/resources/membership.ts';
import { present } from '../../http/errors.ts';
import { withRoles } from './rules.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { addOrgMembers, changeOrgRoles, removeOrgMembers } from './changes.ts';
import { findMember, findMembers } from './sql.ts';

const MemberParams = Type.Object({ id: Uuid, memberId: Uuid });

export function orgMembershipRoutes(api: Api, { db }: { db: Database }): void {
  api.route({
    method: 'POST',
    url: '/orgs/:id/memberships',
    schema: { params: IdParams, body: NewOrgMemberships, response: { 200: Empty } },
    config: { operation: 'addOrgMembers' },
    handler: async (request, reply) => {
      await addOrgMembers(db, request.params.id, withRoles(request.body.org_memberships));
      return reply.send();
    },
  });

  api.route({
    method: 'PUT',
    url: '/orgs/:id/memberships',
    schema: { params: IdParams, body: OrgMembershipsToChange, response: { 200: Empty } },
    config: { operation: 'changeOrgRoles' },
    handler: async (request, reply) => {
      await changeOrgRoles(db, request.params.id, request.body.org_memberships);
      return reply.send();
    },
  });

  api.route({
    method: 'PATCH',
    url: '/orgs/:id/memberships',
    schema: { params: IdParams, body: MembershipsToRemove, response: { 204: Empty } },
    config: { operation: 'removeOrgMembers' },
    handler: async (request, reply) => {
      await removeOrgMembers(db, request.params.id, request.body.member_ids);
      return reply.status(204).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/orgs/:id/members/:memberId',
    schema: { params: MemberParams, response: { 200: OrgMembership } },
    config: { operation: 'viewOrgMember' },
    handler: async ({ params: { id, memberId } }) => {
      const member = present(await findMember(db, { of: 'org', id }, memberId), 'member');
      return { ...member, org_id: id.toLowerCase() };
    },
  });

  api.route({
    method: 'GET',
    url: '/orgs/:id/memberships',
    schema: { params: IdParams, querystring: MembershipsQuery, response: { 200: OrgMemberships } },
    config: { operation: 'listOrgMembers' },
    handler: async ({ params: { id }, query }) => {
      const { total, rows } = await findMembers(db, { of: 'org', id }, query);
      const members = rows.map((row) => ({ ...row, org_id: id.toLowerCase() }));
      return { ...envelope(query, total), org_memberships: members };
    },
  });
}
