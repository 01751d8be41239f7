import { userOf } from '../../access/caller.ts';
import { handleLists } from '../../access/handle-lists.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { deleteContainer, updateContainer } from '../containers.ts';
import { groups } from './operations.ts';
import {
  deleteGroups,
  findGroup,
  findGroupOfProfile,
  findGroupOfThing,
  findGroups,
  insertGroups,
} from './sql.ts';

export function groupRoutes(
  api: Api,
  { db, announceKeyChanges }: { db: Database; announceKeyChanges: () => void },
): void {
  handle(api, groups.createGroups, async (request, reply) => {
    const { body } = request;
    const given = Array.isArray(body) ? body : [body];
    const made = await insertGroups(db, request.params.id, userOf(request).id, given);
    if (Array.isArray(body)) return reply.status(201).send({ groups: made });
    return reply.status(201).header('location', `/groups/${made[0]?.id}`).send(undefined);
  });

  handle(api, groups.viewGroup, async (request) =>
    present(await findGroup(db, request.params.id), 'group'),
  );

  handleLists(
    api,
    [groups.listGroups, groups.searchGroups, groups.listOrgGroups, groups.searchOrgGroups],
    async (user, scope, query) => {
      const { total, rows } = await findGroups(db, user, scope, query);
      return { ...envelope(query, total), groups: rows };
    },
  );

  handle(api, groups.updateGroup, async (request, reply) => {
    mustExist(await updateContainer(db, 'groups', request.params.id, request.body), 'group');
    return reply.send();
  });

  handle(api, groups.deleteGroup, async (request, reply) => {
    mustExist(await deleteContainer(db, 'groups', request.params.id), 'group');
    announceKeyChanges();
    return reply.status(204).send();
  });

  handle(api, groups.deleteGroups, async (request, reply) => {
    await deleteGroups(db, userOf(request), request.body.group_ids);
    announceKeyChanges();
    return reply.status(204).send();
  });

  handle(api, groups.viewThingGroup, async (request) =>
    present(await findGroupOfThing(db, request.params.id), 'group'),
  );

  handle(api, groups.viewProfileGroup, async (request) =>
    present(await findGroupOfProfile(db, request.params.id), 'group'),
  );
}
