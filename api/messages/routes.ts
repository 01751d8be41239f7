import type { Budgets } from '../../infra/runtime/budgets/budgets.ts';
import type { Database } from '../stores/database.ts';
import type { ClickHouseClients } from '../stores/clickhouse.ts';
import type { Publishers } from './reach/publishers.ts';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Uuid } from '../../schemas/http/common.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import type { DeleteQuery, ReadAsked } from '../../schemas/messages/query.ts';
import { callerOf } from '../access/caller.ts';
import { type Api, Empty } from '../http/schemas.ts';
import { aggregationOf } from './aggregates/aggregates.ts';
import { ExportQuery, MessagesToDelete, ReadQuery } from './asked.ts';
import { selectMessages } from './query/conditions.ts';
import { type MessageFormat, messageFormats } from '../../schemas/messages/tables.ts';
import { deleteMessages, settleLogs } from './deletes.ts';
import { compress, encodingOf } from './export/encoding.ts';
import { exportFile, type FileType, fileTypes } from './export/export.ts';
import { type Page, readPage } from './pages.ts';
import { inPieces, mustTake } from '../http/connections/pace.ts';
import { isEmpty, reachOf } from './reach/reach.ts';
import { openStore } from './store/store.ts';
import { takeTurnFor } from './store/turn.ts';
import { acceptSearchBodies, searchAll, Searches } from './searches.ts';

const PublisherParams = Type.Object({ publisher: Uuid });

type RouteParts = {
  db: Database;
  publishers: Publishers;
  clickhouse: ClickHouseClients;
  budgets: Budgets;
  announceKeyChanges: () => void;
};

export function readerRoutes(api: Api, parts: RouteParts): void {
  for (const format of messageFormats) {
    api.route({
      method: 'GET',
      url: `/reader/${format}`,
      schema: { querystring: ReadQuery },
      config: { operation: 'readMessages' },
      handler: async (request, reply) => {
        const page = await readPage(
          parts,
          format,
          callerOf(request),
          request.query,
          request.signal,
        );
        mustTake(reply.raw);
        if (page.next !== undefined) reply.header('link', linkTo(request.originalUrl, page.next));
        return reply.type('application/json').send(bodyOf(format, request.query, page));
      },
    });

    api.register(async (searches: Api) => {
      acceptSearchBodies(searches);
      searches.route({
        method: 'POST',
        url: `/reader/${format}/search`,
        schema: { body: Searches },
        config: { operation: 'searchMessages' },
        handler: async (request, reply) => {
          const { body } = request;
          reply.type('application/json');
          mustTake(reply.raw);
          const caller = callerOf(request);
          if (Array.isArray(body)) {
            return reply.send(
              Readable.from(inPieces(searchAll(parts, format, caller, body, request.signal))),
            );
          }
          return reply.send(
            bodyOf(format, body, await readPage(parts, format, caller, body, request.signal)),
          );
        },
      });
    });

    api.route({
      method: 'GET',
      url: `/reader/${format}/export`,
      // It would run the whole export, for nobody.
      exposeHeadRoute: false,
      schema: { querystring: ExportQuery },
      config: { operation: 'exportMessages' },
      handler: async (request, reply) => {
        const { query } = request;
        const caller = callerOf(request);
        const type = query.convert ?? typeIn(request.headers.accept);
        const aggregation = aggregationOf(format, query);
        await takeTurnFor(reply.raw, parts.budgets.exports, caller, request.signal);
        const reach = await reachOf(parts, caller, query.publisher, 'viewer');
        const where = selectMessages(format, query, reach);
        const times = query.time_format?.toLowerCase() === 'rfc3339' ? 'rfc3339' : 'unix';
        const file = await exportFile(
          openStore(parts, request.signal),
          format,
          where,
          { ...query, type, times },
          aggregation,
        );
        mustTake(reply.raw);
        const { contentType, extension } = fileTypes[type];
        const encoding = encodingOf(request.headers['accept-encoding']);
        if (encoding !== undefined) reply.header('content-encoding', encoding);
        return reply
          .type(contentType)
          .header('vary', 'accept, accept-encoding')
          .header('content-disposition', `attachment; filename="messages-${format}.${extension}"`)
          .send(compress(file, encoding));
      },
    });

    api.route({
      method: 'DELETE',
      url: `/reader/${format}`,
      schema: { querystring: MessagesToDelete, response: { 204: Empty } },
      config: { operation: 'deleteMessages' },
      handler: async (request, reply) => {
        await deleteAsked(parts, format, request, reply.raw, request.query);
        return reply.status(204).send();
      },
    });

    api.route({
      method: 'DELETE',
      url: `/reader/${format}/:publisher`,
      schema: { params: PublisherParams, querystring: MessagesToDelete, response: { 204: Empty } },
      config: { operation: 'deleteMessagesOfThing' },
      handler: async (request, reply) => {
        const asked = ofThing(request.params.publisher, request.query);
        await deleteAsked(parts, format, request, reply.raw, asked);
        return reply.status(204).send();
      },
    });
  }
}

