import type { Static, TSchema, TUnsafe } from 'typebox';
import { handle } from '../http/handle.ts';
import type { Operation } from '../http/operation.ts';
import type { ListQuery } from '../http/query/list-query.ts';
import { readSearch } from '../http/query/query.ts';
import type { Api } from '../http/schemas.ts';
import { type UserCaller, userOf } from './caller.ts';
import { type Scope, scopeOf } from './reach.ts';

/** A list, or a search, as `listing` makes it. */
type Listed<Answer extends TSchema> = Omit<Operation, 'answers'> & {
  answers: { readonly 200: Answer };
} & ({ method: 'GET'; query: TUnsafe<ListQuery> } | { method: 'POST'; body: TUnsafe<ListQuery> });

/** Adds the routes of lists and searches, which are answered alike. */
export function handleLists<Answer extends TSchema>(
  api: Api,
  operations: readonly Listed<Answer>[],
  find: (
    user: UserCaller,
    scope: Scope,
    query: ListQuery,
    signal: AbortSignal,
  ) => Promise<Static<Answer>>,
): void {
  for (const operation of operations) {
    const answers: Record<number, TSchema> = operation.answers;
    if (operation.method === 'GET') {
      handle(api, { ...operation, answers }, async (request) =>
        find(
          userOf(request),
          scopeOf(operation.needs, request.params),
          request.query,
          request.signal,
        ),
      );
    } else {
      handle(
        api,
        { ...operation, answers },
        async (request) =>
          find(
            userOf(request),
            scopeOf(operation.needs, request.params),
            request.body,
            request.signal,
          ),
        { preValidation: readSearch },
      );
    }
  }
}
