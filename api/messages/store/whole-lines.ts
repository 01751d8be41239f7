import type { Readable } from 'node:stream';
import { extractErrorAtTheEndOfChunk } from '@clickhouse/client';

const [lineEnd, carriageReturn] = [0x0a, 0x0d];

/**
 * The lines of a result, as many in a text as have come: all that is done for each of them apart costs more than
 * ClickHouse takes for it (benchmark: influxql). Lines hold no carriage return: one begins the error, under the tag, of a
 * query that fails after its first lines.
 */
export async function* wholeLines(stream: Readable, exceptionTag: string): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let hasFailed = false;
  try {
    for await (const chunk of stream) {
      const bytes: Buffer = chunk;
      hasFailed ||= exceptionTag !== '' && bytes.includes(carriageReturn);
      const end = hasFailed ? -1 : bytes.lastIndexOf(lineEnd);
      rest.push(end === -1 ? bytes : bytes.subarray(0, end));
      if (end === -1) continue;
      yield Buffer.concat(rest).toString();
      rest = [bytes.subarray(end + 1)];
    }
  } catch (error) {
    // The connection ends with the error that it has told.
    if (!hasFailed) throw error;
  }
  if (hasFailed) throw extractErrorAtTheEndOfChunk(Buffer.concat(rest), exceptionTag);
}

export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string[]> {
  for await (const text of texts) yield text.split('\n');
}

/** Rows of JSON arrays. By hand: a schema's parser takes longer than all else that is done with a row. */
export async function* jsonRowsOf(texts: AsyncIterable<string>): AsyncGenerator<unknown[][]> {
  for await (const text of texts) {
    const rows: unknown = JSON.parse(`[${text.replaceAll('\n', ',')}]`);
    if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row)))
      throw new Error('ClickHouse answered with rows that are no arrays');
    yield rows;
  }
}
