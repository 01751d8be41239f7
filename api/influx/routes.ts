import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { influxVersion } from '../../schemas/messages/points.ts';
import { userOf } from '../access/caller.ts';
import { inPieces, mustTake } from '../http/connections/pace.ts';
import { createErrorHandler } from '../http/errors.ts';
import { handle } from '../http/handle.ts';
import type { Api } from '../http/schemas.ts';
import { compress, encodingOf } from '../messages/export/routes.ts';
import { takeTurnFor } from '../messages/store/store.ts';
import { csvAnswer } from './answers/csv.ts';
import { jsonAnswer } from './answers/json.ts';
import { prettyJson } from './answers/pretty.ts';
import { influxErrorBody } from './errors.ts';
import { parseQuery } from './language/parse.ts';
import { influx } from './operations.ts';
import { readRequest } from './request.ts';
import { checkStatements, resultsOf, type StatementDependencies } from './statements.ts';

type InfluxDependencies = StatementDependencies & { budgets: Budgets; logger: Logger };

export function influxRoutes(api: Api, dependencies: InfluxDependencies): void {
  api.register(async (scope: Api) => {
    scope.setErrorHandler(createErrorHandler(dependencies.logger, influxErrorBody));
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('x-influxdb-version', influxVersion).header('x-influxdb-build', 'OSS');
    });
    acceptForms(scope);
    const answer = async (request: FastifyRequest, reply: FastifyReply) =>
      answerQuery(dependencies, request, reply);
    handle(scope, influx.queryInflux, answer);
    handle(scope, influx.queryInflux_post, answer);
  });
}

function acceptForms(api: Api): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body: string, done) => {
      // Of two with one name the first counts.
      done(null, Object.fromEntries([...new URLSearchParams(body)].toReversed()));
    },
  );
}

async function answerQuery(
  dependencies: InfluxDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { signal, query, body, headers } = request;
  const caller = userOf(request);
  const { q, db: database, params, pretty, ...style } = readRequest(query, body);
  const statements = parseQuery(q, params);
  checkStatements(statements);
  await takeTurnFor(reply.raw, dependencies.budgets.reads, caller, signal);
  const results = resultsOf(dependencies, { statements, database, caller, signal });
  const isCsv = /\b(?:application|text)\/csv\b/.test(headers.accept ?? '');
  const texts = isCsv ? csvAnswer(results, style) : jsonAnswer(results, style);
  const pieces = inPieces(pretty && !isCsv ? prettyJson(texts) : texts);
  // A failure of the service before the first piece has a status of its own.
  const first = await pieces.next();
  mustTake(reply.raw);
  const encoding = encodingOf(headers['accept-encoding']);
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply
    .type(isCsv ? 'text/csv' : 'application/json')
    .header('vary', 'accept, accept-encoding')
    .send(compress(Readable.from(withFirst(first, pieces)), encoding));
}

async function* withFirst(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (first.done !== true) yield first.value;
  yield* rest;
}
