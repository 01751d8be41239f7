const text = 'text/plain; charset=UTF-8';
const binary = 'application/octet-stream';

/** Each row: which formats, by their whole name, and the type ClickHouse's server gives them. */
const types: readonly (readonly [RegExp, string])[] = [
  [/^(TSV|TabSeparated)/, 'text/tab-separated-values; charset=UTF-8'],
  [/^CSVWithNames/, 'text/csv; charset=UTF-8; header=present'],
  [/^CSV/, 'text/csv; charset=UTF-8; header=absent'],
  [/^JSON.*EachRow|^JSONL|^NDJSON/, 'application/x-ndjson; charset=UTF-8'],
  [/^JSON/, 'application/json; charset=UTF-8'],
  [/^XML$/, 'application/xml; charset=UTF-8'],
  [/^(Markdown|MD)$/, 'text/markdown; charset=UTF-8'],
  [
    /^(Native|RowBinary|Parquet|Arrow|ORC|Avro|MsgPack|Protobuf|CapnProto|BSON|Npy|Buffers)/,
    binary,
  ],
];

/** The Content-Type of a result in this format. */
export function contentType(format: string): string {
  return types.find(([pattern]) => pattern.test(format))?.[1] ?? text;
}
