import type { Database } from '../../stores/database.ts';
import { Type } from 'typebox';
import {
  GroupMemberships,
  GroupMembershipsToChange,
  MembershipsQuery,
  MembershipsToRemove,
  NewGroupMemberships,
} from '../../../schemas/resources/membership.ts';
import { withRoles } from './rules.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { addGroupMembers, changeGroupRoles, removeGroupMembers } from './changes.ts';
import { findMembers } from './sql.ts';

export function groupMembershipRoutes(api: Api, { db }: { db: Database }): void {
  api.route({
    method: 'POST',
    url: '/groups/:id/memberships',
    schema: { params: IdParams, body: NewGroupMemberships, response: { 201: Type.Object({}) } },
    config: { operation: 'addGroupMembers' },
    handler: async (request, reply) => {
      const { body } = request;
      const given = Array.isArray(body) ? body : body.group_memberships;
      await addGroupMembers(db, request.params.id, withRoles(given));
      return reply.status(201).send({});
    },
  });

  api.route({
    method: 'PUT',
    url: '/groups/:id/memberships',
    schema: { params: IdParams, body: GroupMembershipsToChange, response: { 200: Empty } },
    config: { operation: 'changeGroupRoles' },
    handler: async (request, reply) => {
      const { body } = request;
      const given = Array.isArray(body) ? body : body.group_memberships;
      await changeGroupRoles(db, request.params.id, given);
      return reply.send();
    },
  });

  api.route({
    method: 'PATCH',
    url: '/groups/:id/memberships',
    schema: { params: IdParams, body: MembershipsToRemove, response: { 204: Empty } },
    config: { operation: 'removeGroupMembers' },
    handler: async (request, reply) => {
      await removeGroupMembers(db, request.params.id, request.body.member_ids);
      return reply.status(204).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/groups/:id/memberships',
    schema: {
      params: IdParams,
      querystring: MembershipsQuery,
      response: { 200: GroupMemberships },
    },
    config: { operation: 'listGroupMembers' },
    handler: async ({ params: { id }, query }) => {
      const { total, rows } = await findMembers(db, { of: 'group', id }, query);
      const members = rows.map((row) => ({ ...row, group_id: id.toLowerCase() }));
      return { ...envelope(query, total), group_memberships: members };
    },
  });
}
