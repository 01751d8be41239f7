import { type Static, type TSchema, Type } from 'typebox';

const hex = (digits: number) => `[0-9a-fA-F]{${digits}}`;

/** The pattern of any UUID, of whatever version. */
export const uuidPattern = `^${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}$`;

/**
 * The meaning of a member or a parameter, with its unit and its default, for those who read the documentation; and
 * an example of it. The document's examples of bodies and answers are put together from these.
 */
export function about<Schema extends TSchema>(
  schema: Schema,
  description: string,
  example?: unknown,
): Schema {
  const words = example === undefined ? { description } : { description, examples: [example] };
  // TypeBox keeps more about a schema in properties that a spread does not copy.
  const copy = Object.defineProperties({ ...schema }, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, words);
}

/** A UUID of any version. */
export const Uuid = Type.String({ format: 'uuid' });

/** An id given by a client for what it creates: UUID v4. */
export const UuidV4 = Type.String({ format: 'uuid-v4' });

/**
 * Ids of resources that are deleted together, all or none. No other member is allowed: it could be meant as a filter.
 */
export const IdsToDelete = Type.Array(Uuid, { minItems: 1, maxItems: 10_000 });

/** A free-form JSON object, kept as it is. */
export const JsonObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
});

/** Limits of a free-form object of a request: bytes as JSON, and values at whatever depth. */
export type ObjectLimits = { bytes: number; values: number };

/** The keyword of a schema that says `ObjectLimits`. */
export const objectLimits = 'x-limits';

export const metadataLimits: ObjectLimits = { bytes: 64 * 1024, values: 1_000 };

/** The metadata of a request. In an update: absent stays as it is, `null` clears. */
export const JsonObjectOrNull = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  [objectLimits]: metadataLimits,
});

/** ISO 8601, UTC, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' });

/**
 * A list, or what clients send instead of one. Not a union: its errors would name both.
 */
export function listOr<List extends TSchema, Other extends TSchema>(list: List, other: Other) {
  return Type.Unsafe<Static<List> | Static<Other>>({
    if: { type: 'array' },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: list,
    else: other,
  });
}

/** The pattern of a UUID v4. */
export const uuidV4Pattern = `^${hex(8)}-${hex(4)}-4${hex(3)}-[89abAB]${hex(3)}-${hex(12)}$`;
