import { type TSchema, Type } from 'typebox';
import type { ListQuery } from './query/list-query.ts';
import type { Requirement } from './requirement.ts';

const searchWords =
  'The members of the body are those of the list’s query. No body is a search for all.';

/** A place whose resources are listed at `path`, and searched at `path` and `/search`. */
export type ListPlace = {
  path: string;
  needs: Requirement;
  /** Which are listed, in words. */
  what: string;
  about?: string;
};

/** Lists of one kind of resource: a search asks by its body what a list asks by its query, and both answer alike. */
export function listing<Answer extends TSchema>(of: {
  query: TSchema;
  search: TSchema;
  answer: Answer;
}) {
  const answers = { 200: of.answer } as const;
  return {
    list: ({ path, needs, what, about }: ListPlace) =>
      ({
        method: 'GET',
        path,
        needs,
        query: Type.Unsafe<ListQuery>(of.query),
        answers,
        summary: `List ${what}`,
        ...(about === undefined ? {} : { about }),
      }) as const,
    search: ({ path, needs, what }: ListPlace) =>
      ({
        method: 'POST',
        reads: true,
        path: `${path}/search`,
        needs,
        body: Type.Unsafe<ListQuery>(of.search),
        answers,
        summary: `Search ${what}`,
        about: searchWords,
      }) as const,
  };
}
