import { userOf } from '../../access/caller.ts';
import { mustExist } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import { silences } from './operations.ts';
import { endSilence, findSilences, insertSilence } from './sql.ts';

export function silenceRoutes(api: Api, { db }: { db: Database }): void {
  handle(api, silences.createSilence, async (request, reply) => {
    const { params, body } = request;
    const made = await insertSilence(db, params.id.toLowerCase(), body, userOf(request));
    return reply.status(201).header('location', `/silences/${made.id}`).send(made);
  });

  handle(api, silences.listSilences, async ({ params, query }) => {
    const { offset = 0, limit = limits.pageLimitDefault } = query;
    const { total, rows } = await findSilences(db, params.id, query);
    return { ...query, total, offset, limit, silences: rows };
  });

  handle(api, silences.endSilence, async ({ params }, reply) => {
    mustExist(await endSilence(db, params.id), 'silence');
    return reply.status(204).send();
  });
}
