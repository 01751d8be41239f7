import { Sessions, SessionsQuery } from '../../../schemas/resources/user.ts';
import { userOf } from '../../access/caller.ts';
import { mustExist } from '../../http/errors.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { endAllSessions, endSession, findSessions } from './sql.ts';

/** A user sees and ends their own sessions. Other users' sessions are `not_found`. */
export function sessionRoutes(api: Api, { db }: { db: Database }): void {
  api.route({
    method: 'GET',
    url: '/sessions',
    schema: { querystring: SessionsQuery, response: { 200: Sessions } },
    config: { operation: 'listSessions' },
    handler: async (request) => {
      const { total, rows } = await findSessions(db, userOf(request), request.query);
      return { ...envelope(request.query, total), sessions: rows };
    },
  });

  api.route({
    method: 'DELETE',
    url: '/sessions/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'endSession' },
    handler: async (request, reply) => {
      mustExist(await endSession(db, userOf(request), request.params.id), 'session');
      return reply.status(204).send();
    },
  });

  api.route({
    method: 'DELETE',
    url: '/sessions',
    schema: { response: { 204: Empty } },
    config: { operation: 'endAllSessions' },
    handler: async (request, reply) => {
      await endAllSessions(db, userOf(request));
      return reply.status(204).send();
    },
  });
}
