import { userOf } from '../../access/caller.ts';
import { mustExist } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { sessions } from './operations.ts';
import { endAllSessions, endSession, findSessions } from './sql.ts';

/** A user sees and ends their own sessions. Other users' sessions are `not_found`. */
export function sessionRoutes(api: Api, { db }: { db: Database }): void {
  handle(api, sessions.listSessions, async (request) => {
    const { total, rows } = await findSessions(db, userOf(request), request.query);
    return { ...envelope(request.query, total), sessions: rows };
  });

  handle(api, sessions.endSession, async (request, reply) => {
    mustExist(await endSession(db, userOf(request), request.params.id), 'session');
    return reply.status(204).send();
  });

  handle(api, sessions.endAllSessions, async (request, reply) => {
    await endAllSessions(db, userOf(request));
    return reply.status(204).send();
  });
}
