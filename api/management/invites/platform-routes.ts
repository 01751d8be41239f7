import {
  NewPlatformInvite,
  PlatformInvites,
  PlatformInvitesQuery,
  Registration,
} from '../../../schemas/resources/invite.ts';
import { userOf } from '../../access/caller.ts';
import { openBodyBytesMax } from '../../limits.ts';
import { envelope } from '../../http/query/page.ts';
import type { Parts } from '../../server/dependencies.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { inviteToPlatform } from './invite.ts';
import { registerByInvite } from './register.ts';
import { findPlatformInvites } from './sql.ts';

/** Invites of those who are no users yet. */
export function platformInviteRoutes(
  api: Api,
  parts: Pick<Parts, 'db' | 'invites' | 'budgets'>,
): void {
  api.route({
    method: 'POST',
    url: '/invites',
    schema: { body: NewPlatformInvite, response: { 201: Empty } },
    config: { operation: 'createPlatformInvite' },
    handler: async (request, reply) => {
      const id = await inviteToPlatform(parts, userOf(request), request.body);
      return reply.status(201).header('location', `/invites/${id}`).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/invites',
    schema: { querystring: PlatformInvitesQuery, response: { 200: PlatformInvites } },
    config: { operation: 'listPlatformInvites' },
    handler: async (request) => {
      const { total, rows } = await findPlatformInvites(parts.db, request.query);
      return { ...envelope(request.query, total), invites: rows };
    },
  });

  api.route({
    method: 'POST',
    url: '/register/invite/:id',
    bodyLimit: openBodyBytesMax,
    schema: { params: IdParams, body: Registration, response: { 201: Empty } },
    config: { operation: 'registerByInvite' },
    handler: async (request, reply) => {
      const userId = await registerByInvite(parts, request.params.id, request.body);
      return reply.status(201).header('location', `/users/${userId}`).send();
    },
  });
}
