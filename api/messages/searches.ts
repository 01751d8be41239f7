import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { listOr } from '../../schemas/http/common.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import type { ReadAsked } from '../../schemas/messages/query.ts';
import type { Caller } from '../access/caller.ts';
import { findProblemInJson } from '../http/json/scan.ts';
import { limits } from '../limits.ts';
import { SearchQuery } from './asked.ts';
import type { MessageFormat } from '../../schemas/messages/tables.ts';
import { type PageParts, readPage } from './pages.ts';

const searchesMax = 100;

/** One search, or many. */
export const Searches = listOr(
  Type.Array(SearchQuery, { minItems: 1, maxItems: searchesMax }),
  SearchQuery,
);

/** JSON whose `from` and `to` keep all their digits: they come as numbers, and are taken as text. */
export function acceptSearchBodies(api: FastifyInstance): void {
  // No body is a search for everything; an empty member is an absent one.
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
      const problem = isUtf8(body)
        ? findProblemInJson(body, limits.searchValuesMax)
        : 'the body is not UTF-8';
      if (problem !== undefined) return done(new DomainError('malformed', problem));
      try {
        return done(null, JSON.parse(body.toString('utf8'), keepTimes));
      } catch {
        return done(new DomainError('malformed', 'the body is not JSON'));
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
  const isTime = key === 'from' || key === 'to';
  return isTime && typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

/** The answers of many searches, in their order; one that fails says so in its place. */
export async function* searchAll(
  parts: PageParts,
  format: MessageFormat,
  caller: Caller,
  searches: readonly ReadAsked[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield '[';
  for (const [index, search] of searches.entries()) {
    if (index > 0) yield ',';
    try {
      const page = await readPage(parts, format, caller, search, signal);
      try {
        yield `{"total":${page.total},"messages":[`;
        const next = yield* page.texts;
        yield next === undefined ? ']}' : `],"next":"${next}"}`;
      } finally {
        page.close();
      }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      yield `{"total":0,"messages":[],"error":${JSON.stringify(error.message)}}`;
    }
  }
  yield ']';
}
