import { secondsOfDuration } from '../../../schemas/resources/api-key.ts';
import { userOf } from '../../access/caller.ts';
import { createApiKey, hashApiKey } from '../../access/credentials/api-key.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import { keys } from './operations.ts';
import { deleteKey, findKey, findKeys, insertKey } from './sql.ts';

/** A user sees and revokes their own keys. Other users' keys are `not_found`. */
export function keyRoutes(api: Api, { db }: { db: Database }): void {
  handle(api, keys.issueKey, async (request, reply) => {
    const value = createApiKey();
    const seconds = secondsOfDuration(request.body.duration ?? 0);
    const issued = await insertKey(db, userOf(request).id, hashApiKey(value), seconds);
    return reply.status(201).send({ ...issued, value });
  });

  handle(api, keys.viewKey, async (request) =>
    present(await findKey(db, userOf(request).id, request.params.id), 'API key'),
  );

  handle(api, keys.listKeys, async (request) => {
    const { total, rows } = await findKeys(db, userOf(request).id, request.query);
    return { ...envelope(request.query, total), keys: rows };
  });

  handle(api, keys.revokeKey, async (request, reply) => {
    mustExist(await deleteKey(db, userOf(request).id, request.params.id), 'API key');
    return reply.status(204).send();
  });
}
