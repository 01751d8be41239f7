import type { Budgets } from '../../../infra/runtime/budgets/budgets.ts';
import type { Database } from '../../stores/database.ts';
import {
  NewPlatformInvite,
  PlatformInvites,
  PlatformInvitesQuery,
  Registration,
} from '../../../schemas/resources/invite.ts';
import type { Throttle } from '../../access/throttle.ts';
import { userOf } from '../../access/caller.ts';
import { limits } from '../../limits.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { inviteToPlatform, type InviteConfig } from './invite.ts';
import { registerByInvite } from './register.ts';
import { findPlatformInvites } from './sql.ts';

/** Invites for people who are not users yet. */
export function platformInviteRoutes(
  api: Api,
  dependencies: { db: Database; invites: InviteConfig; throttle: Throttle; budgets: Budgets },
): void {
  api.route({
    method: 'POST',
    url: '/invites',
    schema: { body: NewPlatformInvite, response: { 201: Empty } },
    config: { operation: 'createPlatformInvite' },
    handler: async (request, reply) => {
      const id = await inviteToPlatform(dependencies, userOf(request), request.body);
      return reply.status(201).header('location', `/invites/${id}`).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/invites',
    schema: { querystring: PlatformInvitesQuery, response: { 200: PlatformInvites } },
    config: { operation: 'listPlatformInvites' },
    handler: async (request) => {
      const { total, rows } = await findPlatformInvites(dependencies.db, request.query);
      return { ...envelope(request.query, total), invites: rows };
    },
  });

  api.route({
    method: 'POST',
    url: '/register/invite/:id',
    bodyLimit: limits.openBodyBytesMax,
    schema: { params: IdParams, body: Registration, response: { 201: Empty } },
    config: { operation: 'registerByInvite' },
    handler: async (request, reply) => {
      const userId = await registerByInvite(dependencies, request.params.id, request.body);
      return reply.status(201).header('location', `/users/${userId}`).send();
    },
  });
}
