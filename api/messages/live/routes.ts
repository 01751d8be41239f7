import type { FastifyRequest } from 'fastify';
import type { Budgets } from '../../budgets/budgets.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Filters } from '../../../schemas/messages/query.ts';
import { type MessageFormat, messageFormats } from '../../../schemas/messages/tables.ts';
import { authenticate, type AuthenticationDependencies } from '../../access/authenticate.ts';
import { callerOf } from '../../access/caller.ts';
import { handle } from '../../http/handle.ts';
import { type WithTimes, withTimes } from '../../http/query/time.ts';
import type { Api } from '../../http/schemas.ts';
import { reader } from '../operations.ts';
import { whereOf } from '../query/conditions.ts';
import { type ReachDependencies, reachesAll, reachOf } from '../reach/reach.ts';
import { type StoreDependencies, takeTurn } from '../store/store.ts';
import { findHeads, type Heads, type HeadWatch, watchHeads } from './heads.ts';
import { markOf, placeAt, readPosition, type StreamPosition } from './position.ts';
import { readAfter } from './rows.ts';
import { Stream, type StreamSource } from './stream.ts';
import { Streams } from './streams.ts';

export type LiveDependencies = ReachDependencies &
  StoreDependencies &
  AuthenticationDependencies & { budgets: Budgets };

/** Messages as they are stored, as server-sent events. */
export function liveRoutes(api: Api, dependencies: LiveDependencies): void {
  const { clickhouse, budgets } = dependencies;
  const streams = new Streams(budgets.streams);
  // Before the listener closes, which waits for its connections.
  api.addHook('preClose', () => streams.stop());

  for (const format of messageFormats) {
    const heads = watchHeads(clickhouse.watcher, format);
    handle(api, reader[format].followMessages, async (request, reply) => {
      const query = withTimes(request.query);
      const caller = callerOf(request);
      await streams.add(caller, async () => {
        const reach = await reachOf(dependencies, caller, query.publisher, 'viewer');
        // A wrong filter is refused here: later there is only the stream.
        whereOf(format, query, reach);
        const position = await startPosition(dependencies, format, request);
        const source = sourceOf(dependencies, format, heads, { query, request });
        const stream = new Stream(source, position, reach);
        void stream.run();
        return stream.events.send(reply);
      });
      return reply;
    });
  }
}

function sourceOf(
  dependencies: LiveDependencies,
  format: MessageFormat,
  heads: HeadWatch,
  { query, request }: { query: WithTimes<Filters>; request: FastifyRequest },
): StreamSource {
  const { db, clickhouse, budgets } = dependencies;
  return {
    heads,
    reach: async () => {
      const caller = await authenticate(dependencies, reader[format].followMessages, request);
      if (caller === null) throw new DomainError('credential_missing');
      return reachOf(dependencies, caller, query.publisher, 'viewer');
    },
    reachesAll: (reach, publishers) => reachesAll(db, reach, publishers),
    read: async (reach, range) => {
      const lease = await takeTurn(budgets.streamReads, callerOf(request), request.signal);
      try {
        const where = whereOf(format, query, reach);
        return await readAfter(clickhouse.watcher, format, where, range);
      } finally {
        lease.release();
      }
    },
  };
}

/** After the event that the client names; without one, after all that is stored now. */
async function startPosition(
  { clickhouse }: LiveDependencies,
  format: MessageFormat,
  { headers }: FastifyRequest,
): Promise<StreamPosition> {
  const last = headers['last-event-id'];
  return typeof last === 'string' && last !== ''
    ? readPosition(last)
    : positionAfter(await findHeads(clickhouse.watcher, format));
}

/** Messages that were acknowledged before, but are stored after this, are still sent. */
function positionAfter(heads: Heads): StreamPosition {
  return new Map([...heads].map(([log, { batch }]) => [markOf(log), placeAt(batch + 1)]));
}
