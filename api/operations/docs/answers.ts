import { errorBody, type ErrorCode, errorCodes, errorTable } from '../../../schemas/http/errors.ts';
import { isObject, membersOf } from '../../../schemas/members.ts';
import type { Operation } from '../../http/operation.ts';
import { ErrorBody } from './components.ts';

/** The refusals a client of the operation may meet. */
export function errorsOf({
  needs,
  method,
  path,
  query,
  body,
  errors = [],
  tag,
}: Operation): ErrorCode[] {
  const all = new Set<ErrorCode>(errors);
  if (path.includes(':') || query !== undefined || body !== undefined) all.add('malformed');
  if (needs.kind !== 'anyone') all.add('credential_missing');
  if (needs.kind === 'platformAdmin' || needs.kind === 'member') all.add('forbidden');
  if (needs.kind === 'member') all.add('not_found');
  // A body is read, and refused, where none is taken as well.
  if (method !== 'GET') all.add('malformed').add('too_large').add('unsupported_type');
  if (tag !== 'service') all.add('too_many').add('unavailable');
  return [...all];
}

const challenge = 'The schemes that do, and what is wrong with the credential that was shown';

const waits = (code: ErrorCode) => code === 'too_many' || code === 'unavailable';

/** Refusals as schemas of responses, which all have one shape. */
export function refusals(codes: readonly ErrorCode[]): Record<number, object> {
  return Object.fromEntries(
    codes.map((code) => [
      errorTable[code].status,
      {
        ...ErrorBody,
        'x-response-description': errorTable[code].phrase,
        ...(waits(code)
          ? { headers: { 'Retry-After': { type: 'integer', description: 'seconds' } } }
          : {}),
        ...(errorTable[code].status === 401
          ? { headers: { 'WWW-Authenticate': { type: 'string', description: challenge } } }
          : {}),
      },
    ]),
  );
}

/** The name of a refusal's response in the document: its code, but that all of 401 have one. */
export function responseOf(code: ErrorCode): string {
  return errorTable[code].status === 401 ? 'unauthenticated' : code;
}

/** The same as they stand in the document, by their names. */
export const namedResponses: Readonly<Record<string, { description: string }>> = Object.fromEntries(
  errorCodes.map((code) => [
    responseOf(code),
    {
      description: errorTable[code].phrase,
      ...(waits(code)
        ? { headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'seconds' } } }
        : {}),
      ...(errorTable[code].status === 401
        ? {
            headers: { 'WWW-Authenticate': { schema: { type: 'string' }, description: challenge } },
          }
        : {}),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]),
);

/** Gives each of these an example, once what is equal to them has been replaced by their names. */
export function showRefusals(responses: Readonly<Record<string, unknown>>): void {
  for (const code of errorCodes) {
    const { content } = membersOf(responses[responseOf(code)]);
    const media = membersOf(content)['application/json'];
    const example = errorBody(code, undefined, '01KAKQ4Z9V6T8X2B3C4D5E6F7G');
    if (isObject(media)) Reflect.set(media, 'example', example);
  }
}
