import type { Readable } from 'node:stream';
import { extractErrorAtTheEndOfChunk } from '@clickhouse/client';

/** The format of a result that `jsonRows` reads. */
export const jsonRowsFormat = 'JSONCompactEachRow';

const [lineEnd, carriageReturn] = [0x0a, 0x0d];

/**
 * The rows of a result, as many at once as have come: one text is parsed for all of them (benchmark: influxql). A query
 * that fails after its first rows tells its error in their place, under the tag.
 */
export async function* jsonRows(
  stream: Readable,
  exceptionTag: string,
): AsyncGenerator<unknown[][]> {
  let rest: Buffer[] = [];
  let hasFailed = false;
  try {
    for await (const chunk of stream) {
      const bytes: Buffer = chunk;
      // JSON texts hold none: what comes is no row.
      hasFailed ||= bytes.includes(carriageReturn);
      const end = hasFailed ? -1 : bytes.lastIndexOf(lineEnd);
      rest.push(end === -1 ? bytes : bytes.subarray(0, end));
      if (end === -1) continue;
      yield parsed(Buffer.concat(rest).toString());
      rest = [bytes.subarray(end + 1)];
    }
  } catch (error) {
    // The connection ends with the error that it has told.
    if (!hasFailed) throw error;
  }
  if (hasFailed) throw extractErrorAtTheEndOfChunk(Buffer.concat(rest), exceptionTag);
}

/** By hand: a schema's parser takes longer than all else that is done with a row. */
function parsed(lines: string): unknown[][] {
  const rows: unknown = JSON.parse(`[${lines.replaceAll('\n', ',')}]`);
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row)))
    throw new Error('ClickHouse answered with rows that are no arrays');
  return rows;
}
