import fastJsonStringify, { type Schema } from 'fast-json-stringify';

/**
 * Compiles what writes the answers of routes: the members of their schemas, and nothing else. `definitions` are
 * what schemas refer to, by their `$id`.
 */
export function serializerCompiler(definitions: Readonly<Record<string, Schema>>) {
  return ({ schema }: { schema: Schema }) => fastJsonStringify(schema, { schema: definitions });
}
