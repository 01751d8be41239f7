import { type Static, type TSchema, Type } from 'typebox';
import type { ListQuery } from '../http/query/list-query.ts';
import { readSearch } from '../http/query/query.ts';
import { type Api, IdParams, NoParams } from '../http/schemas.ts';
import type { Operation } from '../permissions.ts';
import { type UserCaller, userOf } from './caller.ts';
import { type Scope, scopeOf } from './reach.ts';

/** A place whose resources are listed at `url`, and searched at `url/search`. */
export type ListPlace = { of: Scope['of']; url: string; list: Operation; search: Operation };

/**
 * Adds a list and a search at each place. A search asks by its body what a list asks by its query; both answer
 * alike.
 */
export function listRoutes<Answer extends TSchema>(
  api: Api,
  places: readonly ListPlace[],
  { query, search, answer }: { query: TSchema; search: TSchema; answer: Answer },
  find: (
    user: UserCaller,
    scope: Scope,
    query: ListQuery,
    signal: AbortSignal,
  ) => Promise<Static<Answer>>,
): void {
  const response: Record<number, TSchema> = { 200: answer };
  for (const place of places) {
    const params = place.of === 'all' ? NoParams : IdParams;
    api.route({
      method: 'GET',
      url: place.url,
      schema: { params, querystring: Type.Unsafe<ListQuery>(query), response },
      config: { operation: place.list },
      handler: async (request) =>
        find(userOf(request), scopeOf(place.of, request.params), request.query, request.signal),
    });
    api.route({
      method: 'POST',
      url: `${place.url}/search`,
      schema: { params, body: Type.Unsafe<ListQuery>(search), response },
      config: { operation: place.search },
      preValidation: readSearch,
      handler: async (request) =>
        find(userOf(request), scopeOf(place.of, request.params), request.body, request.signal),
    });
  }
}
