import { separatorIn } from '../../../../schemas/csv-separator.ts';
import { importingTexts } from '../texts/importing.ts';

const words = importingTexts.file;

/** A row of a file, and the line that it begins at. */
export type CsvRow = { line: number; cells: readonly string[] };

/** A file of CSV: the names of its columns, and its rows. */
export type CsvFile = { head: readonly string[]; rows: readonly CsvRow[] };

const rowsMax = 100_000;
const columnsMax = 200;

/**
 * Reads CSV (RFC 4180) with commas, semicolons or tabs, with or without a byte order mark. Empty lines are left out.
 *
 * @throws Error in words of the page, for what can't be read
 */
export async function readCsv(text: string): Promise<CsvFile> {
  const { CsvError, parse } = await import('csv-parse/browser/esm/sync');
  const begin = text.replace(/^\uFEFF/, '');
  const { separator, said } = separatorIn(begin);
  const body = begin.slice(said.length);
  const linesBefore = said === '' ? 0 : 1;
  const rows: CsvRow[] = [];
  let twice = 0;
  try {
    parse(body, {
      delimiter: separator,
      relax_column_count: true,
      // JSON and inches, as people paste them.
      relax_quotes: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      to: rowsMax + 2,
      on_record: (record: readonly string[], { lines }) => {
        // The parser counts a CRLF within quotes as two.
        const counted = count(record, /[\r\n]/g);
        const line = linesBefore + lines - counted - twice;
        rows.push({ line, cells: record.map((cell) => cell.trim()) });
        twice += counted - count(record, /\r\n|\r|\n/g);
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) {
      const line = linesBefore + Number(error['lines'] ?? 0);
      throw new Error(words.notCsv(line, error.code), { cause: error });
    }
    throw error;
  }
  const [first, ...others] = rows;
  if (first === undefined) throw new Error(words.empty);
  if (others.length === 0) throw new Error(words.headOnly);
  if (others.length > rowsMax) throw new Error(words.tooLong(rowsMax));
  if (first.cells.length > columnsMax) throw new Error(words.tooWide(columnsMax));
  return { head: first.cells, rows: others };
}

const count = (cells: readonly string[], pattern: RegExp): number =>
  cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);
