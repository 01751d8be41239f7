import type { MessageFormat } from '../../../../schemas/messages/tables.ts';
import { messageTables } from '../../../../schemas/messages/tables.ts';
import type { Aggregation } from '../../aggregates/aggregation.ts';
import { aggregateOf, type Buckets, startOf } from '../../aggregates/grouping.ts';
import { jsonPaths, numberAt } from '../../query/payload.ts';
import type { Where } from '../../query/where.ts';
import { keyOf, type Series } from './series.ts';

/*
 * Rows of one time are gathered into maps from the keys of their series to values; a column is what the map has under
 * its key. So a time costs as much memory as it has values, however many columns there are.
 */

/** A statement of rows: `at`, the time in nanoseconds, and `column0`, … for the series. */
type Pivot = { sql: string };

/** One row for each time. Of several values of a series at one time, the smallest. */
export function timesOf(
  format: MessageFormat,
  where: Where,
  series: readonly Series[],
  fields: readonly string[],
): Pivot {
  const { name, time, day } = messageTables[format];
  const hasTexts = series.some(({ holds }) => holds === 'text');
  const numbers =
    format === 'senml'
      ? `groupArrayIf((${keyOf('senml')}, value), kind IN ('value', 'bool'))`
      : `groupArrayArray(${pairsOf(fields.map((field) => numberAt(jsonPaths(where, field))))})`;
  const texts = hasTexts
    ? `, CAST(arraySort(groupArrayIf((${keyOf('senml')}, text), kind IN ('string', 'data'))),
              'Map(UInt64, Nullable(String))') AS texts`
    : '';
  return {
    sql: `
      SELECT ${['at', ...series.map((one, n) => `${cellOf(one)} AS column${n}`)].join(', ')}
      FROM (SELECT ${time} AS at, CAST(arraySort(${numbers}), 'Map(UInt64, Nullable(Float64))') AS numbers ${texts}
            FROM ${name} WHERE ${where.text} GROUP BY ${day}, ${time})`,
  };
}

/** The value of a series in the maps of a row, or null. */
function cellOf({ key, holds }: Series): string {
  const number = `numbers[${key}]`;
  if (holds === 'number') return number;
  if (holds === 'bool') return `CAST(${number} != 0, 'Nullable(Bool)')`;
  return `ifNull(texts[${key}], toString(${number}))`;
}

/** One row for each bucket, with the aggregate of each series. */
export function bucketsOfSeries(
  format: MessageFormat,
  where: Where,
  series: readonly Series[],
  aggregation: Aggregation,
): Buckets {
  const { type, fields } = aggregation;
  const { name, time } = messageTables[format];
  const start = startOf(time, where, aggregation);
  const [pairs, grouped] =
    format === 'senml'
      ? [
          `groupArray((series, toFloat64(aggregated)))`,
          `SELECT ${start} AS start, ${keyOf('senml')} AS series,
                  ${aggregateOf(type, 'value', '(time, publisher, name)')} AS aggregated
           FROM ${name} WHERE ${where.text} GROUP BY start, series`,
        ]
      : [
          'groupArrayArray(pairs)',
          `SELECT ${start} AS start, publisher, subtopic,
                  ${pairsOf(
                    fields.map((field) => {
                      const value = numberAt(jsonPaths(where, field));
                      const aggregate = aggregateOf(type, value, '(created, publisher)');
                      return type === 'count' ? `nullIf(${aggregate}, 0)` : aggregate;
                    }),
                  )} AS pairs
           FROM ${name} WHERE ${where.text} GROUP BY start, publisher, subtopic`,
        ];
  const columns = series.map(({ key }, n) => ({
    column: `column${n}`,
    label: undefined,
    sql: `numbers[${key}] AS column${n}`,
  }));
  return {
    labels: [],
    values: columns,
    sql: `
      SELECT ${['start', ...columns.map(({ sql }) => sql)].join(', ')}
      FROM (SELECT start, CAST(${pairs}, 'Map(UInt64, Nullable(Float64))') AS numbers
            FROM (${grouped}) GROUP BY start)`,
  };
}

/** The keys and values of the fields of JSON messages, of those that have one. */
function pairsOf(values: readonly string[]): string {
  const pairs = values.map(
    (value, at) => `(${keyOf('json', at)}, CAST(${value}, 'Nullable(Float64)'))`,
  );
  return `arrayFilter(pair -> isNotNull(pair.2), [${pairs.join(', ')}])`;
}
