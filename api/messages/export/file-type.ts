import { exportParameters, type ExportQuery } from '../../../schemas/messages/query.ts';

export type FileType = NonNullable<ExportQuery['convert']>;

/** The content type of each type of file, and what its name ends with. */
export const fileTypes: Readonly<Record<FileType, { contentType: string; extension: string }>> = {
  json: { contentType: 'application/json', extension: 'json' },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv' },
  ndjson: { contentType: 'application/x-ndjson', extension: 'ndjson' },
  parquet: { contentType: 'application/vnd.apache.parquet', extension: 'parquet' },
  arrow: { contentType: 'application/vnd.apache.arrow.file', extension: 'arrow' },
  arrows: { contentType: 'application/vnd.apache.arrow.stream', extension: 'arrows' },
};

/** The first known type in an `Accept` header; JSON if it names none. */
export function fileTypeIn(accept: string | undefined): FileType {
  const named = (accept ?? '')
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim());
  const found = named.flatMap((name) =>
    exportParameters.convert.enum.filter((type) => mediaTypeOf(type) === name),
  );
  return found[0] ?? 'json';
}

const mediaTypeOf = (type: FileType) => fileTypes[type].contentType.split(';')[0];
