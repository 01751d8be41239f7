import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyReply } from 'fastify';
import { boundConnections } from '../../infra/runtime/network/bounded-server.ts';
import { repeatedHeader, sentTwice } from '../../infra/runtime/network/repeated-headers.ts';
import { measureConnections } from '../../infra/runtime/observability/metrics.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import {
  requestIdHeader,
  requestIdOf,
  withinRequest,
} from '../../infra/runtime/process/request-id.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import { treeGroupDefinition } from '../../schemas/resources/tree.ts';
import { admit, readmit } from '../access/admission.ts';
import { rememberPaths, toRoute } from '../http/paths.ts';
import { acceptJsonBodies, refuseEncodings } from '../http/body.ts';
import { restConnections } from '../http/connections/resting-connections.ts';
import { boundArrival } from '../http/connections/upload-timeout.ts';
import { answerOtherOrigins } from '../http/cors.ts';
import { answerClientError, createErrorHandler } from '../http/errors.ts';
import { writeListsByRow } from '../http/json/lists.ts';
import { serializerCompiler } from '../http/json/serialization.ts';
import { compileValidator } from '../http/json/validation.ts';
import { logRequests } from '../http/observability/access-log.ts';
import { measureAnswers, measureBudgets } from '../http/observability/metrics.ts';
import { traceRequests } from '../http/observability/tracing.ts';
import { readQuery, refuseBody } from '../http/query/query.ts';
import type { Api } from '../http/schemas.ts';
import { limits } from '../limits.ts';
import { authorOf } from '../management/audit/author.ts';
import { documentRoutes } from '../operations/docs/routes.ts';
import { edgeRoutes } from '../operations/edge-proxy.ts';
import { changeAs } from '../stores/author.ts';
import { spendFor } from '../stores/spending.ts';
import type { Dependencies } from './dependencies.ts';
import { operations, resources } from './resources.ts';

/** Builds the HTTP server out of its dependencies; it does not listen yet. */
export function buildServer(dependencies: Dependencies): Api {
  const api = createApi(dependencies.logger);
  observe(api, dependencies);
  boundConnections(api.server, dependencies.connections, limits.connectionRetrySeconds);
  boundArrival(api);
  restConnections(api);
  writeListsByRow(api);
  refuseEncodings(api);
  const methodsOf = rememberPaths(api);

  documentRoutes(api);
  requireOperations(api);
  refuseRepeatedHeaders(api);
  refuseUnknownPaths(api, methodsOf);
  admitRequests(api, dependencies);

  // The edge reads its bodies itself, so the two know different content types.
  edgeRoutes(api, dependencies);
  api.register(async (managed) => {
    acceptJsonBodies(managed);
    for (const { routes } of resources) routes(managed, dependencies);
  });
  return api;
}

/** No route is without an operation, and no operation without a route: what stands in one place holds for both. */
function requireOperations(api: Api): void {
  const withRoute = new Set<string>();
  const names = new Set(operations.map(({ name }) => name));
  api.addHook('onRoute', ({ url, config }) => {
    const name = config?.operation?.name ?? '';
    if (!names.has(name)) throw new Error(`${url} names no operation`);
    withRoute.add(name);
  });
  api.addHook('onReady', async () => {
    const without = [...names].filter((name) => !withRoute.has(name));
    if (without.length > 0) throw new Error(`no route does ${without.join(', ')}`);
  });
}

/** Fastify with our compilers of schemas, errors and request ids. */
function createApi(logger: Logger): Api {
  const api = Fastify({
    bodyLimit: limits.bodyBytesMax,
    genReqId: ({ headers }) => requestIdOf(headers[requestIdHeader]?.toString()),
    // Node's own timeout knows no exception: upload-timeout.ts bounds uploads instead.
    requestTimeout: 0,
    keepAliveTimeout: limits.connectionIdleMsMax,
    http: { headersTimeout: limits.headMsMax, connectionsCheckingInterval: limits.headLookMs },
    // Requests that still arrive while it stops are answered like any other.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1_024 },
    rewriteUrl: (request) => toRoute(request.url ?? '/'),
    clientErrorHandler: answerClientError,
    frameworkErrors: createErrorHandler(logger),
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Before the contexts of routes, which inherit the compilers.
  api.addSchema(treeGroupDefinition);
  api.setValidatorCompiler(compileValidator);
  api.setSerializerCompiler(serializerCompiler({ TreeGroup: treeGroupDefinition }));
  api.setErrorHandler(createErrorHandler(logger));
  api.decorateRequest('caller', null);
  api.decorateRequest('role', null);
  api.decorateRequest('clientAddress', '');
  api.decorateRequest('forwardedScheme', undefined);
  api.decorateRequest('admittedAt', 0);
  return api;
}

/** Gives each request its id, and records it in the log, in metrics and in traces. */
function observe(
  api: Api,
  { cors, accessLogShare, metrics, tracing, budgets, connections, logger }: Dependencies,
): void {
  api.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    withinRequest(request.id, done);
  });
  answerOtherOrigins(api, cors);
  logRequests(api, logger, accessLogShare);
  measureAnswers(api, metrics);
  traceRequests(api, tracing);
  measureBudgets(budgets, metrics);
  measureConnections(metrics, connections);
}

/** A proxy on the way may have taken the other one of two. */
function refuseRepeatedHeaders(api: Api): void {
  api.addHook('onRequest', async ({ raw }) => {
    const repeated = repeatedHeader(raw.rawHeaders);
    if (repeated !== undefined) throw new DomainError('malformed', sentTwice(repeated));
  });
}

/** Refuses a path that is not there, and a method that a path does not take. */
function refuseUnknownPaths(api: Api, methodsOf: (path: string) => string[]): void {
  api.addHook('onRequest', async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff').header('cache-control', 'no-store');
    if (!request.is404) return;
    const methods = methodsOf(request.url.split('?')[0] ?? '/');
    if (methods.length === 0) throw new DomainError('not_found', 'path');
    reply.header('allow', methods.join(', '));
    throw new DomainError('method_not_allowed');
  });
}

/** Admits requests before their bodies are read, and reads their queries before they are checked. */
function admitRequests(api: Api, dependencies: Dependencies): void {
  api.addHook('onRequest', async (request) => {
    const { socket, headers } = request.raw;
    const peer = socket.remoteAddress ?? '';
    const told = (name: string) => [headers[name] ?? []].flat().join();
    request.clientAddress = dependencies.clientAddress(peer, told('x-forwarded-for'));
    request.forwardedScheme = dependencies.clientScheme(peer, told('x-forwarded-proto'));
  });
  api.addHook('onRequest', (request, reply, done) => {
    admit(dependencies, request, reply).then(
      (spender) =>
        spendFor({ spender, gone: goneOf(reply) }, () => changeAs(authorOf(request), done)),
      done,
    );
  });
  api.addHook('preValidation', async (request) => {
    readQuery(request);
    refuseBody(request);
  });
  api.addHook('preHandler', async (request) => {
    // A route that found nothing to serve has passed it on.
    if (request.is404) throw new DomainError('not_found', 'path');
    await readmit(dependencies, request);
  });
}

/** One for all: with a stack of its own, each answer would take 0.14 ms for it, whether or not its client leaves. */
const clientLeft = new DomainError('unavailable', 'the client has left');

/** Ends with the answer, or when its client leaves before. */
function goneOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const end = () => controller.abort(clientLeft);
  if (raw.destroyed) end();
  raw.once('close', end);
  return controller.signal;
}
