/** Examples of bodies and answers, put together from those that schemas give of their members. */

import { type Members, membersOf } from '../members.ts';

/** @param schemas What references lead to. */
export function exampleOf(schema: unknown, schemas: Members): unknown {
  const { $ref: reference, examples, default: otherwise, const: only, ...rest } = membersOf(schema);
  if (typeof reference === 'string') {
    return exampleOf(schemas[reference.split('/').at(-1) ?? ''], schemas);
  }
  if (Array.isArray(examples)) return examples[0];
  if (otherwise !== undefined) return otherwise;
  if (only !== undefined) return only;
  const { anyOf, enum: values, type, properties, required, items, format, minimum } = rest;
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0], schemas);
  if (Array.isArray(values)) return values[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object': {
      const needed = new Set([required ?? []].flat());
      const shown = Object.entries(membersOf(properties)).filter(
        ([name, member]) => needed.has(name) || givesOne(member),
      );
      return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member, schemas)]));
    }
    case 'array':
      return [exampleOf(items, schemas)];
    case 'integer':
    case 'number':
      return minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return stringOf(format);
    default:
      return null;
  }
}

/** Whether what may be absent is worth showing. */
function givesOne(schema: unknown): boolean {
  const { examples, default: otherwise, properties, anyOf } = membersOf(schema);
  return (
    examples !== undefined ||
    otherwise !== undefined ||
    (Array.isArray(anyOf) && anyOf.some(givesOne)) ||
    Object.values(membersOf(properties)).some(givesOne)
  );
}

function stringOf(format: unknown): string {
  if (format === 'uuid' || format === 'uuid-v4') return 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b';
  return format === 'date-time' ? '2026-11-21T10:00:00.000Z' : 'text';
}
