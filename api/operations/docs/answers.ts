import { type TSchema, Type } from 'typebox';
import { about } from '../../../schemas/http/common.ts';
import { AuditEntry } from '../../../schemas/accounting/audit.ts';
import { errorBody, type ErrorCode, errorCodes, errorTable } from '../../../schemas/http/errors.ts';
import {
  foundMessages,
  JsonMessage,
  JsonPage,
  SenmlMessage,
  SenmlPage,
} from '../../../schemas/messages/message.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { isObject, membersOf } from '../../../schemas/members.ts';
import type { Requirement } from '../../permissions.ts';
import { BenchResults } from '../bench/results.ts';
import { ErrorBody } from './components.ts';
import { exampleOf } from './examples.ts';
import type { OperationDocs } from './words/operation.ts';

/** What a route takes, as far as it decides what it may refuse. */
type Taken = { method: string; params?: unknown; querystring?: unknown; body?: unknown };

/** The refusals a client of the operation may meet. */
export function errorsOf(
  { who }: Requirement,
  taken: Taken,
  { errors = [], tag }: OperationDocs,
): ErrorCode[] {
  const { method, params, querystring, body } = taken;
  const all = new Set<ErrorCode>(errors);
  if ((params ?? querystring ?? body) !== undefined) all.add('malformed');
  if (who !== 'anyone') all.add('credential_missing');
  if (who === 'platformAdmin' || who === 'member') all.add('forbidden');
  if (who === 'member') all.add('not_found');
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

const Check = Type.Object({
  status: about(Type.String(), 'State of this part: `pass`, `warn` or `fail`.', 'pass'),
  output: Type.Optional(about(Type.String(), 'What is wrong with it. Absent: nothing.')),
});
const Health = Type.Object({
  status: about(
    Type.Enum(['pass', 'warn', 'fail']),
    '`pass`: all is well. `warn`: the job is done, and something it stands on is away. `fail`: the job can not be done.',
    'pass',
  ),
  checks: about(Type.Record(Type.String(), Type.Array(Check)), 'State of each part, by its name.', {
    postgres: [{ status: 'pass' }],
  }),
  version: about(Type.String(), 'Version of Millrace.', '0.1.0'),
  commit: about(
    Type.String(),
    'Commit it was built from; `unknown` where nobody told.',
    '5ab1c0de5ab1c0de5ab1c0de5ab1c0de5ab1c0de',
  ),
  description: about(Type.String(), 'What the process is.', 'Millrace API'),
  build_time: about(
    Type.String(),
    'Of when that commit is; `unknown` where nobody told.',
    '2026-11-22T09:00:00+00:00',
  ),
});

const of = (type: string, schema: object) => ({ content: { [type]: { schema } } });
const binary = (description: string) => ({
  schema: { type: 'string', format: 'binary', description },
});

const csvColumns = {
  senml:
    'subtopic,publisher,protocol,name,unit,value,string_value,bool_value,data_value,sum,time,update_time',
  json: 'created,subtopic,publisher,protocol, and the flattened payload',
};
const csvHead = (...names: string[]) => names.map((name) => `"${name}"`).join(',');
const csvExamples = {
  senml: `${csvHead(...csvColumns.senml.split(','))}\n,"e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b","http","pump:temperature","Cel",21.5,,,,,1795255200.5,\n`,
  json: `${csvHead('created', 'subtopic', 'publisher', 'protocol', 'temperature')}\n1795255200500000000,,"e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b","http",21.5\n`,
};

/** The answers that messages of a format are read by. */
function messageAnswers(format: MessageFormat, message: TSchema, page: TSchema) {
  const example = exampleOf(message, {});
  const csv = `A line of names (${csvColumns[format]}), and one for each message. Names and texts stand in double quotes. Text that a spreadsheet would run as a formula has a single quote before it.`;
  const ndjson = 'A JSON object for each message, one to a line.';
  return {
    [`readMessages_${format}`]: { 200: page },
    [`searchMessages_${format}`]: { 200: { anyOf: [page, foundMessages(message)] } },
    [`exportMessages_${format}`]: {
      200: {
        content: {
          'application/json': { schema: Type.Array(message) },
          'text/csv': {
            schema: { type: 'string', description: csv },
            example: csvExamples[format],
          },
          'application/x-ndjson': {
            schema: { type: 'string', description: ndjson },
            example: `${JSON.stringify(example)}\n`,
          },
          'application/vnd.apache.parquet': binary('A Parquet file.'),
          'application/vnd.apache.arrow.file': binary('An Arrow IPC file.'),
          'application/vnd.apache.arrow.stream': binary('An Arrow IPC stream.'),
        },
      },
    },
    [`followMessages_${format}`]: {
      200: {
        content: {
          'text/event-stream': {
            schema: {
              type: 'string',
              description:
                'An event for each message: `data` is the message as it reads back, `id` its place.',
            },
            example: `id: 42\ndata: ${JSON.stringify(example)}\n\n`,
          },
        },
      },
    },
  };
}

const healthAnswers = {
  200: of('application/health+json', Health),
  503: of('application/health+json', Health),
};

const auditFile = {
  200: {
    content: {
      'application/x-ndjson': {
        schema: { type: 'string', description: 'A JSON object for each entry, one to a line.' },
        example: `${JSON.stringify(exampleOf(AuditEntry, {}))}\n`,
      },
      'text/csv': {
        schema: {
          type: 'string',
          description:
            'A line of names (the members of an entry), and one for each entry. `changes` is JSON in its cell. Text that a spreadsheet would run as a formula has a single quote before it.',
        },
        example:
          '"id","at","org_id","group_id","actor_type","actor_id","actor_email","api_key_id","address","request_id","operation","action","kind","entity_id","entity_name","changes"\n4711,"2026-11-21T10:00:00.000Z",,,"system",,,,,,,"update","webhook","3f1c7a10-0b0a-4f0e-8b1a-9c569a3e2f6f","hook","{""disabled_why"":{""to"":""gone""}}"\n',
      },
    },
  },
};

/** The answers of routes that write them by themselves, past the schemas, by the names of their operations. */
export const writtenAnswers: Readonly<Record<string, Record<number, object>>> = {
  ...messageAnswers('senml', SenmlMessage, SenmlPage),
  ...messageAnswers('json', JsonMessage, JsonPage),
  exportOrgAudit: auditFile,
  exportAudit: auditFile,
  viewRevocationList: {
    200: {
      content: {
        'application/pkix-crl': binary('The list, DER.'),
        'application/x-pem-file': {
          schema: { type: 'string', description: 'The list, PEM.' },
          example: '-----BEGIN X509 CRL-----\nMIIB…\n-----END X509 CRL-----\n',
        },
      },
    },
  },
  backupMessages: { 200: { content: { 'application/octet-stream': binary('The backup.') } } },
  viewHealth: healthAnswers,
  viewHealth_ready: healthAnswers,
  viewHealth_live: { 200: healthAnswers[200] },
  viewHealth_reader: healthAnswers,
  viewMetrics: {
    200: {
      content: {
        'text/plain': {
          schema: { type: 'string', description: 'Metrics in Prometheus’ text format.' },
          example: '# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1.5\n',
        },
      },
    },
  },
  viewBenchResults: { 200: BenchResults },
  viewDocs: {
    200: about(Type.Object({}, { additionalProperties: true }), 'OpenAPI 3.1.', {
      openapi: '3.1.0',
    }),
  },
};
