import type { Readable } from 'node:stream';
import { DomainError } from '../../../../schemas/http/errors.ts';
import type { MessageFormat } from '../../../../schemas/messages/tables.ts';
import type { Database } from '../../../stores/database.ts';
import type { Aggregation } from '../../aggregates/aggregation.ts';
import { fillGaps } from '../../aggregates/gaps.ts';
import type { ChosenColumn } from '../../columns/chosen.ts';
import { namesOfThings } from '../../columns/thing-names.ts';
import { addName } from '../../query/conditions.ts';
import { jsonTime, senmlTime, type TimeFormat, timestamp } from '../../query/times.ts';
import type { Where } from '../../query/where.ts';
import type { Store } from '../../store/store.ts';
import { csvHead, harmless } from '../columns.ts';
import { clickhouseFormats, type FileRequest, sendRows } from '../export.ts';
import { identifier } from '../typed.ts';
import { headsOf } from './heads.ts';
import { bucketsOfSeries, timesOf } from './pivot.ts';
import { findSeries, type Series } from './series.ts';

type Column = Series & { head: string };

/**
 * A file with a row for each time, or each bucket, and a column for each series, as ClickHouse writes it.
 *
 * @throws DomainError `malformed` if there are too many series, or for JSON messages no paths are named.
 */
export async function wideFile(
  { db, store }: { db: Database; store: Store },
  format: MessageFormat,
  where: Where,
  request: FileRequest,
  aggregation: Aggregation | undefined,
): Promise<Readable> {
  const fields = fieldsOf(format, request.columns, aggregation);
  if (format === 'senml') {
    const isOfNumbers = aggregation !== undefined && aggregation.type !== 'count';
    where.add(isOfNumbers ? `kind = 'value'` : `kind != 'none'`);
    addName(where, aggregation?.fields ?? []);
  }
  const series = await findSeries(store, format, where, fields);
  const columns = await named(db, series, format);
  const rows = await rowsOf(store, format, where, { columns, fields, request, aggregation });
  const { type, times } = request;
  const written = writers[type === 'csv' || type === 'json' || type === 'ndjson' ? type : 'typed'];
  return sendRows(store, where, request, {
    columns: { format: clickhouseFormats[type], ...written(columns, format, times, where) },
    from: `(${rows})`,
    order: `at ${request.dir}`,
  });
}

/** The paths of JSON messages whose numbers are series. */
function fieldsOf(
  format: MessageFormat,
  columns: readonly ChosenColumn[] | undefined,
  aggregation: Aggregation | undefined,
): readonly string[] {
  const paths = columns?.flatMap((one) => (one.kind === 'path' ? [one.path] : []));
  if (format === 'senml' || aggregation !== undefined) {
    if (columns !== undefined) {
      throw new DomainError('malformed', 'columns: with shape=wide each series is a column');
    }
    return aggregation?.fields ?? [];
  }
  if (paths === undefined || paths.length === 0 || paths.length < (columns?.length ?? 0)) {
    throw new DomainError(
      'malformed',
      'columns: shape=wide needs paths of the payload, and no others',
    );
  }
  return paths;
}

/** The series in the order of their heads: those of a thing stand together. */
async function named(
  db: Database,
  series: readonly Series[],
  format: MessageFormat,
): Promise<Column[]> {
  const names = await namesOfThings(db, [...new Set(series.map(({ publisher }) => publisher))]);
  const wordsOf = ({ publisher, subtopic, name, unit }: Series) =>
    [names.get(publisher) ?? '', publisher, subtopic, name, unit].join('\0');
  const sorted = series.toSorted((one, other) => (wordsOf(one) < wordsOf(other) ? -1 : 1));
  const heads = headsOf(sorted, names, timeHead(format));
  return sorted.map((one, at) => ({ ...one, head: heads[at] ?? one.key }));
}

const timeHead = (format: MessageFormat) => (format === 'senml' ? 'time' : 'created');

/** The statement of the rows: `at`, and `column0`, …. */
async function rowsOf(
  store: Store,
  format: MessageFormat,
  where: Where,
  asked: {
    columns: readonly Column[];
    fields: readonly string[];
    request: FileRequest;
    aggregation: Aggregation | undefined;
  },
): Promise<string> {
  const { columns, fields, request, aggregation } = asked;
  if (aggregation === undefined) return timesOf(format, where, columns, fields).sql;
  const buckets = bucketsOfSeries(format, where, columns, aggregation);
  const filled =
    aggregation.fill === 'none' || columns.length === 0
      ? buckets
      : await fillGaps(store, format, where, { buckets, aggregation, range: request });
  return `SELECT *, start AS at FROM (${filled.sql})`;
}

type Written = { select: string; head?: string; renamed?: string };
type Writer = (
  columns: readonly Column[],
  format: MessageFormat,
  times: TimeFormat,
  where: Where,
) => Written;

const timeOf = (format: MessageFormat, times: TimeFormat) =>
  format === 'senml' ? senmlTime('at', times).time : jsonTime('at', times);

/** How each type of file has its columns. */
const writers: Readonly<Record<'csv' | 'json' | 'ndjson' | 'typed', Writer>> = {
  csv: (columns, format, times) => ({
    head: csvHead([timeHead(format), ...columns.map(({ head }) => head)]),
    select: [
      timeOf(format, times),
      ...columns.map(({ holds }, at) =>
        holds === 'text' ? harmless(`column${at}`) : `column${at}`,
      ),
    ].join(', '),
  }),
  json: asObject,
  ndjson: asObject,
  typed: (columns, format) => ({
    select: [`${timestamp('at')} AS moment`, ...columns.map((_one, at) => `column${at}`)].join(
      ', ',
    ),
    renamed: [
      `moment AS ${identifier(timeHead(format))}`,
      ...columns.map(({ head }, at) => `column${at} AS ${identifier(head)}`),
    ].join(', '),
  }),
};

/** A flat object without the series that have nothing at its time. */
function asObject(
  columns: readonly Column[],
  format: MessageFormat,
  times: TimeFormat,
  where: Where,
): Written {
  const members = columns.map(({ head }, at) => {
    const label = where.bind('String', `,${JSON.stringify(head)}:`);
    return `if(isNull(column${at}), '', concat(${label}, toJSONString(column${at})))`;
  });
  const time = `concat('{"${timeHead(format)}":', toJSONString(${timeOf(format, times)}))`;
  return { select: `concat(${[time, ...members, `'}'`].join(', ')})` };
}
