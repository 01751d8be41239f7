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
import { mustExist, present } from '../../http/errors.ts';
import { envelope } from '../../http/query/page.ts';
import { readSearch } from '../../http/query/query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { deleteOrg, findOrg, findOrgs, insertOrg, updateOrg } from './sql.ts';

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
      mustExist(await updateOrg(db, request.params.id, request.body), 'org');
      return reply.send();
    },
  });

  api.route({
    method: 'DELETE',
    url: '/orgs/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'deleteOrg' },
    handler: async (request, reply) => {
      mustExist(await deleteOrg(db, request.params.id), 'org');
      announceKeyChanges();
      return reply.status(204).send();
    },
  });

  api.route({
    method: 'GET',
    url: '/orgs',
    schema: { querystring: OrgsQuery, response: { 200: Orgs } },
    config: { operation: 'listOrgs' },
    handler: async (request) => {
      const { total, rows } = await findOrgs(db, userOf(request), request.query);
      return { ...envelope(request.query, total), orgs: rows };
    },
  });

  api.route({
    method: 'POST',
    url: '/orgs/search',
    schema: { body: OrgsSearch, response: { 200: Orgs } },
    config: { operation: 'searchOrgs' },
    preValidation: readSearch,
    handler: async (request) => {
      const { total, rows } = await findOrgs(db, userOf(request), request.body);
      return { ...envelope(request.body, total), orgs: rows };
    },
  });
}
