import { NewOrg, Org } from '../../schemas/org.ts';
import { userOf } from '../access/caller.ts';
import { present } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { type Api, Empty, IdParams } from '../shapes.ts';
import { findOrg, insertOrg } from './sql.ts';

export function orgRoutes(api: Api, { db }: Pick<Parts, 'db'>): void {
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
    handler: async (request) => present(await findOrg(db, request.params.id)),
  });
}
