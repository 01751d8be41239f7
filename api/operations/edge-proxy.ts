import { PassThrough } from 'node:stream';
import proxy from '@fastify/http-proxy';
import type { FastifyRequest } from 'fastify';
import { requestIdHeader } from '../../infra/runtime/process/request-id.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import { parseSubtopic } from '../../schemas/messages/subtopic.ts';
import type { Api } from '../http/schemas.ts';
import { limits } from '../limits.ts';
import { passing } from './operations.ts';

/** Node has answered `Expect`. Who the client is by its certificate, only a proxy before the edge may say. */
const neverPassed = /^(?:expect$|client-cert|x-ssl-client-|x-forwarded-client-cert$)/;

/** `/http/*`, messages without that prefix, and where InfluxDB's clients write. */
const prefixes = ['/http', '/messages', '/write', '/api/v2/write', '/ping'];

/** Passes these on to the edge as they are; bodies are streamed. */
export function edgeRoutes(api: Api, dependencies: { ingestUrl: string }): void {
  api.register(async (passed) => {
    // Else a text would be read as one, and compressed bytes are none.
    passed.removeAllContentTypeParsers();
    for (const prefix of prefixes) passOn(passed, prefix, dependencies);
  });
}

function passOn(api: Api, prefix: string, { ingestUrl }: { ingestUrl: string }): void {
  api.register(proxy, {
    upstream: ingestUrl,
    prefix,
    rewritePrefix: prefix,
    disableRequestLogging: true,
    config: { operation: passing.passToEdge },
    preHandler: (request: FastifyRequest, _reply, done) => {
      if (request.body === request.raw) request.body = detached(request.raw);
      done(pathProblem(request.url.slice(prefix.length)));
    },
    replyOptions: {
      rewriteRequestHeaders: (request, headers) => {
        const passed = Object.entries(headers).filter(([name]) => !neverPassed.test(name));
        return {
          ...Object.fromEntries(passed),
          // The edge counts unknown keys by address, and does not believe what a client says of its own.
          'x-forwarded-for': request.clientAddress,
          [requestIdHeader]: request.id,
          ...(request.traced === null ? {} : { traceparent: request.traced.traceparent() }),
        };
      },
      onResponse: (_request, reply, response) => {
        // Set when the answer came before the whole body; see `detached`.
        reply.removeHeader('connection');
        // This header is about the connection to the edge.
        reply.removeHeader('keep-alive');
        reply.send(response.stream);
      },
      onError: (reply) => {
        reply.send(new DomainError('unavailable', undefined, limits.awayRetrySeconds));
      },
    },
  });
}

/** The problem that the edge would find in the path; this proxy would take it for another path, or for none. */
function pathProblem(url: string): DomainError | undefined {
  const [path = ''] = url.split('?', 1);
  const subtopic = parseSubtopic(path, Number.POSITIVE_INFINITY);
  return subtopic.ok ? undefined : new DomainError('malformed', subtopic.detail);
}

/**
 * A body the edge may refuse half read. The client's connection must not end with it: its client would
 * see a reset instead of the answer. What is left of the body is read and thrown away.
 */
function detached(raw: FastifyRequest['raw']): PassThrough {
  const body = new PassThrough();
  raw.pipe(body);
  raw.once('close', () => {
    if (!raw.complete) body.destroy();
  });
  body.once('close', () => raw.resume());
  return body;
}
