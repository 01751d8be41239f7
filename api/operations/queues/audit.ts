import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Database } from '../../stores/database.ts';

/** The queue and the job that the board's paths name. */
const Params = Type.Object({
  queueName: Type.Optional(Type.String()),
  jobId: Type.Optional(Type.String()),
});

/**
 * Tells the audit log of a change of the queues that is about to begin: they are in another store than the log. The
 * board's route says what is done.
 */
export async function noteChange(db: Database, request: FastifyRequest): Promise<void> {
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
