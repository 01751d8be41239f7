import { userOf } from '../../access/caller.ts';
import { mustExist, present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import { annotations } from './operations.ts';
import {
  changeAnnotation,
  deleteAnnotation,
  findAnnotation,
  findGroupAnnotations,
  findThingAnnotations,
  insertAnnotation,
} from './sql.ts';

export function annotationRoutes(api: Api, { db }: { db: Database }): void {
  handle(api, annotations.createAnnotation, async (request, reply) => {
    const { params, body } = request;
    const made = await insertAnnotation(db, params.id.toLowerCase(), body, userOf(request));
    return reply.status(201).header('location', `/annotations/${made.id}`).send(made);
  });

  handle(api, annotations.listGroupAnnotations, async ({ params, query }) => {
    const { offset = 0, limit = limits.pageLimitDefault } = query;
    const { total, rows } = await findGroupAnnotations(db, params.id, query);
    return { ...query, total, offset, limit, annotations: rows };
  });

  handle(api, annotations.listThingAnnotations, async ({ params, query }) => {
    const { offset = 0, limit = limits.pageLimitDefault } = query;
    const { total, rows } = await findThingAnnotations(db, params.id, query);
    return { ...query, total, offset, limit, annotations: rows };
  });

  handle(api, annotations.viewAnnotation, async ({ params }) =>
    present(await findAnnotation(db, params.id), 'annotation'),
  );

  handle(api, annotations.updateAnnotation, async ({ params, body }) =>
    present(await changeAnnotation(db, params.id, body), 'annotation'),
  );

  handle(api, annotations.deleteAnnotation, async ({ params }, reply) => {
    mustExist(await deleteAnnotation(db, params.id), 'annotation');
    return reply.status(204).send();
  });
}
