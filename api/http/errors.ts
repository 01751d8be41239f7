import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { answerOf } from '../../infra/runtime/network/bounded-server.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { requestIdHeader } from '../../infra/runtime/process/request-id.ts';
import { challenges } from '../../schemas/http/challenges.ts';
import { DomainError, type ErrorBody, errorBody } from '../../schemas/http/errors.ts';
import { rateLimitHeaders } from '../../schemas/http/rate-limit.ts';
import { limits } from '../limits.ts';
import { isOfBrowser } from './browsers.ts';
import { type Operation, readsOnly } from './operation.ts';
import { schemesOf } from './requirement.ts';

const bodyOf = ({ code, detail }: DomainError, requestId: string) =>
  errorBody(code, detail, requestId);

/**
 * The one place where a failure becomes an HTTP answer. Nothing internal gets past it. `say` writes its body, where
 * clients of another API know words of that.
 */
export function createErrorHandler(
  logger: Logger,
  say: (error: DomainError, requestId: string) => ErrorBody = bodyOf,
) {
  let loggedAt = -Infinity;
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const known = toDomainError(error);
    const { operation } = request.routeOptions.config;
    const line = { request_id: request.id, operation: operation?.name };
    if (known.code === 'internal') logger.error({ ...line, error }, 'a request failed');
    if (
      known.code === 'unavailable' &&
      performance.now() - loggedAt >= limits.unavailableLoggedEveryMs
    ) {
      loggedAt = performance.now();
      const { cause } = known;
      const reason = cause instanceof Error ? cause.message : known.detail;
      logger.warn({ ...line, reason }, 'a request could not be served');
    }
    // Closed with its body half read, a connection is reset, and its client never sees the answer. Kept
    // open, the rest is read and thrown away, for as long as a request may take.
    if (known.code === 'too_large') reply.removeHeader('connection');
    if (known.retryAfterSeconds !== undefined) {
      reply.header('retry-after', String(known.retryAfterSeconds));
    }
    if (known.left.length > 0) reply.headers(rateLimitHeaders(known.left));
    if (known.status === 401 && operation !== undefined) {
      reply.header('www-authenticate', challenges(schemesFor(operation, request), known.code));
    }
    reply
      .status(known.status)
      // A request that the router refuses passes no hook.
      .header(requestIdHeader, request.id)
      .type('application/json')
      .serializer(JSON.stringify)
      .send(say(known, request.id));
  };
}

/** Asked for Basic, a browser would ask its user for a password, in the middle of a page, and remember it. */
function schemesFor(operation: Operation, request: FastifyRequest) {
  return schemesOf(operation.needs, readsOnly(operation) && !isOfBrowser(request));
}

/** Names a failure: the domain's own, and Fastify's by their codes. */
function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (!isFastifyError(error)) return new DomainError('internal');
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new DomainError('too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return new DomainError('unsupported_type');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new DomainError('malformed', 'the body is not as long as it says');
    case 'FST_ERR_BAD_URL':
      return new DomainError('malformed', 'the URL');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new DomainError('malformed', 'the URL is too long');
    default:
      break;
  }
  const { statusCode = 500 } = error;
  return new DomainError(statusCode >= 400 && statusCode < 500 ? 'malformed' : 'internal');
}

/** The entity that was looked for; `kind` names it in the refusal. @throws DomainError `not_found` if it is absent. */
export function present<Found>(found: Found | undefined, kind: string): Found {
  if (found === undefined) throw new DomainError('not_found', kind);
  return found;
}

/** @throws DomainError `not_found` for what is absent, or was deleted a moment ago. */
export function mustExist(exists: boolean, kind: string): void {
  if (!exists) throw new DomainError('not_found', kind);
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** Answers what is not HTTP, before there is a request. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const detail =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'the headers are too large' : 'the request is not HTTP';
  socket.end(answerOf('malformed', detail));
}
