import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import { separate } from './separator.ts';
import { FileError } from './text.ts';

/**
 * One record of a CSV file, or why there is none. A quoted cell may hold line ends: `line` is where the
 * record begins.
 */
type Line = { line: number } & (
  | { kind: 'cells'; cells: string[] }
  | { kind: 'wrong'; problem: string }
);

const recordMiBMax = 8;

/**
 * Reads CSV (RFC 4180): any of the three line ends, quotes where needed, empty lines left out; commas, semicolons or
 * tabs between the cells.
 *
 * @throws FileError at a record that is too long.
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
    max_record_size: recordMiBMax * 1024 * 1024,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error === undefined) return;
      // Whatever follows would be a part of the same record, and as wrong.
      if (error.code === 'CSV_MAX_RECORD_SIZE') parser.destroy(tooLong(error, linesBefore));
      else skipped.push(toProblem(error, linesBefore));
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
    const line = linesBefore + Number(info.lines) - counted - twice;
    yield { kind: 'cells', line, cells };
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
};

const lineOf = (error: CsvError, linesBefore: number) => linesBefore + Number(error['lines'] ?? 0);

const tooLong = (error: CsvError, linesBefore: number) =>
  new FileError(
    lineOf(error, linesBefore),
    `the record is longer than ${recordMiBMax} MiB: is a quote in it never closed?`,
  );

function toProblem(error: CsvError, linesBefore: number): Line {
  return {
    kind: 'wrong',
    line: lineOf(error, linesBefore),
    problem: `this is not CSV: ${reasons[error.code] ?? error.code}`,
  };
}
