import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Budgets } from '../../budgets/budgets.ts';
import type { AuditFileQuery, AuditQuery } from '../../../schemas/resources/audit.ts';
import { markedUtf8 } from '../../../schemas/csv.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { callerOf } from '../../access/caller.ts';
import { mustTake } from '../../http/connections/pace.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import { takeTurnFor } from '../../messages/store/store.ts';
import type { Database } from '../../stores/database.ts';
import { auditFile, auditFileTypes } from './file.ts';
import { audit } from './operations.ts';
import { findAllEntries, findEntries } from './sql.ts';

type AuditDependencies = { db: Database; budgets: Budgets };

/** Changes made in an org, and on the whole platform: lists and files. */
export function auditRoutes(api: Api, dependencies: AuditDependencies): void {
  const { db } = dependencies;

  async function page(query: AuditQuery) {
    const { offset = 0, limit = limits.pageLimitDefault } = query;
    const { total, rows } = await findEntries(db, query);
    return { ...query, total, offset, limit, entries: rows };
  }

  async function file(request: FastifyRequest, reply: FastifyReply, query: AuditFileQuery) {
    const { convert = 'ndjson', bom = false, ...wanted } = query;
    if (bom && convert !== 'csv') throw new DomainError('malformed', 'bom: only CSV has one');
    const { exports } = dependencies.budgets;
    await takeTurnFor(reply.raw, exports, callerOf(request), request.signal);
    mustTake(reply.raw);
    const type = auditFileTypes[convert];
    const head = bom ? markedUtf8(type.head) : type.head;
    return reply
      .type(type.contentType)
      .header('content-disposition', `attachment; filename="audit.${convert}"`)
      .send(auditFile(findAllEntries(db, wanted), { ...type, head }));
  }

  handle(api, audit.listOrgAudit, async ({ params, query }) =>
    page({ ...query, org_id: params.id }),
  );

  handle(api, audit.listAudit, async ({ query }) => page(query));

  handle(api, audit.exportOrgAudit, async (request, reply) =>
    file(request, reply, { ...request.query, org_id: request.params.id }),
  );

  handle(api, audit.exportAudit, async (request, reply) => file(request, reply, request.query));
}
