import type { Database } from '../../stores/database.ts';
import { Type } from 'typebox';
import {
  GroupMemberships,
  GroupMembershipsToChange,
  MembershipsQuery,
  MembershipsToRemove,
  NewGroupMemberships,
} from '../../../schemas/resources/membership.ts';
import { withRoles } from '../memberships.ts';
import { envelope } from '../../http/query/page.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { changeGroupRoles, removeGroupMembers } from './members.ts';
import { findGroupMembers, insertGroupMembers } from './sql.ts';

export function groupMembershipRoutes(api: Api, { db }: { db: Database }): void {
  api.route({
    method: 'POST',
    url: '/groups/:id/memberships',
    schema: { params: IdParams, body: NewGroupMemberships, response: { 201: Type.Object({}) } },
    config: { operation: 'addGroupMembers' },
    handler: async (request, reply) => {
      const { body } = request;
      const given = Array.isArray(body) ? body : body.group_memberships;
      await insertGroupMembers(db, request.params.id, withRoles(given));
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
    handler: async ({ params, query }) => {
      const { total, rows } = await findGroupMembers(db, params.id, query);
      return { ...envelope(query, total), group_memberships: rows };
    },
  });
}
