import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import { separate } from './separator.ts';

/**
 * One record of a CSV file, or why there is none. A quoted cell may hold line ends: `line` is where the
 * record begins.
 */
export type Line = { line: number } & ({ cells: string[] } | { problem: string });

const recordBytesMax = 8 * 1024 * 1024;

/**
 * Reads CSV (RFC 4180): any of the three line ends, quotes where needed, empty lines left out; commas, semicolons or
 * tabs between the cells.
 */
export async function* readCsv(file: AsyncGenerator<string>): AsyncGenerator<Line> {
  const { separator, linesBefore, chunks } = await separate(file);
  const skipped: Line[] = [];
  const parser = parse({
    info: true,
    delimiter: separator,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: recordBytesMax,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error !== undefined) skipped.push(toProblem(error, linesBefore));
    },
  });
  // Errors of the source are thrown by the parser.
  pipeline(Readable.from(chunks), parser).catch(() => {});
  let twice = 0;
  for await (const { record, info } of parser) {
    yield* skipped.splice(0);
    const cells: string[] = record;
    // The parser counts a CRLF within quotes as two.
    const counted = count(cells, /[\r\n]/g);
    yield { line: linesBefore + Number(info.lines) - counted - twice, cells };
    twice += counted - count(cells, /\r\n|\r|\n/g);
  }
  yield* skipped;
}

function count(cells: readonly string[], pattern: RegExp): number {
  return cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);
}

/** The parser's errors, in words. */
const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something follows a closing quote',
  INVALID_OPENING_QUOTE: 'a quote stands inside a cell that does not begin with one',
  CSV_MAX_RECORD_SIZE: 'the record is too long',
};

function toProblem(error: CsvError, linesBefore: number): Line {
  return {
    line: linesBefore + Number(error['lines'] ?? 0),
    problem: `this is not CSV: ${reasons[error.code] ?? error.code}`,
  };
}
