import type { Database } from '../../stores/database.ts';
import {
  ApiKey,
  ApiKeys,
  ApiKeysQuery,
  IssuedApiKey,
  NewApiKey,
  secondsOfDuration,
} from '../../../schemas/resources/api-key.ts';
import { createApiKey, hashApiKey } from '../../access/credentials/api-key.ts';
import { userOf } from '../../access/caller.ts';
import { mustExist, present } from '../../http/errors.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { deleteKey, findKey, findKeys, insertKey } from './sql.ts';

/** A user sees and revokes their own keys. Other users' keys are `not_found`. */
export function keyRoutes(api: Api, { db }: { db: Database }): void {
  api.route({
    method: 'POST',
    url: '/keys',
    schema: { body: NewApiKey, response: { 201: IssuedApiKey } },
    config: { operation: 'issueKey' },
    handler: async (request, reply) => {
      const value = createApiKey();
      const seconds = secondsOfDuration(request.body.duration ?? 0);
      const issued = await insertKey(db, userOf(request).id, hashApiKey(value), seconds);
      return reply.status(201).send({ ...issued, value });
    },
  });

  api.route({
    method: 'GET',
    url: '/keys/:id',
    schema: { params: IdParams, response: { 200: ApiKey } },
    config: { operation: 'viewKey' },
    handler: async (request) =>
      present(await findKey(db, userOf(request).id, request.params.id), 'API key'),
  });

  api.route({
    method: 'GET',
    url: '/keys',
    schema: { querystring: ApiKeysQuery, response: { 200: ApiKeys } },
    config: { operation: 'listKeys' },
    handler: async (request) => {
      const { total, rows } = await findKeys(db, userOf(request).id, request.query);
      return { ...envelope(request.query, total), keys: rows };
    },
  });

  api.route({
    method: 'DELETE',
    url: '/keys/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'revokeKey' },
    handler: async (request, reply) => {
      mustExist(await deleteKey(db, userOf(request).id, request.params.id), 'API key');
      return reply.status(204).send();
    },
  });
}
