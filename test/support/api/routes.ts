import type { Method } from '../../../api/http/operation.ts';
import { operations } from '../../../api/server/resources.ts';
import { membersOf } from '../../../schemas/members.ts';

/** A route of the API, as its operation has it. */
export type Route = {
  method: Method;
  /** With `:id` for each parameter. */
  url: string;
  operation: string;
  /** What its query string takes, by name. */
  query: Readonly<Record<string, FieldSchema>>;
};

export type FieldSchema = { type?: unknown; enum?: readonly unknown[] };

/** Every route the API has; of a page its first. */
export const allRoutes: readonly Route[] = operations.map(({ name, method, path, query }) => ({
  method,
  url: path.replace(/\(.*?\)(?=\/|$)/, ''),
  operation: name,
  query: fieldsOf(query),
}));

function fieldsOf(query: unknown): Readonly<Record<string, FieldSchema>> {
  const fields = Object.entries(membersOf(membersOf(query)['properties'])).map(
    ([name, field]): [string, FieldSchema] => {
      const { type, enum: allowed } = membersOf(field);
      return [name, { type, ...(Array.isArray(allowed) ? { enum: allowed } : {}) }];
    },
  );
  return Object.fromEntries(fields);
}
