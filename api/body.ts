import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../schemas/errors.ts';
import { bodyDepthMax } from './limits.ts';

/** JSON bodies only, checked before a schema sees them. An empty body is none. */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      if (body.length === 0) return done(null, undefined);
      if (!isUtf8(body)) return done(new DomainError('malformed', 'the body is not UTF-8'));
      void parse(request, body.toString('utf8'), (error, value) => {
        if (error !== null) return done(new DomainError('malformed', 'the body is not JSON'));
        const problem = findProblem(value);
        done(problem === undefined ? null : new DomainError('malformed', problem), value);
      });
    },
  );
}

/**
 * What no database of ours keeps as it is: NUL, half a surrogate pair, a number beyond a double, or
 * nesting without end. Not recursive: this is what makes recursion safe for all that follows.
 */
export function findProblem(value: unknown): string | undefined {
  const left: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next.value === 'string' && !isPlain(next.value)) {
      return 'a string holds NUL or half a surrogate pair';
    }
    if (typeof next.value === 'number' && !Number.isFinite(next.value)) {
      return 'a number is too large';
    }
    if (typeof next.value !== 'object' || next.value === null) continue;
    const depth = next.depth + 1;
    if (depth > bodyDepthMax) return `nested deeper than ${bodyDepthMax}`;
    for (const [key, inner] of Object.entries(next.value)) {
      if (!isPlain(key)) return 'a name holds NUL or half a surrogate pair';
      left.push({ value: inner, depth });
    }
  }
  return undefined;
}

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
