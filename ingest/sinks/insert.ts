import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient } from '../../infra/clickhouse.ts';
import type { Batch } from '../log/reader.ts';
import type { Format } from '../log/format.ts';

/**
 * One RowBinary row is one message, its records side by side in arrays (see codecs/row-binary.ts);
 * ClickHouse unfolds them, an array that was left out as its type's default.
 */
const statements: Record<Format, string> = {
  senml: `
    INSERT INTO senml
      (publisher, subtopic, protocol, name, unit, time, kind, given, text, sum, update_time, log, batch)
    SELECT
      publisher, subtopic, 'http', name, unit, time,
      CAST(kind, 'Enum8(''value'' = 0, ''string'' = 1, ''bool'' = 2, ''data'' = 3, ''none'' = 4)'),
      value, text, sum, update_time, {log:String}, {batch:UInt32}
    FROM input('
      publisher UUID, subtopic String, names Array(String), units Array(String),
      times Array(Int64), kinds Array(UInt8), values Array(Float64), texts Array(String),
      sums Array(Nullable(Float64)), update_times Array(Nullable(Float64))')
    ARRAY JOIN
      names AS name, units AS unit, times AS time, kinds AS kind, values AS value, texts AS text,
      sums AS sum, update_times AS update_time
    FORMAT RowBinary`,
  json: `
    INSERT INTO json (publisher, subtopic, protocol, created, payload, log, batch)
    SELECT publisher, subtopic, 'http', created, payload, {log:String}, {batch:UInt32}
    FROM input('
      publisher UUID, subtopic String, createds Array(Int64), payloads Array(String)')
    ARRAY JOIN createds AS created, payloads AS payload
    FORMAT RowBinary`,
};

/**
 * Sends a batch to the store under a token that names its place in the log, so that sending it again
 * adds nothing.
 *
 * @throws ClickHouseError, or the network's own error, when the store did not take it.
 */
export async function insertBatch(
  client: ClickHouseClient,
  format: Format,
  logId: string,
  batch: Batch,
  number: number,
): Promise<void> {
  const { from, to } = batch;
  const { stream } = await client.exec({
    query: statements[format],
    query_params: { log: logId, batch: number },
    values: Readable.from([batch.body], { objectMode: false }),
    clickhouse_settings: {
      insert_deduplication_token: `${logId}:${from.segment}:${from.offset}-${to.offset}`,
      insert_deduplicate: 1,
      async_insert: 0,
      // One block for the whole batch: it is taken or refused whole, and repeats as the same block.
      max_insert_threads: '1',
      max_threads: 1,
      max_block_size: String(blockRowsMax),
      max_insert_block_size: String(blockRowsMax),
      min_insert_block_size_rows: String(blockRowsMax),
      min_insert_block_size_bytes: '0',
      max_partitions_per_insert_block: '0',
      enable_unaligned_array_join: 1,
    },
  });
  // The answer's body is empty; the insert is done when it ends.
  await finished(stream.resume());
}

/** More than a batch can hold: every record takes at least a byte of it. */
const blockRowsMax = 1_000_000_000;
