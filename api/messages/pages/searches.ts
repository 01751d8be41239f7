import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../../schemas/http/errors.ts';
import { type ReaderQuery, timeParameters } from '../../../schemas/messages/query.ts';
import type { Caller } from '../../access/caller.ts';
import { notJson } from '../../http/body.ts';
import { findProblemInJson } from '../../http/json/scan.ts';
import { limits } from '../../limits.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { type Ending, type PageDependencies, readPage } from './page.ts';

/** Parses JSON and keeps times as text, so that times sent as numbers keep all their digits. */
export function acceptSearchBodies(api: FastifyInstance): void {
  // Without a body it is a search for everything. An empty member counts as absent.
  api.addHook('preValidation', async (request) => {
    const { body = {} } = request;
    request.body = Array.isArray(body) ? body.map(withoutEmpty) : withoutEmpty(body);
  });
  api.removeAllContentTypeParsers();
  api.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (_request, body: Buffer, done) => {
      if (body.length === 0) return done(null, {});
      const problem = findProblemInJson(body, limits.searchValuesMax);
      if (problem !== undefined) return done(new DomainError('malformed', problem));
      if (!isUtf8(body)) return done(notJson(body));
      try {
        return done(null, JSON.parse(body.toString('utf8'), keepTimes));
      } catch {
        return done(notJson(body));
      }
    },
  );
}

function withoutEmpty(search: unknown): unknown {
  if (typeof search !== 'object' || search === null || Array.isArray(search)) return search;
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== '' && value !== null),
  );
}

function keepTimes(key: string, value: unknown, context?: { source?: string }): unknown {
  return timeParameters.has(key) && typeof value === 'number'
    ? (context?.source ?? String(value))
    : value;
}

/** The total stands after the messages, whose number it knows. */
export function endOf({ total, usualStep, next }: Ending): string {
  const step = usualStep === undefined ? '' : `,"usual_step":${usualStep}`;
  return `],"total":${total}${step}${next === undefined ? '' : `,"next":"${next}"`}}`;
}

/** The results of many searches, in their order. If one fails, its error stands in its place. */
export async function* searchAll(
  dependencies: PageDependencies,
  format: MessageFormat,
  caller: Caller,
  searches: readonly ReaderQuery[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield '[';
  for (const [index, search] of searches.entries()) {
    if (index > 0) yield ',';
    try {
      const page = await readPage(dependencies, format, caller, search, signal);
      try {
        yield '{"messages":[';
        yield endOf(yield* page.texts);
      } finally {
        page.close();
      }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { message, code } = error;
      yield JSON.stringify({ total: 0, messages: [], error: message, code });
    }
  }
  yield ']';
}
