/** Sorting and grouping of more than this use the disk. */
export const sortedInMemoryBytesMax = 256 * 1024 * 1024;
/** Disk space that sorting leaves free: twice what the edge needs, so that an export does not stop the edge. */
const diskLeftBytesMin = 2 * 1024 * 1024 * 1024;

/** Limits of one query of any reader. It can change nothing. */
export const querySettings = {
  max_execution_time: 30,
  max_memory_usage: String(1024 * 1024 * 1024),
  max_bytes_before_external_sort: String(sortedInMemoryBytesMax),
  max_bytes_before_external_group_by: String(sortedInMemoryBytesMax),
  // Otherwise a share of the machine's memory counts, and not the limits above.
  max_bytes_ratio_before_external_sort: 0,
  max_bytes_ratio_before_external_group_by: 0,
  min_free_disk_space_for_temporary_data: String(diskLeftBytesMin),
  readonly: '2',
  // All parts of a statement read the same snapshot of a table, so that a total is of the moment of its messages. A
  // count of everything would come from elsewhere.
  enable_shared_storage_snapshot_in_query: 1,
  optimize_trivial_count_query: 0,
  // A file waits a moment at each block while such a query runs.
  priority: '1',
  // The embedded engine ends such queries by itself.
  cancel_http_readonly_queries_on_client_close: 1,
  // Larger sets of publishers are not looked up in the index: the tables are sorted by day first, so that nearly
  // every granule has one of them.
  use_index_for_in_with_subqueries_max_values: '20000',
  // How a message's JSON text is written.
  output_format_json_skip_null_value_in_named_tuples: 1,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
  // In conditions a name means the table's column, though a column of the result may have the same name.
  prefer_column_name_to_alias: 1,
} as const;

/** An export may take as long as its client takes to read it. */
export const fileSettings = {
  ...querySettings,
  priority: '2',
  // A page that its client does not read must not hold up files for as long.
  low_priority_query_wait_time_ms: '50',
  max_execution_time: 0,
  // A CSV of a thousand columns, each a path with dots in it.
  max_ast_elements: 1_000_000,
  max_expanded_ast_elements: 1_000_000,
  max_parser_backtracks: 20_000_000,
  max_query_size: 8 * 1024 * 1024,
  type_json_skip_duplicated_paths: 1,
  format_csv_null_representation: '',
  // The official JavaScript reader knows no compression in an Arrow file; HTTP compresses it.
  output_format_arrow_compression_method: 'none',
  // All readers of Parquet know it.
  output_format_parquet_compression_method: 'snappy',
  // ClickHouse holds several row groups in memory while it writes one.
  output_format_parquet_row_group_size_bytes: String(32 * 1024 * 1024),
  // JSON texts in an array.
  format_custom_escaping_rule: 'Raw',
  format_custom_result_before_delimiter: '[',
  format_custom_row_before_delimiter: '',
  format_custom_row_after_delimiter: '',
  format_custom_row_between_delimiter: ',\n',
  format_custom_result_after_delimiter: ']\n',
} as const;

/** A deletion has an effect for every reader when its statement ends. */
export const changeSettings = { max_execution_time: 3_600, lightweight_deletes_sync: '2' } as const;
