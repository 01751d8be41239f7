import { Type } from 'typebox';
import { type ErrorCode, errorCodes, errorTable } from '../../schemas/errors.ts';
import type { Operation, Requirement } from '../permissions.ts';
import { BenchResults } from '../bench/results.ts';
import { ErrorBody } from './components.ts';
import type { OperationDocs } from './operations.ts';

/** What a route takes, as far as it decides what it may refuse. */
type Taken = { params?: unknown; querystring?: unknown; body?: unknown };

/** The refusals a client of the operation may meet. */
export function errorsOf(
  { who }: Requirement,
  taken: Taken,
  { errors = [], tag }: OperationDocs,
): ErrorCode[] {
  const { params, querystring, body } = taken;
  const all = new Set<ErrorCode>(errors);
  if ((params ?? querystring ?? body) !== undefined) all.add('malformed');
  if (who !== 'anyone') all.add('credential_missing');
  if (who === 'platformAdmin' || who === 'member') all.add('forbidden');
  if (who === 'member') all.add('not_found');
  if (body !== undefined) all.add('too_large').add('unsupported_type');
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

const Count = Type.Integer();
const Health = Type.Object({
  status: Type.Enum(['pass', 'warn', 'fail']),
  checks: Type.Record(
    Type.String(),
    Type.Array(Type.Object({ status: Type.String(), output: Type.Optional(Type.String()) })),
  ),
});

const of = (type: string, schema: object) => ({ content: { [type]: { schema } } });

const Messages = Type.Array(Type.Object({}, { additionalProperties: true }));
const MessagePage = Type.Object({
  offset: Count,
  limit: Count,
  format: Type.Enum(['senml', 'json']),
  total: Count,
  messages: Messages,
  /** The `cursor` of what follows. */
  next: Type.Optional(Type.String()),
});

/** The answers of routes that write them by themselves, past the schemas. */
export const writtenAnswers: Partial<Record<Operation, Record<number, object>>> = {
  readMessages: { 200: MessagePage },
  searchMessages: {
    200: {
      anyOf: [
        MessagePage,
        Type.Array(
          Type.Object({ total: Count, messages: Messages, error: Type.Optional(Type.String()) }),
        ),
      ],
    },
  },
  viewRevocationList: {
    200: {
      content: {
        'application/pkix-crl': { schema: {} },
        'application/x-pem-file': { schema: Type.String() },
      },
    },
  },
  exportMessages: { 200: Messages },
  followMessages: { 200: of('text/event-stream', Type.String()) },
  backupMessages: { 200: of('application/octet-stream', { type: 'string', format: 'binary' }) },
  viewHealth: {
    200: of('application/health+json', Health),
    503: of('application/health+json', Health),
  },
  viewMetrics: { 200: of('text/plain', Type.String()) },
  viewBenchResults: { 200: BenchResults },
  viewDocs: { 200: Type.Object({}, { additionalProperties: true }) },
};
