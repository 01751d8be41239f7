import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { uuidPattern, uuidV4Pattern } from '../../../schemas/http/common.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { notKnown } from '../../../schemas/http/nearest.ts';
import { limitsKeyword } from './object-limits.ts';

/** Checks requests. It ends at the first error: to list all of a large body takes long. */
const ajv = new Ajv({
  allErrors: false,
  // A value of the wrong type is refused, and a member that is not in the schema is left as it is.
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  // An error has the schema with it, to name what is known beside what was sent.
  verbose: true,
  formats: {
    uuid: new RegExp(uuidPattern),
    'uuid-v4': new RegExp(uuidV4Pattern),
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  },
  keywords: [limitsKeyword],
});

/**
 * Compiles what routes check requests with, each at its first request: all of them together would make a start half a
 * second longer. What that refuses is `malformed`, and names the first problem.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let validate: ValidateFunction | undefined;
  const part = partNames[httpPart ?? ''] ?? 'request';
  return (value: unknown) => {
    validate ??= ajv.compile(schema);
    if (validate(value)) return true;
    return { error: new DomainError('malformed', problemOf(validate.errors?.[0], part)) };
  };
};

/** A check of its own, for what no route checks. */
export function compileCheck<Schema extends TSchema>(schema: Schema) {
  return ajv.compile<Static<Schema>>(schema);
}

const partNames: Readonly<Record<string, string>> = { body: 'body', querystring: 'query' };

/** Where something is wrong, and what. `part` names what the whole of it is. */
export function problemOf(error: ErrorObject | undefined, part: string): string {
  if (error === undefined) return 'the request';
  const { params, parentSchema } = error;
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  const unknown: unknown = params['additionalProperty'];
  if (typeof unknown === 'string') {
    const known = Object.keys(parentSchema?.['properties'] ?? {});
    return [path, notKnown(unknown, known)].filter(Boolean).join('.');
  }
  const missing: unknown = params['missingProperty'];
  if (typeof missing === 'string') return `${[path, missing].filter(Boolean).join('.')} is missing`;
  return `${path || part} ${messageOf(error)}`;
}

function messageOf({ params, message }: ErrorObject): string {
  const allowed: unknown = params['allowedValues'];
  if (!Array.isArray(allowed)) return message ?? 'is wrong';
  return `must be one of ${allowed.filter((one) => one !== null && one !== '').join(', ')}`;
}
