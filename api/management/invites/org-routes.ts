import type { Database } from '../../stores/database.ts';
import type { Throttle } from '../../access/credentials/throttle.ts';
import { NewOrgInvite, OrgInvites, OrgInvitesQuery } from '../../../schemas/resources/invite.ts';
import { rateLimitHeaders } from '../../../schemas/http/rate-limit.ts';
import { userOf } from '../../access/caller.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { inviteToOrg, type InviteConfig } from './invite.ts';
import { findOrgInvites } from './sql.ts';

/** An org's side of its invites. */
export function orgInviteRoutes(
  api: Api,
  dependencies: { db: Database; invites: InviteConfig; throttle: Throttle },
): void {
  api.route({
    method: 'POST',
    url: '/orgs/:id/invites',
    schema: { params: IdParams, body: NewOrgInvite, response: { 201: Empty } },
    config: { operation: 'createOrgInvite' },
    handler: async (request, reply) => {
      const { params, body } = request;
      const { id, left } = await inviteToOrg(dependencies, userOf(request), params.id, body);
      reply.headers(rateLimitHeaders(left));
      return reply.status(201).header('location', `/invites/${id}`).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/orgs/:id/invites',
    schema: { params: IdParams, querystring: OrgInvitesQuery, response: { 200: OrgInvites } },
    config: { operation: 'listOrgInvites' },
    handler: async (request) => {
      const whose = { of: 'org', id: request.params.id } as const;
      const { total, rows } = await findOrgInvites(dependencies.db, whose, request.query);
      return { ...envelope(request.query, total), invites: rows };
    },
  });
}
