/** What one query of a reader may take of ClickHouse, whoever asks; it can change nothing. */
export const querySettings = {
  max_execution_time: 30,
  max_memory_usage: String(1024 * 1024 * 1024),
  // Sorting and grouping beyond it go through the disk.
  max_bytes_before_external_sort: String(256 * 1024 * 1024),
  max_bytes_before_external_group_by: String(256 * 1024 * 1024),
  readonly: '2',
  // A column of a result may be named as one of the table, which is what the conditions mean.
  prefer_column_name_to_alias: 1,
} as const;

/** An export may take as long as its reader. */
export const exportSettings = { ...querySettings, max_execution_time: 0 } as const;

/** How a message's JSON text is written. */
export const textSettings = {
  output_format_json_skip_null_value_in_named_tuples: 1,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
} as const;
