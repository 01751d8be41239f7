import fastJsonStringify, { type Schema } from 'fast-json-stringify';

/**
 * Compiles what writes the answers of routes: the members of their schemas, and nothing else. As in `validation.ts` that
 * is done for the first answer. `definitions` are what schemas refer to, by their `$id`.
 */
export function serializerCompiler(definitions: Readonly<Record<string, Schema>>) {
  return ({ schema }: { schema: Schema }) => {
    let write: ((value: unknown) => string) | undefined;
    return (value: unknown) => {
      write ??= fastJsonStringify(schema, { schema: definitions });
      return write(value);
    };
  };
}
