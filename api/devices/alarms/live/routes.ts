import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../../../schemas/http/errors.ts';
import { authenticate, type AuthenticationDependencies } from '../../../access/authenticate.ts';
import { requireRole } from '../../../access/authorize.ts';
import { callerOf } from '../../../access/caller.ts';
import type { Budgets } from '../../../budgets/budgets.ts';
import { handle } from '../../../http/handle.ts';
import { pathIdOf } from '../../../http/path-id.ts';
import type { Api } from '../../../http/schemas.ts';
import { Streams } from '../../../messages/live/streams.ts';
import type { UserCaller } from '../../../access/caller.ts';
import type { Database } from '../../../stores/database.ts';
import { alarms } from '../operations.ts';
import { type AlarmWatch, visibleNow, watchAlarms } from './changes.ts';
import { findChanged } from './sql.ts';
import { type AlarmSource, AlarmStream } from './stream.ts';

export type LiveAlarmDependencies = AuthenticationDependencies & { db: Database; budgets: Budgets };

/** Whose alarms are followed. */
type Place = { of: 'group' | 'org'; id: string } | { of: 'all' };

const operations = {
  group: alarms.followGroupAlarms,
  org: alarms.followOrgAlarms,
  all: alarms.followAlarms,
};

/** Alarms as they change, as server-sent events. */
export function liveAlarmRoutes(api: Api, dependencies: LiveAlarmDependencies): void {
  const { db, budgets } = dependencies;
  const streams = new Streams(budgets.streams);
  // Before the listener closes, which waits for its connections.
  api.addHook('preClose', () => streams.stop());
  const watch = watchAlarms(db);

  for (const kind of ['group', 'org', 'all'] as const) {
    handle(api, operations[kind], async (request, reply) => {
      const place = placeOf(kind, request);
      await streams.add(callerOf(request), async () => {
        const position = await startPosition(db, request);
        const stream = new AlarmStream(sourceOf(dependencies, watch, place, request), position);
        void stream.run();
        return stream.events.send(reply);
      });
      return reply;
    });
  }
}

function placeOf(of: Place['of'], { params }: FastifyRequest): Place {
  return of === 'all' ? { of } : { of, id: pathIdOf(params).toLowerCase() };
}

function sourceOf(
  dependencies: LiveAlarmDependencies,
  watch: AlarmWatch,
  place: Place,
  request: FastifyRequest,
): AlarmSource {
  const { db, accessDb } = dependencies;
  async function check(): Promise<UserCaller> {
    const caller = await authenticate(dependencies, operations[place.of], request);
    if (caller?.kind !== 'user') throw new DomainError('credential_missing');
    if (place.of !== 'all') await requireRole(accessDb, caller, 'viewer', place.of, place.id);
    return caller;
  }
  return {
    watch,
    // Which groups an org has, and the caller is in, is known where they are read.
    concerns: ({ groups }) => (place.of === 'group' ? groups.has(place.id) : groups.size > 0),
    read: async (range) => findChanged(db, { ...place, user: await check() }, range),
    check: async () => {
      await check();
    },
  };
}

/** After the event that the client names; without one, after all that is visible now. */
async function startPosition(db: Database, { headers }: FastifyRequest): Promise<number> {
  const last = headers['last-event-id'];
  const visible = await visibleNow(db);
  if (typeof last !== 'string' || last === '') return visible;
  if (!/^\d{1,15}$/.test(last)) {
    throw new DomainError('malformed', 'Last-Event-ID is not one of ours');
  }
  // A larger one is of another database, from which this one was not copied.
  return Math.min(Number(last), visible);
}
