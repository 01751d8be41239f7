import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { markedUtf8 } from '../../../schemas/csv.ts';
import type { ExportQuery } from '../../../schemas/messages/query.ts';
import type { Aggregation } from '../aggregates/aggregation.ts';
import { bucketsOf } from '../aggregates/buckets.ts';
import { bucketPayload, type Buckets, bucketText } from '../aggregates/grouping.ts';
import {
  bucketsCsv,
  type Columns,
  payloadsCsv,
  renamedColumns,
  senmlCsv,
  typedColumns,
} from './columns.ts';
import type { WithTimes } from '../../http/query/time.ts';
import type { Where } from '../query/where.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { messageTextWith } from '../query/message-text.ts';
import { fileOrderBy, sortedBy } from '../query/order.ts';
import { sortedInMemoryBytesMax } from '../store/settings.ts';
import type { Store } from '../store/store.ts';
import type { FileType } from './file-type.ts';
import type { TimeFormat } from '../query/times.ts';

/** The parameters of a file. */
type FileRequest = Pick<WithTimes<ExportQuery>, 'dir' | 'order' | 'from' | 'to' | 'bom'> & {
  type: FileType;
  times: TimeFormat;
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
  const { before = '', select, renamed, head = '', format: written } = rows.columns;
  const sorted = `SELECT ${select} FROM ${rows.from} ORDER BY ${rows.order}`;
  const all = renamed === undefined ? sorted : `SELECT ${renamed} FROM (${sorted})`;
  const stream = await store.file(
    `${before} ${all} ${rows.settings ?? ''} FORMAT ${written}`,
    where.bound,
  );
  // Another stream, only to put the first line before the rows, would cost a fifth of the API's CPU time.
  if (head !== '') stream.unshift(Buffer.from(request.bom === true ? markedUtf8(head) : head));
  return stream;
}

/** The pieces of a file's query. */
type Rows = { columns: Columns; from: string; order: string; settings?: string };

async function messageRows(
  store: Store,
  format: MessageFormat,
  where: Where,
  { type, dir, order, times }: FileRequest,
): Promise<Rows> {
  const columns =
    wholeColumns(format, type, messageTextWith(format, times)) ??
    (format === 'senml' ? senmlCsv(times) : await payloadsCsv(store, where, times));
  const from = `${messageTables[format].name} WHERE ${where.text}`;
  // As the tables are sorted: rows are sent as they are read.
  if (order === 'store') return { columns, from, order: sortedBy(format, dir) };
  // Sorted in memory, day by day while it is read; where a day is too large for that, all of it on the disk, before
  // the first row is sent.
  const sortsInMemory = (await largestDayBytes(store, format, where)) <= sortedInMemoryBytesMax;
  // One thread: several would merge what they sorted in blocks of many rows, however long the rows are.
  const settings = sortsInMemory
    ? 'SETTINGS optimize_read_in_order = 1'
    : 'SETTINGS optimize_read_in_order = 0, max_threads = 1';
  return { columns, from, order: fileOrderBy(format, dir), settings };
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
  const columns =
    wholeColumns(format, type, bucketText(format, buckets, times)) ??
    (format === 'senml' ? senmlCsv(times) : bucketsCsv(buckets, aggregation.fields, times));
  return {
    columns,
    from: `(${asMessages[format](buckets)})`,
    order: `${messageTables[format].time} ${dir}`,
  };
}

/** The columns of a file that is no CSV; `json` is a message's text. */
function wholeColumns(format: MessageFormat, type: FileType, json: string): Columns | undefined {
  if (type === 'csv') return undefined;
  const isText = type === 'json' || type === 'ndjson';
  const written = clickhouseFormats[type];
  if (isText) return { select: json, format: written };
  return { select: typedColumns[format], renamed: renamedColumns[format], format: written };
}

const clickhouseFormats: Readonly<Record<Exclude<FileType, 'csv'>, string>> = {
  json: 'CustomSeparated',
  ndjson: 'TabSeparatedRaw',
  parquet: 'Parquet',
  arrow: 'Arrow',
  arrows: 'ArrowStream',
};

/** Buckets with the columns of a table of messages. */
const asMessages: Readonly<Record<MessageFormat, (buckets: Buckets) => string>> = {
  senml: ({ sql }) => `
    SELECT *, start AS time, 'value' AS kind, value0 AS value, '' AS text,
           CAST(NULL, 'Nullable(Float64)') AS sum, CAST(NULL, 'Nullable(Float64)') AS update_time
    FROM (${sql})`,
  json: (buckets) => `
    SELECT *, start AS created, ${bucketPayload(buckets)} AS payload
    FROM (${buckets.sql})`,
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
