import type { Budgets } from '../../../infra/runtime/budgets/budgets.ts';
import type { Database } from '../../stores/database.ts';
import type { ClickHouseClients } from '../../stores/clickhouse.ts';
import type { Publishers } from '../reach/publishers.ts';
import { authenticate, type AuthenticationDependencies } from '../../access/authenticate.ts';
import { callerOf } from '../../access/caller.ts';
import { requirementOf } from '../../permissions.ts';
import type { Api } from '../../http/schemas.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { LiveQuery } from '../asked.ts';
import { selectMessages } from '../query/conditions.ts';
import { messageFormats } from '../../../schemas/messages/tables.ts';
import { type Reach, reachesAll, reachOf } from '../reach/reach.ts';
import { takeTurn } from '../store/turn.ts';
import { findHeads, type Heads, watchHeads } from './heads.ts';
import { markOf, placeAt, type Position, readPosition } from './place.ts';
import { Stream } from './stream.ts';
import { Streams } from './streams.ts';

/** Messages as they come, as server-sent events. */
export function liveRoutes(
  api: Api,
  parts: {
    db: Database;
    publishers: Publishers;
    clickhouse: ClickHouseClients;
    budgets: Budgets;
  } & AuthenticationDependencies,
): void {
  const { db, clickhouse, budgets } = parts;
  const streams = new Streams(budgets.streams);
  // The listener closes only once they are gone.
  api.addHook('preClose', () => streams.stop());

  for (const format of messageFormats) {
    const heads = watchHeads(clickhouse.watcher, format);
    api.route({
      method: 'GET',
      url: `/reader/${format}/live`,
      // Its answer has no end.
      exposeHeadRoute: false,
      schema: { querystring: LiveQuery },
      config: { operation: 'followMessages' },
      handler: async (request, reply) => {
        const { query } = request;
        const caller = callerOf(request);
        await streams.add(caller, async () => {
          const reach = await reachOf(parts, caller, query.publisher, 'viewer');
          selectMessages(format, query, reach);
          const last = request.headers['last-event-id'];
          const position =
            typeof last === 'string' && last !== ''
              ? readPosition(last)
              : behind(await findHeads(clickhouse.watcher, format));
          const followed = {
            format,
            asked: query,
            reach: async () => {
              const again = await authenticate(parts, requirementOf('followMessages'), request);
              if (again === null) throw new DomainError('credential_missing');
              return reachOf(parts, again, query.publisher, 'viewer');
            },
            reachesAll: (within: Reach, publishers: readonly string[]) =>
              reachesAll(db, within, publishers),
            turn: () => takeTurn(budgets.streamReads, caller, request.signal),
          };
          const stream = new Stream(clickhouse.watcher, heads, followed, position, reach);
          const { promise: closed, resolve } = Promise.withResolvers<void>();
          reply.raw.once('close', resolve);
          if (reply.raw.destroyed) resolve();
          void stream.run();
          reply.type('text/event-stream').header('x-accel-buffering', 'no');
          void reply.send(stream.out);
          return { closed, end: () => stream.end(), destroy: () => reply.raw.destroy() };
        });
        return reply;
      },
    });
  }
}

/** All that is in sight is passed: what was acknowledged so far and is not, comes still. */
function behind(heads: Heads): Position {
  return new Map([...heads].map(([log, { batch }]) => [markOf(log), placeAt(batch + 1)]));
}
