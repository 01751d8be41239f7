import type { Readable } from 'node:stream';
import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import { DomainError } from '../../schemas/errors.ts';
import type { ExportAsked } from './asked.ts';
import { named } from './clickhouse-errors.ts';
import { jsonPaths, type MessageFormat, tables, type Where } from './conditions.ts';
import { messageText } from './messages.ts';
import { exportSettings, textSettings } from './settings.ts';

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
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  where: Where,
  type: FileType,
  dir: ExportAsked['dir'],
): Promise<Readable> {
  const { name, time } = tables[format];
  const columns = await columnsOf(clickhouse, format, where, type);
  const direction = dir === 'asc' ? 'ASC' : 'DESC';
  try {
    const { stream } = await clickhouse.exec({
      // As the tables are sorted: nothing is held to be sorted.
      query: `
        SELECT ${columns} FROM ${name} WHERE ${where.text}
        ORDER BY publisher ${direction}, ${time} ${direction}
        FORMAT ${clickhouseFormats[type]}`,
      query_params: where.params,
      use_multipart_params_auto: true,
      clickhouse_settings: {
        ...exportSettings,
        ...textSettings,
        format_csv_null_representation: '',
        format_custom_escaping_rule: 'Raw',
        format_custom_result_before_delimiter: '[',
        format_custom_row_before_delimiter: '',
        format_custom_row_after_delimiter: '',
        format_custom_row_between_delimiter: ',\n',
        format_custom_result_after_delimiter: ']\n',
      },
    });
    return stream;
  } catch (error) {
    throw named(error);
  }
}

const clickhouseFormats: Readonly<Record<FileType, string>> = {
  json: 'CustomSeparated',
  ndjson: 'TabSeparatedRaw',
  csv: 'CSVWithNames',
  parquet: 'Parquet',
  arrow: 'ArrowStream',
};

async function columnsOf(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  where: Where,
  type: FileType,
): Promise<string> {
  if (type === 'json' || type === 'ndjson') return messageText[format];
  const cell = type === 'csv' ? harmless : (text: string) => text;
  if (format === 'senml') return senmlColumns(cell);
  return type === 'csv'
    ? jsonCsvColumns(clickhouse, where)
    : 'created, subtopic, publisher, protocol, payload';
}

/** The columns of the contract. */
function senmlColumns(cell: (text: string) => string): string {
  const text = (kind: string) => `if(kind = '${kind}', ${cell('text')}, NULL)`;
  return `
    ${cell('toString(subtopic)')} AS subtopic, toString(publisher) AS publisher,
    toString(protocol) AS protocol, ${cell('toString(name)')} AS name, ${cell('toString(unit)')} AS unit,
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
async function jsonCsvColumns(clickhouse: ClickHouseClient, where: Where): Promise<string> {
  const paths = await findPayloadPaths(clickhouse, where);
  const columns = paths.map((path) => {
    const found = jsonPaths(where, path).map((at) => {
      const text = harmless(`JSONExtractString(payload, ${at})`);
      return `if(JSONType(payload, ${at}) = 'String', ${text}, JSONExtractRaw(payload, ${at}))`;
    });
    const [flat = `''`, nested = `''`] = found;
    const cell = found.length === 1 ? flat : `if(${flat} != '', ${flat}, ${nested})`;
    return `${cell} AS ${quoted(path)}`;
  });
  const fixed = `created, ${harmless('toString(subtopic)')} AS subtopic, publisher, toString(protocol) AS protocol`;
  return [fixed, ...columns].join(', ');
}

async function findPayloadPaths(clickhouse: ClickHouseClient, where: Where): Promise<string[]> {
  try {
    const result = await clickhouse.query({
      // Only the paths count here: a number longer than any type of ClickHouse's is cut.
      query: `
        SELECT DISTINCT arrayJoin(JSONAllPaths(CAST(
                 replaceRegexpAll(payload, '([:,\\[]-?)[0-9]{19,}', '\\\\10'), 'JSON'))) AS path
        FROM json WHERE ${where.text}
        ORDER BY path LIMIT ${payloadColumnsMax + 1}`,
      query_params: where.params,
      use_multipart_params_auto: true,
      clickhouse_settings: { ...exportSettings, type_json_skip_duplicated_paths: 1 },
      format: 'JSONEachRow',
    });
    const rows = await result.json<{ path: string }>();
    if (rows.length > payloadColumnsMax) {
      throw new DomainError(
        'malformed',
        `convert: more than ${payloadColumnsMax} columns; use json`,
      );
    }
    return rows.map((row) => row.path);
  } catch (error) {
    throw named(error);
  }
}

/** A name for a column that comes from a payload. */
function quoted(name: string): string {
  const safe = /^[=+@\t\r-]/.test(name) ? `'${name}` : name;
  return `\`${safe.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
