import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../infra/log.ts';
import { DomainError, errorBody, errorTable } from '../schemas/errors.ts';

/** While a neighbour is away every request tells of it: one line a second does. */
const toldEveryMs = 1_000;

/** The one place where a failure becomes an HTTP answer. Nothing internal gets past it. */
export function createErrorHandler(log: Logger) {
  let toldAt = -Infinity;
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const known = toDomainError(error);
    const { operation } = request.routeOptions.config;
    if (known.code === 'internal') log.error({ error, operation }, 'a request failed');
    if (known.code === 'unavailable' && performance.now() - toldAt >= toldEveryMs) {
      toldAt = performance.now();
      const { cause } = known;
      const reason = cause instanceof Error ? cause.message : known.detail;
      log.warn({ reason, operation }, 'a request could not be served');
    }
    // Closed with its body half read, a connection is reset, and its client never sees the answer. Kept
    // open, the rest is read and thrown away, for as long as a request may take.
    if (known.code === 'too_large') reply.removeHeader('connection');
    if (known.retryAfterSeconds !== undefined) {
      reply.header('retry-after', String(known.retryAfterSeconds));
    }
    reply
      .status(errorTable[known.code].status)
      .type('application/json')
      .serializer(JSON.stringify)
      .send(errorBody(known.code, known.detail));
  };
}

/** Names a failure: the domain's own, and Fastify's by their codes. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (!isFastifyError(error)) return new DomainError('internal');
  if (error.validation !== undefined) return new DomainError('malformed', whatIsWrong(error));
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

/** What was looked for. @throws DomainError `not_found` where it is absent. */
export function present<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new DomainError('not_found');
  return found;
}

/** @throws DomainError `not_found` for what is absent, or was deleted a moment ago. */
export function mustExist(exists: boolean): void {
  if (!exists) throw new DomainError('not_found');
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

const placeNames: Readonly<Record<string, string>> = { body: 'body', querystring: 'query' };

/** The first thing ajv found wrong: where, and what. */
function whatIsWrong(error: FastifyError): string {
  const [first] = error.validation ?? [];
  if (first === undefined) return 'the request';
  const path = first.instancePath.slice(1).replaceAll('/', '.');
  const missing = first.params['missingProperty'];
  const unknown = first.params['additionalProperty'];
  const named = [missing, unknown].filter((name) => typeof name === 'string');
  const field = [path, ...named].filter(Boolean).join('.');
  const place = placeNames[error.validationContext ?? ''] ?? 'request';
  return `${field || place} ${typeof missing === 'string' ? 'is missing' : describe(first)}`;
}

function describe(first: NonNullable<FastifyError['validation']>[number]): string {
  if (first.keyword === 'additionalProperties') return 'is not known';
  const allowed = first.params['allowedValues'];
  if (Array.isArray(allowed)) return `must be one of ${allowed.join(', ')}`;
  return first.message ?? 'is wrong';
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
  const body = JSON.stringify(errorBody('malformed', detail));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
