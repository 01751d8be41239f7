import proxy from '@fastify/http-proxy';
import { DomainError } from '../../schemas/errors.ts';
import { awayRetrySeconds } from '../limits.ts';
import type { Parts } from '../parts.ts';
import type { Api } from '../shapes.ts';

/** Passes `/http/*` on to the edge as it is, bodies streamed. */
export function edgeRoutes(api: Api, { ingestUrl }: Pick<Parts, 'ingestUrl'>): void {
  api.register(proxy, {
    upstream: ingestUrl,
    prefix: '/http',
    rewritePrefix: '/http',
    // A kept connection the edge has just closed must not cost a message: it is asked once.
    disableRequestLogging: true,
    config: { operation: 'passToEdge' },
    replyOptions: {
      rewriteRequestHeaders: (request, headers) => {
        // The edge counts unknown keys by address; what a client says of its own is not believed.
        const { expect: _, ...passed } = headers;
        return { ...passed, 'x-forwarded-for': request.ip };
      },
      onError: (reply) => {
        reply.send(new DomainError('unavailable', undefined, awayRetrySeconds));
      },
    },
  });
}
