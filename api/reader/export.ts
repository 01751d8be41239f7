import { randomBytes } from 'node:crypto';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { DomainError } from '../../schemas/errors.ts';
import type { ExportAsked } from '../../schemas/message-query.ts';
import { jsonPaths, type MessageFormat, tables, type Where } from './conditions.ts';
import { messageText } from './messages.ts';
import { sortedBy } from './order.ts';
import { cellAt, markedCells, mayHaveLongInteger, readablePayload } from './payload.ts';
import type { Store } from './store.ts';

export type FileType = NonNullable<ExportAsked['convert']>;

/** What a file of each type is called, and ClickHouse's format for it. */
export const fileTypes: Readonly<Record<FileType, { contentType: string; extension: string }>> = {
  json: { contentType: 'application/json', extension: 'json' },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv' },
  ndjson: { contentType: 'application/x-ndjson', extension: 'ndjson' },
  parquet: { contentType: 'application/vnd.apache.parquet', extension: 'parquet' },
  arrow: { contentType: 'application/vnd.apache.arrow.stream', extension: 'arrow' },
};

/** A file as ClickHouse writes it. Destroying it ends the query; it fails where the query fails. */
export async function exportFile(
  store: Store,
  format: MessageFormat,
  where: Where,
  type: FileType,
  dir: ExportAsked['dir'],
): Promise<Readable> {
  const { before = '', columns, head } = await columnsOf(store, format, where, type);
  // As the tables are sorted: nothing is held to be sorted.
  const stream = await store.file(
    `${before} SELECT ${columns} FROM ${tables[format].name} WHERE ${where.text}
     ORDER BY ${sortedBy(format, dir)}
     FORMAT ${clickhouseFormats[type]}`,
    where.bound,
  );
  return head === '' ? stream : behind(head, stream);
}

const clickhouseFormats: Readonly<Record<FileType, string>> = {
  json: 'CustomSeparated',
  ndjson: 'TabSeparatedRaw',
  csv: 'CSV',
  parquet: 'Parquet',
  arrow: 'ArrowStream',
};

/** The file's first line, and then what ClickHouse writes. */
function behind(head: string, stream: Readable): Readable {
  const file = new PassThrough();
  file.write(head);
  return pipeline(stream, file, () => undefined);
}

/** What is selected, and the first line of a CSV: a column of a payload may be named like any other. */
type Columns = { before?: string; columns: string; head: string };

async function columnsOf(
  store: Store,
  format: MessageFormat,
  where: Where,
  type: FileType,
): Promise<Columns> {
  if (type === 'json' || type === 'ndjson') return { columns: messageText[format], head: '' };
  if (type === 'csv') {
    return format === 'json'
      ? jsonCsvColumns(store, where)
      : { columns: senmlColumns(asItIs, harmless), head: csvHead(senmlNames) };
  }
  const columns =
    format === 'senml'
      ? senmlColumns(asText, asItIs)
      : 'created, subtopic, publisher, protocol, payload';
  return { columns, head: '' };
}

function csvHead(names: readonly string[]): string {
  return `${names.map((name) => `"${harmlessName(name).replaceAll('"', '""')}"`).join(',')}\n`;
}

const senmlNames =
  'subtopic publisher protocol name unit value string_value bool_value data_value sum time update_time'.split(
    ' ',
  );

type Wrap = (sql: string) => string;
/** In a CSV: what is done with a text of a dictionary is done once for all rows that have it. */
const asItIs: Wrap = (sql) => sql;
/** Files with types of their own say text, and not dictionary or UUID. */
const asText: Wrap = (sql) => `toString(${sql})`;

/** The columns of the contract. */
function senmlColumns(typed: Wrap, cell: Wrap): string {
  const text = (kind: string) => `if(kind = '${kind}', ${cell('text')}, NULL)`;
  return `
    ${cell(typed('subtopic'))} AS subtopic, ${typed('publisher')} AS publisher,
    ${typed('protocol')} AS protocol, ${cell(typed('name'))} AS name, ${cell(typed('unit'))} AS unit,
    if(kind = 'value', value, NULL) AS value, ${text('string')} AS string_value,
    if(kind = 'bool', toBool(value != 0), NULL) AS bool_value, ${text('data')} AS data_value, sum,
    reinterpret(time, 'Decimal64(9)') AS time, update_time`;
}

/** A cell that a spreadsheet would run as a formula gets a quote before it. */
function harmless(text: string): string {
  return `if(match(${text}, '^[=+@\\\\t\\\\r-]'), concat('''', ${text}), ${text})`;
}

const payloadColumnsMax = 1_000;

/** A column for each path of the payloads that are exported; an array stands in its cell as JSON. */
async function jsonCsvColumns(store: Store, where: Where): Promise<Columns> {
  const { paths, hasLongIntegers } = await findPayloadPaths(store, where);
  const { before, cellAt: cellOf } = hasLongIntegers
    ? markedCells(where.bind('String', `int${randomBytes(12).toString('hex')}x`))
    : { before: '', cellAt };
  const cells = paths.map((path) => cellOf(jsonPaths(where, path), harmless));
  const fixed = ['created', harmless('toString(subtopic)'), 'publisher', 'toString(protocol)'];
  return {
    before,
    columns: [...fixed, ...cells].map((cell, i) => `${cell} AS c${i}`).join(', '),
    head: csvHead(['created', 'subtopic', 'publisher', 'protocol', ...paths]),
  };
}

async function findPayloadPaths(store: Store, where: Where) {
  const file = await store.file(
    `SELECT DISTINCT arrayJoin(JSONAllPaths(CAST(${readablePayload}, 'JSON'))) AS path,
            ${mayHaveLongInteger} AS long
     FROM json WHERE ${where.text}
     ORDER BY path LIMIT ${2 * payloadColumnsMax + 2}
     FORMAT JSONCompactColumns`,
    where.bound,
  );
  const [found = [], long = []] = Value.Parse(PathsAndLong, await json(file));
  const paths = [...new Set(found.map(String))];
  if (paths.length > payloadColumnsMax) {
    throw new DomainError('malformed', `convert: more than ${payloadColumnsMax} columns; use json`);
  }
  return { paths, hasLongIntegers: long.includes(1) };
}

/** Two columns; where nothing matches there are none. */
const PathsAndLong = Type.Array(Type.Array(Type.Union([Type.String(), Type.Number()])));

function harmlessName(name: string): string {
  return /^[=+@\t\r-]/.test(name) ? `'${name}` : name;
}
