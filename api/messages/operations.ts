import { type TSchema, Type } from 'typebox';
import { about, listOr, Uuid } from '../../schemas/http/common.ts';
import { exampleOf } from '../../schemas/http/examples.ts';
import {
  foundMessages,
  JsonMessage,
  JsonPage,
  SenmlMessage,
  SenmlPage,
} from '../../schemas/messages/message.ts';
import {
  deleteParameters,
  type DeleteQuery,
  exportParameters,
  type ExportQuery,
  filterParameters,
  type Filters,
  type ReaderQuery,
  readParameters,
  searchParameters,
} from '../../schemas/messages/query.ts';
import type { MessageFormat } from '../../schemas/messages/tables.ts';
import { operations } from '../http/operation.ts';
import { Empty } from '../http/schemas.ts';

/** The reader's queries as routes take them. */
const query = <Query>(properties: object) => Type.Unsafe<Query>({ type: 'object', properties });

const Read = query<ReaderQuery>(readParameters);
const Export = query<ExportQuery>(exportParameters);
const Live = query<Filters>(filterParameters);
const Deletion = query<DeleteQuery>(deleteParameters);

const searchesMax = 100;
const Search = query<ReaderQuery>(searchParameters);
const Searches = listOr(Type.Array(Search, { minItems: 1, maxItems: searchesMax }), Search);

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

/** The types of an export. */
function filesOf(format: MessageFormat, message: TSchema) {
  const csv = `A line of names (${csvColumns[format]}), and one for each message. Names and texts stand in double quotes. Text that a spreadsheet would run as a formula has a single quote before it.`;
  const ndjson = 'A JSON object for each message, one to a line.';
  return {
    'application/json': { schema: Type.Array(message) },
    'text/csv': { schema: { type: 'string', description: csv }, example: csvExamples[format] },
    'application/x-ndjson': {
      schema: { type: 'string', description: ndjson },
      example: `${JSON.stringify(exampleOf(message, {}))}\n`,
    },
    'application/vnd.apache.parquet': binary('A Parquet file.'),
    'application/vnd.apache.arrow.file': binary('An Arrow IPC file.'),
    'application/vnd.apache.arrow.stream': binary('An Arrow IPC stream.'),
  };
}

function eventsOf(message: TSchema) {
  const description =
    'An event for each message: `data` is the message as it reads back, `id` its place.';
  return {
    'text/event-stream': {
      schema: { type: 'string', description },
      example: `id: 42\ndata: ${JSON.stringify(exampleOf(message, {}))}\n\n`,
    },
  };
}

/** The operations on messages of one format. */
const ofFormat = (format: MessageFormat, message: TSchema, page: TSchema) =>
  operations(
    'messages',
    {
      readMessages: {
        method: 'GET',
        path: `/reader/${format}`,
        needs: { kind: 'userOrThing' },
        query: Read,
        written: { 200: page },
        summary: 'Read messages, newest first, or an aggregate of each interval',
        about:
          'Without `publisher`: of all things of the groups that the caller is in. A thing reads its own. Times come in seconds (SenML) or nanoseconds (JSON); `from` and `to` are nanoseconds or ISO 8601.',
        errors: ['forbidden', 'not_found'],
      },
      searchMessages: {
        method: 'POST',
        reads: true,
        path: `/reader/${format}/search`,
        needs: { kind: 'userOrThing' },
        body: Searches,
        written: { 200: { anyOf: [page, foundMessages(message)] } },
        summary: 'Read messages by one query or by many, each answered in its place',
        about: 'A list of queries is answered by a list, and one that fails says so in its place.',
        errors: ['forbidden', 'not_found'],
      },
      exportMessages: {
        method: 'GET',
        path: `/reader/${format}/export`,
        head: false,
        needs: { kind: 'userOrThing' },
        query: Export,
        written: { 200: { content: filesOf(format, message) } },
        summary: 'Messages as a file',
        about:
          'Filters apply, pages do not. `convert` or `Accept` names the type: `json` (the default), `csv`, `ndjson`, `parquet`, `arrow` (a file of Arrow IPC) or `arrows` (its stream). It is compressed where `Accept-Encoding` asks for it.',
        errors: ['forbidden', 'not_found'],
        auditAlso: 'messages',
      },
      followMessages: {
        method: 'GET',
        path: `/reader/${format}/live`,
        head: false,
        needs: { kind: 'userOrThing' },
        query: Live,
        written: { 200: { content: eventsOf(message) } },
        summary: 'Messages as they come, as server-sent events; goes on after a `Last-Event-ID`',
        about: 'The stream does not end. With `Last-Event-ID` it goes on after that message.',
        errors: ['forbidden', 'not_found'],
      },
      /** Of the groups they administer; a thing's own. */
      deleteMessages: {
        method: 'DELETE',
        path: `/reader/${format}`,
        needs: { kind: 'userOrThing' },
        query: Deletion,
        answers: { 204: Empty },
        summary: 'Delete the messages of all things one administers, or one’s own as a thing',
        about:
          'All filters apply: what does not match stays. For the platform admin, of all things; for a user, of the things of the groups they administer; for a thing, its own.',
        audit: 'messages',
        removes: true,
      },
      /** For an admin of its group; a thing's own. */
      deleteMessagesOfThing: {
        method: 'DELETE',
        path: `/reader/${format}/:publisher`,
        needs: { kind: 'userOrThing' },
        params: Type.Object({ publisher: Uuid }),
        query: Deletion,
        answers: { 204: Empty },
        summary: 'Delete the messages of a thing',
        about: 'All filters apply: what does not match stays.',
        errors: ['forbidden', 'not_found'],
        audit: 'messages',
        removes: true,
      },
    },
    `_${format}`,
  );

export const reader = {
  senml: ofFormat('senml', SenmlMessage, SenmlPage),
  json: ofFormat('json', JsonMessage, JsonPage),
};

/** The content shows which of the two it is. */
const Files = {
  content: {
    'application/octet-stream': binary('A file that the backup gave.'),
    'application/json': {
      schema: Type.Object({
        json_messages: about(Type.Array(Type.Object({})), 'JSON messages.', []),
        senml_messages: about(Type.Array(Type.Object({})), 'SenML messages.', []),
      }),
    },
  },
};

/** How many messages of a file were not restored, because the things that sent them are gone. */
export const leftOutHeader = 'millrace-messages-left-out';

const Restored = Type.Unsafe<undefined>({
  ...Empty,
  headers: {
    [leftOutHeader]: {
      type: 'integer',
      description: 'Messages of things that are gone, which were not restored',
    },
  },
});

export const backups = operations('messages', {
  backupMessages: {
    method: 'GET',
    path: '/reader/backup',
    head: false,
    needs: { kind: 'platformAdmin' },
    written: { 200: { content: { 'application/octet-stream': binary('The backup.') } } },
    summary: 'All messages of both formats as one file',
    auditAlso: 'messages',
  },
  restoreMessages: {
    method: 'POST',
    path: '/reader/restore',
    needs: { kind: 'platformAdmin' },
    body: Files,
    anyLength: true,
    answers: { 201: Restored },
    summary: 'Add what is missing of a backup, or of a file of the platform’s older kind',
    about: 'The file is checked whole before anything changes. Restoring it twice adds nothing.',
    errors: ['malformed', 'unsupported_type'],
    audit: 'messages',
  },
});
