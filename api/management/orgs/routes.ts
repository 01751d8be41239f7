import type { Database } from '../../stores/database.ts';
import {
  NewOrg,
  Org,
  OrgChange,
  Orgs,
  OrgsQuery,
  OrgsSearch,
} from '../../../schemas/resources/org.ts';
import { userOf } from '../../access/caller.ts';
import { listRoutes } from '../../access/list-routes.ts';
import { mustExist, present } from '../../http/errors.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { deleteContainer, updateContainer } from '../containers.ts';
import { findOrg, findOrgs, insertOrg } from './sql.ts';

export function orgRoutes(
  api: Api,
  { db, announceKeyChanges }: { db: Database; announceKeyChanges: () => void },
): void {
  api.route({
    method: 'POST',
    url: '/orgs',
    schema: { body: NewOrg, response: { 201: Empty } },
    config: { operation: 'createOrg' },
    handler: async (request, reply) => {
      const id = await insertOrg(db, userOf(request).id, request.body);
      return reply.status(201).header('location', `/orgs/${id}`).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/orgs/:id',
    schema: { params: IdParams, response: { 200: Org } },
    config: { operation: 'viewOrg' },
    handler: async (request) => present(await findOrg(db, request.params.id), 'org'),
  });

  api.route({
    method: 'PUT',
    url: '/orgs/:id',
    schema: { params: IdParams, body: OrgChange, response: { 200: Empty } },
    config: { operation: 'updateOrg' },
    handler: async (request, reply) => {
      mustExist(await updateContainer(db, 'orgs', request.params.id, request.body), 'org');
      return reply.send();
    },
  });

  api.route({
    method: 'DELETE',
    url: '/orgs/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'deleteOrg' },
    handler: async (request, reply) => {
      mustExist(await deleteContainer(db, 'orgs', request.params.id), 'org');
      announceKeyChanges();
      return reply.status(204).send();
    },
  });

  const places = [{ of: 'all', url: '/orgs', list: 'listOrgs', search: 'searchOrgs' }] as const;
  const lists = { query: OrgsQuery, search: OrgsSearch, answer: Orgs };
  listRoutes(api, places, lists, async (user, _scope, query) => {
    const { total, rows } = await findOrgs(db, user, query);
    return { ...envelope(query, total), orgs: rows };
  });
}