/** The interface's envelope, and the cursor of the next page. */
function bodyOf(format: MessageFormat, { limit, offset }: ReadAsked, page: Page): Readable {
  async function* text(): AsyncGenerator<string> {
    yield `{"offset":${offset},"limit":${limit},"format":"${format}","total":${page.total},"messages":[`;
    const next = yield* page.texts;
    yield next === undefined ? ']}' : `],"next":"${next}"}`;
  }
  // A client that leaves early must not keep ClickHouse's answer open.
  return Readable.from(inPieces(text())).once('close', page.close);
}

/** RFC 8288: the same request with the cursor of what follows. */
function linkTo(url: string, next: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const parameters = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
  parameters.delete('offset');
  parameters.set('cursor', next);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

/**
 * Deletes what matches all the filters, of what was acknowledged before: what is still on its way to the store
 * is waited for.
 */
async function deleteAsked(
  parts: RouteParts,
  format: MessageFormat,
  request: FastifyRequest,
  response: ServerResponse,
  asked: DeleteQuery,
): Promise<void> {
  mustBeDeletion(asked);
  const caller = callerOf(request);
  const reach = await reachOf(parts, caller, asked.publisher, 'admin');
  const where = selectMessages(format, asked, reach);
  if (isEmpty(reach)) return;
  await settleLogs(parts);
  await takeTurnFor(response, parts.budgets.reads, caller, request.signal);
  const store = openStore(parts, request.signal);
  await deleteMessages(store, format, where);
}

/** @throws DomainError `malformed` for what would narrow a reading and not a deletion. */
function mustBeDeletion({ comparator, v, limit, offset }: DeleteQuery): void {
  if (comparator !== undefined && v === undefined) {
    throw new DomainError('malformed', 'comparator: v is missing');
  }
  if (limit !== undefined && offset === undefined) {
    throw new DomainError('malformed', 'limit: a deletion has none');
  }
}

/** @throws DomainError `malformed` where the query names another thing than the path. */
function ofThing(publisher: string, query: DeleteQuery): DeleteQuery {
  if (query.publisher !== undefined && query.publisher.toLowerCase() !== publisher.toLowerCase()) {
    throw new DomainError('malformed', 'publisher is another one than the path names');
  }
  return { ...query, publisher };
}

/** The first type a client names that there is; JSON unless it names one. */
function typeIn(accept: string | undefined): FileType {
  const types: FileType[] = ['json', 'csv', 'ndjson', 'parquet', 'arrow'];
  const named = (accept ?? '')
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim());
  const found = named.flatMap((name) =>
    types.filter((type) => fileTypes[type].contentType.split(';')[0] === name),
  );
  return found[0] ?? 'json';
}
