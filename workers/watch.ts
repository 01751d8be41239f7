import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type HealthCheck, health } from '../infra/health.ts';
import type { Registry } from '../infra/metrics.ts';
import { requestIdHeader, requestIdOf } from '../infra/request-id.ts';
import { type ErrorCode, errorBody, errorTable } from '../schemas/errors.ts';

type Watched = { metrics: Registry; checkHealth: () => Promise<Record<string, HealthCheck>> };

/** Serves what operators ask: `/health` and `/metrics`. */
export async function startWatchServer(
  { host, port }: { host: string; port: number },
  watched: Watched,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const id = requestIdOf(request.headers[requestIdHeader]?.toString());
    response.setHeader(requestIdHeader, id);
    answer(watched, request.method ?? '', path, id, response).catch(() =>
      refuse(response, 'internal', id),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
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

async function answer(
  { metrics, checkHealth }: Watched,
  method: string,
  path: string,
  id: string,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('x-content-type-options', 'nosniff').setHeader('cache-control', 'no-store');
  if (path !== '/health' && path !== '/metrics') return refuse(response, 'not_found', id);
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 'method_not_allowed', id);
  }
  if (path === '/metrics') {
    const text = await metrics.metrics();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    return;
  }
  const { httpStatus, body } = health(await checkHealth());
  response
    .writeHead(httpStatus, { 'content-type': 'application/health+json' })
    .end(JSON.stringify(body));
}

function refuse(response: ServerResponse, code: ErrorCode, id: string): void {
  response
    .writeHead(errorTable[code].status, { 'content-type': 'application/json' })
    .end(JSON.stringify(errorBody(code, undefined, id)));
}
