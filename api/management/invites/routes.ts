import type { Database } from '../../stores/database.ts';
import { Invite, InvitesOfUser, OrgInvitesQuery } from '../../../schemas/resources/invite.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { userOf } from '../../access/caller.ts';
import { present } from '../../http/errors.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { maySee, refuse, requireSelf } from './access.ts';
import { findInvite, findOrgInvites } from './sql.ts';
import { acceptInvite, declineInvite, revokeInvite } from './states-sql.ts';

const sides = [
  { path: 'received', operation: 'listReceivedInvites', of: 'invitee' },
  { path: 'sent', operation: 'listSentInvites', of: 'inviter' },
] as const;

/** An invite, and what its two sides may do with it. */
export function inviteRoutes(api: Api, { db }: { db: Database }): void {
  api.route({
    method: 'GET',
    url: '/invites/:id',
    schema: { params: IdParams, response: { 200: Invite } },
    config: { operation: 'viewInvite' },
    handler: async (request) => {
      const found = present(await findInvite(db, request.params.id), 'invite');
      if (!(await maySee(db, userOf(request), found))) {
        throw new DomainError('forbidden', 'needs the invitee, the inviter, or admin in the org');
      }
      return found.invite;
    },
  });

  api.route({
    method: 'POST',
    url: '/invites/:id/accept',
    schema: { params: IdParams, response: { 201: Empty } },
    config: { operation: 'acceptInvite' },
    handler: async (request, reply) => {
      const { id } = request.params;
      if (!(await acceptInvite(db, id, userOf(request).id))) await refuse(db, id, 'invitee');
      return reply.status(201).send();
    },
  });

  api.route({
    method: 'POST',
    url: '/invites/:id/decline',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'declineInvite' },
    handler: async (request, reply) => {
      const { id } = request.params;
      if (!(await declineInvite(db, id, userOf(request).id))) await refuse(db, id, 'invitee');
      return reply.status(204).send();
    },
  });

  api.route({
    method: 'DELETE',
    url: '/invites/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'revokeInvite' },
    handler: async (request, reply) => {
      const { id } = request.params;
      if (!(await revokeInvite(db, id, userOf(request).id))) await refuse(db, id, 'inviter');
      return reply.status(204).send();
    },
  });

  for (const { path, operation, of } of sides) {
    api.route({
      method: 'GET',
      url: `/users/:id/invites/${path}`,
      schema: { params: IdParams, querystring: OrgInvitesQuery, response: { 200: InvitesOfUser } },
      config: { operation },
      handler: async (request) => {
        const { id } = request.params;
        await requireSelf(db, userOf(request), id);
        const { total, rows } = await findOrgInvites(db, { of, id }, request.query);
        return { ...envelope(request.query, total), invites: rows };
      },
    });
  }
}
