import type { Traced, Tracing } from '../../../infra/runtime/observability/tracing.ts';
import type { Api } from '../schemas.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** `null` if it is not traced. */
    traced: Traced | null;
  }
}

/** Traces requests, and what they ask of others. Comes before all that asks something. */
export function traceRequests(api: Api, tracing: Tracing | undefined): void {
  api.decorateRequest('traced', null);
  if (tracing === undefined) return;
  api.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request;
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const attributes = { 'http.request.method': method, 'http.route': route };
    const traceparent = [headers['traceparent'] ?? ''].flat()[0];
    const traced = tracing.begin(`${method} ${route}`, 'server', attributes, traceparent);
    if (traced === undefined) return done();
    request.traced = traced;
    traced.run(done);
  });
  // A body that was waited for came in the context of its connection.
  api.addHook('preHandler', (request, _reply, done) => {
    if (request.traced === null) return done();
    request.traced.run(done);
  });
  api.addHook('onResponse', async ({ traced }, { statusCode }) => {
    traced?.end(statusCode >= 500, { 'http.response.status_code': statusCode });
  });
  // Of a client that left before its answer.
  api.addHook('onRequestAbort', async ({ traced }) => traced?.end(true));
}
