import { userOf } from '../../access/caller.ts';
import { handleLists } from '../../access/handle-lists.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { deleteContainer, updateContainer } from '../containers.ts';
import { orgs } from './operations.ts';
import { findOrg, findOrgs, insertOrg } from './sql.ts';

export function orgRoutes(
  api: Api,
  { db, announceKeyChanges }: { db: Database; announceKeyChanges: () => void },
): void {
  handle(api, orgs.createOrg, async (request, reply) => {
    const id = await insertOrg(db, userOf(request).id, request.body);
    return reply.status(201).header('location', `/orgs/${id}`).send();
  });

  handle(api, orgs.viewOrg, async (request) =>
    present(await findOrg(db, request.params.id), 'org'),
  );

  handle(api, orgs.updateOrg, async (request, reply) => {
    mustExist(await updateContainer(db, 'orgs', request.params.id, request.body), 'org');
    return reply.send();
  });

  handle(api, orgs.deleteOrg, async (request, reply) => {
    mustExist(await deleteContainer(db, 'orgs', request.params.id), 'org');
    announceKeyChanges();
    return reply.status(204).send();
  });

  handleLists(api, [orgs.listOrgs, orgs.searchOrgs], async (user, _scope, query) => {
    const { total, rows } = await findOrgs(db, user, query);
    return { ...envelope(query, total), orgs: rows };
  });
}
