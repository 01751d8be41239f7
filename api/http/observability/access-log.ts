import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Api } from '../schemas.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes that its connection had sent before it. */
    sentBefore: number;
  }
}

/**
 * A line for a `share` of the requests, from 0 to 1. It has the route's pattern and no URL: a query may hold private
 * data. Messages that are passed to the edge are logged there.
 */
export function logRequests(api: Api, logger: Logger, share: number): void {
  api.decorateRequest('sentBefore', 0);
  if (share === 0) return;
  api.addHook('onRequest', (request, _reply, done) => {
    request.sentBefore = request.raw.socket.bytesWritten;
    done();
  });
  api.addHook('onResponse', async (request, reply) => {
    const { operation } = request.routeOptions.config;
    if (operation?.passedOn || (share < 1 && Math.random() >= share)) return;
    const { caller, method, sentBefore, raw } = request;
    const line = {
      request_id: request.id,
      method,
      route: request.is404 ? 'unknown' : request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      bytes: raw.socket.bytesWritten - sentBefore,
      ...(caller === null ? {} : { caller: `${caller.kind} ${caller.id}` }),
    };
    logger[operation?.watches ? 'debug' : 'info'](line, 'answered');
  });
}
