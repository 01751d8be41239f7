import { PassThrough, pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ExportAsked } from '../../../schemas/messages/query.ts';
import {
  type Aggregation,
  bucketPayload,
  type Buckets,
  bucketsOf,
  bucketText,
} from '../aggregates/aggregates.ts';
import { bucketsCsv, type Columns, payloadsCsv, senmlCsv, typedColumns } from '../query/columns.ts';
import type { Where } from '../query/conditions.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { messageTextWith } from '../query/messages.ts';
import { orderBy, sortedBy } from '../query/order.ts';
import { sortedInMemoryBytesMax } from '../query/settings.ts';
import type { Store } from '../store/store.ts';
import type { TimeFormat } from '../query/times.ts';

export type FileType = NonNullable<ExportAsked['convert']>;

/** What a file of each type is called, and ClickHouse's format for it. */
export const fileTypes: Readonly<Record<FileType, { contentType: string; extension: string }>> = {
  json: { contentType: 'application/json', extension: 'json' },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv' },
  ndjson: { contentType: 'application/x-ndjson', extension: 'ndjson' },
  parquet: { contentType: 'application/vnd.apache.parquet', extension: 'parquet' },
  arrow: { contentType: 'application/vnd.apache.arrow.stream', extension: 'arrow' },
};

/** How a file is made. */
export type FileAsked = Pick<ExportAsked, 'dir' | 'order' | 'from' | 'to'> & {
  type: FileType;
  times: TimeFormat;
};

/**
 * Messages, or all aggregates of them, as ClickHouse writes them. Destroying the file ends the query; it fails
 * where the query fails.
 *
 * @throws DomainError `malformed` for a CSV of too many columns, or too many filled aggregates;
 * `unavailable` where the disk has no room to sort on.
 */
export async function exportFile(
  store: Store,
  format: MessageFormat,
  where: Where,
  asked: FileAsked,
  aggregation: Aggregation | undefined,
): Promise<Readable> {
  const rows =
    aggregation === undefined
      ? await messageRows(store, format, where, asked)
      : await bucketRows(store, format, where, asked, aggregation);
  const { before = '', select, head = '', format: written } = rows.columns;
  const stream = await store.file(
    `${before} SELECT ${select} FROM ${rows.from} ORDER BY ${rows.order} ${rows.settings ?? ''}
     FORMAT ${written}`,
    where.bound,
  );
  return head === '' ? stream : behind(head, stream);
}

/** What a query for a file is put together from. */
type Rows = { columns: Columns; from: string; order: string; settings?: string };

async function messageRows(
  store: Store,
  format: MessageFormat,
  where: Where,
  { type, dir, order, times }: FileAsked,
): Promise<Rows> {
  const columns =
    wholeColumns(format, type, messageTextWith(format, times)) ??
    (format === 'senml' ? senmlCsv(times) : await payloadsCsv(store, where, times));
  const from = `${messageTables[format].name} WHERE ${where.text}`;
  // As the tables are sorted: nothing is held to be sorted.
  if (order === 'store') return { columns, from, order: sortedBy(format, dir) };
  // One day after the other, while it is read; or all of it, on the disk, before the first row.
  const flows = (await largestDayBytes(store, format, where)) <= sortedInMemoryBytesMax;
  // What several threads have sorted is put together in blocks of so many rows, however long those are.
  const settings = flows
    ? 'SETTINGS optimize_read_in_order = 1'
    : 'SETTINGS optimize_read_in_order = 0, max_threads = 1';
  return { columns, from, order: orderBy(format, dir), settings };
}

async function bucketRows(
  store: Store,
  format: MessageFormat,
  where: Where,
  asked: FileAsked,
  aggregation: Aggregation,
): Promise<Rows> {
  const { type, dir, times } = asked;
  const buckets = await bucketsOf(store, format, where, aggregation, asked);
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
  return { select: isText ? json : typedColumns[format], format: clickhouseFormats[type] };
}

const clickhouseFormats: Readonly<Record<Exclude<FileType, 'csv'>, string>> = {
  json: 'CustomSeparated',
  ndjson: 'TabSeparatedRaw',
  parquet: 'Parquet',
  arrow: 'ArrowStream',
};

/** Buckets with the columns that messages have in their table. */
const asMessages: Readonly<Record<MessageFormat, (buckets: Buckets) => string>> = {
  senml: ({ query }) => `
    SELECT *, start AS time, 'value' AS kind, value0 AS value, '' AS text,
           CAST(NULL, 'Nullable(Float64)') AS sum, CAST(NULL, 'Nullable(Float64)') AS update_time
    FROM (${query})`,
  json: (buckets) => `
    SELECT *, start AS created, '' AS subtopic, ${bucketPayload(buckets)} AS payload
    FROM (${buckets.query})`,
};

/** About what a row takes while it is sorted (measured: 78 bytes of SenML), beside its text. */
const sortedRowBytes = 96;

/** What the largest day of these messages takes in memory while it is sorted. */
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

/** The file's first line, and then what ClickHouse writes. */
function behind(head: string, stream: Readable): Readable {
  const file = new PassThrough();
  file.write(head);
  return pipeline(stream, file, () => undefined);
}
