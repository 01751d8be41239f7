import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Budgets } from '../budgets/budgets.ts';
import { onShards } from '../../infra/runtime/stores/cluster.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import type { DeleteQuery } from '../../schemas/messages/query.ts';
import { type MessageFormat, messageTables } from '../../schemas/messages/tables.ts';
import { callerOf } from '../access/caller.ts';
import { handle } from '../http/handle.ts';
import { withTimes } from '../http/query/time.ts';
import type { Api } from '../http/schemas.ts';
import { noteMessages } from './audit.ts';
import { reader } from './operations.ts';
import { whereOf } from './query/conditions.ts';
import { isEmpty, type ReachDependencies, reachOf } from './reach/reach.ts';
import { type BarrierDependencies, waitForEarlierMessages } from './store/barrier.ts';
import { openStore, type StoreDependencies, takeTurnFor } from './store/store.ts';

export type DeleteDependencies = ReachDependencies &
  StoreDependencies &
  BarrierDependencies & { budgets: Budgets };

export function deleteRoutes(
  api: Api,
  format: MessageFormat,
  dependencies: DeleteDependencies,
): void {
  handle(api, reader[format].deleteMessages, async (request, reply) => {
    await deleteMessages(dependencies, format, request.query, { request, response: reply.raw });
    return reply.status(204).send();
  });

  handle(api, reader[format].deleteMessagesOfThing, async (request, reply) => {
    const query = ofThing(request.params.publisher, request.query);
    await deleteMessages(dependencies, format, query, { request, response: reply.raw });
    return reply.status(204).send();
  });
}

/**
 * Deletes the messages that match all filters, of those acknowledged before; they are gone for every reader when
 * this resolves. Their rows are marked and leave the disk with the next merge: reads and inserts don't wait.
 */
async function deleteMessages(
  dependencies: DeleteDependencies,
  format: MessageFormat,
  given: DeleteQuery,
  { request, response }: { request: FastifyRequest; response: ServerResponse },
): Promise<void> {
  checkDeletion(given);
  const query = withTimes(given);
  const caller = callerOf(request);
  const reach = await reachOf(dependencies, caller, query.publisher, 'admin');
  const where = whereOf(format, query, reach);
  if (isEmpty(reach)) return;
  await waitForEarlierMessages(dependencies);
  await takeTurnFor(response, dependencies.budgets.reads, caller, request.signal);
  const store = openStore(dependencies, request.signal);
  await noteMessages(dependencies.db, 'delete', { format, ...query }, reach);
  const table = onShards(dependencies.clickhouse.long.cluster, messageTables[format].name);
  await store.change(`DELETE FROM ${table} WHERE ${where.text}`, where.bound);
}

/** @throws DomainError `malformed` for parameters that would narrow a read, but not a deletion. */
function checkDeletion({ comparator, v, limit, offset }: DeleteQuery): void {
  if (comparator !== undefined && v === undefined) {
    throw new DomainError('malformed', 'comparator: v is missing');
  }
  if (limit !== undefined && offset === undefined) {
    throw new DomainError('malformed', 'limit: a deletion has none');
  }
}

/** @throws DomainError `malformed` if the query names another thing than the path. */
function ofThing(publisher: string, query: DeleteQuery): DeleteQuery {
  if (query.publisher !== undefined && query.publisher.toLowerCase() !== publisher.toLowerCase()) {
    throw new DomainError('malformed', 'publisher is another one than the path names');
  }
  return { ...query, publisher };
}
