import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { acceptJsonBodies } from '../../http/body.ts';
import { protect } from '../../http/browsers.ts';
import { toDomainError } from '../../http/errors.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { service } from '../operations.ts';
import { boardPolicy, createBoard, dashboardPath } from './board.ts';
import type { Queues } from './open.ts';

/**
 * The queues' dashboard. Bull Board's routes can't name their operations, and are all one: so this comes before the
 * rule that each route must name its own.
 */
export function dashboardRoutes(api: Api, { db, queues }: { db: Database; queues: Queues }): void {
  api.addHook('onRoute', (route) => {
    if (route.url !== dashboardPath && !route.url.startsWith(`${dashboardPath}/`)) return;
    route.config = { operation: service.useQueues, ...route.config };
  });
  api.register(async (board) => {
    acceptJsonBodies(board);
    protect(board, boardPolicy);
    board.addHook('preHandler', async (request) => {
      await queues.ask(async () => undefined);
      if (request.method !== 'GET' && request.method !== 'HEAD') await noteChange(db, request);
    });
    board.setErrorHandler((error, request, reply) => {
      const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html');
      const { status } = toDomainError(error);
      if (isPage !== true || (status !== 401 && status !== 403)) throw error;
      // The console signs in, and leads back here; who may not come here is told so by its page of operations.
      const next = `/#/sign-in?next=${encodeURIComponent(request.url)}`;
      reply.redirect(status === 401 ? next : '/#/operations', 303);
    });
    board.register(createBoard(queues, db), { prefix: dashboardPath });
  });
}

/** The queue and the job that the board's paths name. */
const Params = Type.Object({
  queueName: Type.Optional(Type.String()),
  jobId: Type.Optional(Type.String()),
});

/**
 * Tells the audit log of a change of the queues that is about to begin: they are in another store than the log. The
 * board's route says what is done.
 */
async function noteChange(db: Database, request: FastifyRequest): Promise<void> {
  const { queueName, jobId } = Value.Parse(Params, request.params);
  const { method, routeOptions } = request;
  await db.change("SELECT audit_done('queue', 'update', $1::jsonb, $2::jsonb)", [
    JSON.stringify({ id: queueName, name: queueName }),
    JSON.stringify({
      action: { to: `${method} ${routeOptions.url}` },
      ...(jobId === undefined ? {} : { job: { to: jobId } }),
    }),
  ]);
}
