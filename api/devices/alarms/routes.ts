import type { FastifyReply, FastifyRequest } from 'fastify';
import { markedUtf8 } from '../../../schemas/csv.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { AlarmsFileQuery } from '../../../schemas/resources/alarm.ts';
import { callerOf, userOf } from '../../access/caller.ts';
import type { Budgets } from '../../budgets/budgets.ts';
import { mustTake } from '../../http/connections/pace.ts';
import { present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { pathIdOf } from '../../http/path-id.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import { takeTurnFor } from '../../messages/store/store.ts';
import type { Database } from '../../stores/database.ts';
import { toldAs } from '../../stores/told.ts';
import { alarmFile, alarmFileTypes } from './file.ts';
import { type LiveAlarmDependencies, liveAlarmRoutes } from './live/routes.ts';
import { alarms } from './operations.ts';
import {
  acknowledge,
  type AlarmPlace,
  findAlarm,
  findAlarms,
  findAllAlarms,
  noteExport,
} from './sql.ts';

type AlarmDependencies = { db: Database; budgets: Budgets };

export function alarmRoutes(
  api: Api,
  dependencies: AlarmDependencies & LiveAlarmDependencies,
): void {
  liveAlarmRoutes(api, dependencies);
  const { db } = dependencies;
  const places = [
    ['thing', alarms.listThingAlarms, alarms.exportThingAlarms],
    ['group', alarms.listGroupAlarms, alarms.exportGroupAlarms],
    ['org', alarms.listOrgAlarms, alarms.exportOrgAlarms],
    ['all', alarms.listAlarms, alarms.exportAlarms],
  ] as const;
  for (const [of, list, file] of places) {
    handle(api, list, async (request) => {
      const { query } = request;
      const { offset = 0, limit = limits.pageLimitDefault } = query;
      const { total, rows } = await findAlarms(db, placeOf(of, request), query);
      return { ...query, total, offset, limit, alarms: rows };
    });

    handle(api, file, async (request, reply) =>
      sendFile(dependencies, placeOf(of, request), { request, reply, query: request.query }),
    );
  }

  handle(api, alarms.viewAlarm, async ({ params }) =>
    present(await findAlarm(db, params.id), 'alarm'),
  );

  handle(api, alarms.acknowledgeAlarm, async (request) => {
    const { params, body } = request;
    return present(await acknowledge(db, params.id, userOf(request), body.note), 'alarm');
  });
}

function placeOf(of: AlarmPlace['of'], request: FastifyRequest): AlarmPlace {
  const user = userOf(request);
  return of === 'all' ? { of, user } : { of, id: pathIdOf(request.params).toLowerCase(), user };
}

type Asked = { request: FastifyRequest; reply: FastifyReply; query: AlarmsFileQuery };

async function sendFile(
  { db, budgets }: AlarmDependencies,
  place: AlarmPlace,
  { request, reply, query }: Asked,
) {
  const { convert = 'ndjson', bom = false, ...filters } = query;
  if (bom && convert !== 'csv') throw new DomainError('malformed', 'bom: only CSV has one');
  await takeTurnFor(reply.raw, budgets.exports, callerOf(request), request.signal);
  await noteExport(db, place, toldAs('to', { ...filters, convert }));
  mustTake(reply.raw);
  const type = alarmFileTypes[convert];
  const head = bom ? markedUtf8(type.head) : type.head;
  return reply
    .type(type.contentType)
    .header('content-disposition', `attachment; filename="alarms.${convert}"`)
    .send(alarmFile(findAllAlarms(db, place, filters), { ...type, head }));
}
