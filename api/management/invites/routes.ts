import type { Budgets } from '../../budgets/budgets.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { rateLimitHeaders } from '../../../schemas/http/rate-limit.ts';
import { userOf } from '../../access/caller.ts';
import type { Throttle } from '../../access/throttle.ts';
import { present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { maySee, refuse, requireSelf } from './access.ts';
import { type InviteConfig, inviteToOrg, inviteToPlatform } from './invite.ts';
import { invites } from './operations.ts';
import { registerByInvite } from './register.ts';
import { findInvite, findOrgInvites, findPlatformInvites } from './sql.ts';
import { acceptInvite, declineInvite, revokeInvite } from './states-sql.ts';

type InviteDependencies = {
  db: Database;
  invites: InviteConfig;
  throttle: Throttle;
  budgets: Budgets;
};

export function inviteRoutes(api: Api, dependencies: InviteDependencies): void {
  addOfOrg(api, dependencies);
  addOfPlatform(api, dependencies);
  addOfSides(api, dependencies);
}

/** An org's side of its invites. */
function addOfOrg(api: Api, dependencies: InviteDependencies): void {
  handle(api, invites.createOrgInvite, async (request, reply) => {
    const { params, body } = request;
    const { id, left } = await inviteToOrg(dependencies, userOf(request), params.id, body);
    reply.headers(rateLimitHeaders(left));
    return reply.status(201).header('location', `/invites/${id}`).send();
  });

  handle(api, invites.listOrgInvites, async (request) => {
    const whose = { of: 'org', id: request.params.id } as const;
    const { total, rows } = await findOrgInvites(dependencies.db, whose, request.query);
    return { ...envelope(request.query, total), invites: rows };
  });
}

/** Invites for people who are not users yet. */
function addOfPlatform(api: Api, dependencies: InviteDependencies): void {
  handle(api, invites.createPlatformInvite, async (request, reply) => {
    const id = await inviteToPlatform(dependencies, userOf(request), request.body);
    return reply.status(201).header('location', `/invites/${id}`).send();
  });

  handle(api, invites.listPlatformInvites, async (request) => {
    const { total, rows } = await findPlatformInvites(dependencies.db, request.query);
    return { ...envelope(request.query, total), invites: rows };
  });

  handle(api, invites.registerByInvite, async (request, reply) => {
    const userId = await registerByInvite(dependencies, request.params.id, request.body);
    return reply.status(201).header('location', `/users/${userId}`).send();
  });
}

/** An invite, and what its two sides may do with it. */
function addOfSides(api: Api, { db }: InviteDependencies): void {
  handle(api, invites.viewInvite, async (request) => {
    const found = present(await findInvite(db, request.params.id), 'invite');
    if (!(await maySee(db, userOf(request), found))) {
      throw new DomainError('forbidden', 'needs the invitee, the inviter, or admin in the org');
    }
    return found.invite;
  });

  handle(api, invites.acceptInvite, async (request, reply) => {
    const { id } = request.params;
    if (!(await acceptInvite(db, id, userOf(request).id))) await refuse(db, id, 'invitee');
    return reply.status(201).send();
  });

  handle(api, invites.declineInvite, async (request, reply) => {
    const { id } = request.params;
    if (!(await declineInvite(db, id, userOf(request).id))) await refuse(db, id, 'invitee');
    return reply.status(204).send();
  });

  handle(api, invites.revokeInvite, async (request, reply) => {
    const { id } = request.params;
    if (!(await revokeInvite(db, id, userOf(request).id))) await refuse(db, id, 'inviter');
    return reply.status(204).send();
  });

  const ofUser = [
    ['invitee', invites.listReceivedInvites],
    ['inviter', invites.listSentInvites],
  ] as const;
  for (const [of, operation] of ofUser) {
    handle(api, operation, async (request) => {
      const { id } = request.params;
      await requireSelf(db, userOf(request), id);
      const { total, rows } = await findOrgInvites(db, { of, id }, request.query);
      return { ...envelope(request.query, total), invites: rows };
    });
  }
}
