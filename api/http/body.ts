import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../schemas/http/errors.ts';
import { describeFault, type FaultHints, findJsonFault } from '../../schemas/json/fault.ts';
import { limits } from '../limits.ts';
import { hasBody } from './connections/upload-timeout.ts';
import { findProblemInJson } from './json/scan.ts';

/** Nobody here unpacks a body: one that is compressed, or said to be, is refused. The edge judges what it gets itself. */
export function refuseEncodings(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ raw, routeOptions }, reply) => {
    const encoding = raw.headers['content-encoding'] ?? '';
    if (/^(?:identity)?$/i.test(encoding) || !hasBody(raw)) return;
    if (routeOptions.config.operation?.passedOn) return;
    reply.header('accept-encoding', 'identity');
    throw new DomainError('unsupported_type', `Content-Encoding: ${encoding}`);
  });
}

/** JSON bodies only, checked before they are parsed. An empty body is none, whatever type it is said to have. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (!hasBody(raw)) delete raw.headers['content-type'];
  });
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      if (body.length === 0) return done(null, undefined);
      const { bodyLimit } = request.routeOptions;
      const problem = findProblemInJson(
        body,
        bodyLimit > limits.bodyBytesMax ? limits.batchValuesMax : limits.bodyValuesMax,
      );
      if (problem !== undefined) return done(new DomainError('malformed', problem));
      if (!isUtf8(body)) return done(notJson(body));
      void parse(request, body.toString('utf8'), (error, value) => {
        done(error === null ? null : notJson(body), value);
      });
    },
  );
}

const hints: FaultHints = {
  end: 'was it cut? Content-Length counts bytes, not characters',
};

/** For a body that a parser refused, after its depth was bounded: where and why. */
export function notJson(body: Uint8Array): DomainError {
  const fault = findJsonFault(body);
  return new DomainError(
    'malformed',
    fault === undefined
      ? 'the body: no member may be named __proto__, or constructor with a prototype in it'
      : `the body: ${describeFault(fault, hints, 'element')}`,
  );
}

/**
 * The same of what was decoded elsewhere and is small: NUL, half a surrogate pair, a number beyond a double,
 * nesting without end.
 */
export function findProblem(value: unknown, depth = 1): string | undefined {
  if (typeof value === 'string' && !isPlain(value)) {
    return 'a string holds NUL or half a surrogate pair';
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number is too large';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > limits.bodyDepthMax) return `nested deeper than ${limits.bodyDepthMax}`;
  for (const key of Object.keys(value)) {
    const problem = findProblem(key) ?? findProblem(Reflect.get(value, key), depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
