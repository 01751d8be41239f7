import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ErrorCode, errorBody, errorTable } from '../../../schemas/http/errors.ts';
import { boundConnections } from '../network/bounded-server.ts';
import { Connections } from '../network/connections.ts';
import type { About } from '../process/about.ts';
import type { Logger } from '../process/logger.ts';
import { repeatedHeader, sentTwice } from '../network/repeated-headers.ts';
import { type HealthCheck, health } from './health.ts';
import type { Registry } from './metrics.ts';
import { type Asker, type MetricsAccess, metricsRefused, proxyHeaders } from './metrics-access.ts';
import { requestIdHeader, requestIdOf } from '../process/request-id.ts';

/** Health and metrics, as an operator server answers with them. */
export type OperatorView = {
  about: About;
  metrics: Registry;
  checkHealth: () => Promise<Record<string, HealthCheck>>;
  /** Decides who may read the metrics. Health is for anybody. */
  metricsAccess: MetricsAccess;
};

/** For one connection more, the one that has been idle for longest is closed. */
const connections = { max: 256, perNetworkMax: 256 };
const retryAfterSeconds = 5;

/** The response of one path. */
export type OperatorResponse = { status: number; contentType: string; body: string };

/** Asks for the response of one path. Undefined: it is not for this asker. */
export type AskOperator = (asker: Asker) => Promise<OperatorResponse | undefined>;

/** By its path. */
export type OperatorResponses = Map<string, AskOperator>;

/** The responses of a process by path. A process that answers is live. */
export function operatorResponses({
  about,
  metrics,
  checkHealth,
  metricsAccess,
}: OperatorView): OperatorResponses {
  const checked = async () => healthAnswer(about, await checkHealth());
  return new Map<string, AskOperator>([
    ['/health', checked],
    ['/health/ready', checked],
    ['/health/live', async () => healthAnswer(about, {})],
    [
      '/metrics',
      async (asker) =>
        metricsAccess(asker)
          ? { status: 200, contentType: metrics.contentType, body: await metrics.metrics() }
          : undefined,
    ],
  ]);
}

function healthAnswer(about: About, parts: Record<string, HealthCheck>): OperatorResponse {
  const { httpStatus, body } = health(about, parts);
  const contentType = 'application/health+json';
  return { status: httpStatus, contentType, body: JSON.stringify(body) };
}

/**
 * Serves `/health` and `/metrics` on a port of their own.
 *
 * @throws where the port is taken, naming the `setting` that says which.
 */
export async function startOperatorServer(
  { host, port, setting, logger }: { host: string; port: number; setting: string; logger: Logger },
  view: OperatorView,
): Promise<{ port: number; close: () => Promise<void> }> {
  const answers = operatorResponses(view);
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const id = requestIdOf(request.headers[requestIdHeader]?.toString());
    response.setHeader(requestIdHeader, id);
    const repeated = repeatedHeader(request.rawHeaders);
    if (repeated !== undefined) return refuse(response, 'malformed', id, sentTwice(repeated));
    answer(answers, request, path, id, response).catch(() => refuse(response, 'internal', id));
  });
  boundConnections(server, new Connections(connections, () => false, logger), retryAfterSeconds);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw isTaken ? new Error(`${setting}: port ${port} is taken`) : error;
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The sender of a request that came over Node. */
export function askerOf({ socket, headers }: IncomingMessage): Asker {
  return {
    peer: socket.remoteAddress ?? '',
    forwardedFor: [headers['x-forwarded-for'] ?? []].flat().join(),
    isForwarded: proxyHeaders.some((name) => headers[name] !== undefined),
    authorization: headers.authorization ?? '',
  };
}

async function answer(
  answers: OperatorResponses,
  request: IncomingMessage,
  path: string,
  id: string,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('x-content-type-options', 'nosniff').setHeader('cache-control', 'no-store');
  const ask = answers.get(path);
  if (ask === undefined) return refuse(response, 'not_found', id, 'path');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 'method_not_allowed', id);
  }
  const answered = await ask(askerOf(request));
  if (answered === undefined) return refuse(response, 'forbidden', id, metricsRefused);
  const { status, contentType, body } = answered;
  response.writeHead(status, { 'content-type': contentType }).end(body);
}

function refuse(response: ServerResponse, code: ErrorCode, id: string, detail?: string): void {
  response
    .writeHead(errorTable[code].status, { 'content-type': 'application/json' })
    .end(JSON.stringify(errorBody(code, detail, id)));
}
