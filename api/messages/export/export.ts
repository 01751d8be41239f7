import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { markedUtf8 } from '../../../schemas/csv.ts';
import type { ExportQuery } from '../../../schemas/messages/query.ts';
import type { Aggregation } from '../aggregates/aggregation.ts';
import { bucketsOf } from '../aggregates/buckets.ts';
import { bucketsAsMessages, bucketText } from '../aggregates/grouping.ts';
import type { ChosenColumn } from '../columns/chosen.ts';
import { chosenText } from '../columns/text.ts';
import type { ThingNames } from '../columns/thing-names.ts';
import { bucketsCsv, chosenJsonCsv, type Columns, payloadsCsv, senmlCsv } from './columns.ts';
import { chosenTyped, typedColumns } from './typed.ts';
import type { WithTimes } from '../../http/query/time.ts';
import type { Where } from '../query/where.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { messageTextWith } from '../query/message-text.ts';
import { fileOrderBy, sortedBy } from '../query/order.ts';
import { sortedInMemoryBytesMax } from '../store/settings.ts';
import type { Store } from '../store/store.ts';
import type { FileType } from './file-type.ts';
import type { TimeFormat } from '../query/times.ts';

/** The parameters of a file. `names` are there where a column is of them. */
export type FileRequest = Pick<WithTimes<ExportQuery>, 'dir' | 'order' | 'from' | 'to' | 'bom'> & {
  type: FileType;
  times: TimeFormat;
  columns?: readonly ChosenColumn[] | undefined;
  names?: ThingNames | undefined;
};

/**
 * A file of messages, or of all their buckets, as ClickHouse writes it. Destroying the file ends the query; a query
 * that fails destroys the file.
 *
 * @throws DomainError `malformed` for a CSV of too many columns, or too many filled aggregates;
 * `unavailable` if the disk has no room for sorting.
 */
export async function exportFile(
  store: Store,
  format: MessageFormat,
  where: Where,
  request: FileRequest,
  aggregation: Aggregation | undefined,
): Promise<Readable> {
  const rows =
    aggregation === undefined
      ? await messageRows(store, format, where, request)
      : await bucketRows(store, format, where, request, aggregation);
  return sendRows(store, where, request, rows);
}

/** The rows as ClickHouse writes them, with the head before them. */
export async function sendRows(
  store: Store,
  where: Where,
  { bom }: Pick<FileRequest, 'bom'>,
  rows: Rows,
): Promise<Readable> {
  const { before = '', select, renamed, head = '', format: written } = rows.columns;
  const sorted = `SELECT ${select} FROM ${rows.from} ORDER BY ${rows.order}`;
  const all = renamed === undefined ? sorted : `SELECT ${renamed} FROM (${sorted})`;
  const stream = await store.file(
    `${before} ${all} ${rows.settings ?? ''} FORMAT ${written}`,
    where.bound,
  );
  // Another stream, only to put the first line before the rows, would cost a fifth of the API's CPU time.
  if (head !== '') stream.unshift(Buffer.from(bom === true ? markedUtf8(head) : head));
  return stream;
}

/** The pieces of a file's query. */
type Rows = { columns: Columns; from: string; order: string; settings?: string };

async function messageRows(
  store: Store,
  format: MessageFormat,
  where: Where,
  request: FileRequest,
): Promise<Rows> {
  const { type, dir, order, times } = request;
  // Finding the columns may narrow what is selected.
  const from = () => `${messageTables[format].name} WHERE ${where.text}`;
  const columns =
    (await chosenColumns(store, format, where, request, from())) ??
    wholeColumns(format, type, messageTextWith(format, times)) ??
    (format === 'senml' ? senmlCsv(where, request) : await payloadsCsv(store, where, times));
  // As the tables are sorted: rows are sent as they are read.
  if (order === 'store') return { columns, from: from(), order: sortedBy(format, dir) };
  // Sorted in memory, day by day while it is read; where a day is too large for that, all of it on the disk, before
  // the first row is sent.
  const sortsInMemory = (await largestDayBytes(store, format, where)) <= sortedInMemoryBytesMax;
  // One thread: several would merge what they sorted in blocks of many rows, however long the rows are.
  const settings = sortsInMemory
    ? 'SETTINGS optimize_read_in_order = 1'
    : 'SETTINGS optimize_read_in_order = 0, max_threads = 1';
  return { columns, from: from(), order: fileOrderBy(format, dir), settings };
}

async function bucketRows(
  store: Store,
  format: MessageFormat,
  where: Where,
  request: FileRequest,
  aggregation: Aggregation,
): Promise<Rows> {
  const { type, dir, times } = request;
  const buckets = await bucketsOf(store, format, where, aggregation, request);
  const from = `(${bucketsAsMessages(format, buckets)})`;
  const columns =
    (await chosenColumns(store, format, where, request, from)) ??
    wholeColumns(format, type, bucketText(format, buckets, times)) ??
    (format === 'senml'
      ? senmlCsv(where, request)
      : bucketsCsv(buckets, aggregation.fields, times));
  return {
    columns,
    from,
    order: `${messageTables[format].time} ${dir}`,
  };
}

/** The columns of a file that is no CSV; `json` is a message's text. */
function wholeColumns(format: MessageFormat, type: FileType, json: string): Columns | undefined {
  if (type === 'csv') return undefined;
  const isText = type === 'json' || type === 'ndjson';
  const written = clickhouseFormats[type];
  if (isText) return { select: json, format: written };
  return { ...typedColumns(format), format: written };
}

/** The columns that were chosen, if any were. */
async function chosenColumns(
  store: Store,
  format: MessageFormat,
  where: Where,
  request: FileRequest,
  from: string,
): Promise<Columns | undefined> {
  const { type, times, columns, names } = request;
  if (columns === undefined) return undefined;
  if (type === 'csv') {
    return format === 'senml' ? senmlCsv(where, request) : chosenJsonCsv(where, columns, request);
  }
  const written = clickhouseFormats[type];
  return type === 'json' || type === 'ndjson'
    ? { select: chosenText(columns, { format, where, times, names }), format: written }
    : { ...(await chosenTyped(store, format, columns, { where, names, from })), format: written };
}

/** What ClickHouse calls each type; of a CSV, one of numbers and texts that it quotes itself. */
export const clickhouseFormats: Readonly<Record<FileType, string>> = {
  csv: 'CSV',
  json: 'CustomSeparated',
  ndjson: 'TabSeparatedRaw',
  parquet: 'Parquet',
  arrow: 'Arrow',
  arrows: 'ArrowStream',
};

/** Roughly the memory of a row while it is sorted (measured: 78 bytes of SenML), without its text. */
const sortedRowBytes = 96;

/** The memory that sorting the largest day of these messages takes. */
async function largestDayBytes(store: Store, format: MessageFormat, where: Where): Promise<number> {
  const { name, day } = messageTables[format];
  const long = format === 'senml' ? 'text' : 'payload';
  const file = await store.file(
    `SELECT max(bytes) FROM (
       SELECT sum(${sortedRowBytes} + length(${long})) AS bytes FROM ${name}
       WHERE ${where.text} GROUP BY ${day})
     FORMAT TabSeparatedRaw`,
    where.bound,
  );
  return Number(await text(file));
}
