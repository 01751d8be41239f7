import { extname } from 'node:path';
import { findFaultInText } from '../../schemas/json/fault.ts';
import { parseExactly } from '../../schemas/json/exact.ts';
import { UsageError } from '../input/usage.ts';
import { readCsv } from './files/csv-lines.ts';
import { type ParsedEntry, wrong } from './entry.ts';
import { type Element, readList } from './files/json-list.ts';
import type { Kind } from './kind.ts';
import { FileError, readText } from './files/text.ts';

/** The entry of a line of the file, its length, and its place. */
type LineOutcome<New> = ParsedEntry<New> & { line: number; chars: number };

/** A batch is all or nothing, and each line must leave room for others. */
const lineCharsMax = 2 * 1024 * 1024;

/** Reads a file line by line. @throws FileError if it cannot be read any further. */
export function readOutcomes<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  path: string,
  parentId: string | undefined,
): AsyncGenerator<LineOutcome<New>> {
  switch (extname(path).toLowerCase()) {
    case '.json':
      return fromJson(kind, path, parentId);
    case '.csv':
      return fromCsv(kind, path, parentId);
    default:
      throw new UsageError(`${path} is neither a .json nor a .csv file`);
  }
}

async function* fromCsv<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  path: string,
  parentId: string | undefined,
): AsyncGenerator<LineOutcome<New>> {
  let isFirst = true;
  for await (const read of readCsv(readText(path))) {
    const { line } = read;
    if (read.kind === 'wrong') {
      yield { ...read, chars: 0 };
      continue;
    }
    const { cells } = read;
    if (isFirst) {
      isFirst = false;
      if (isHeader(kind, line, cells)) continue;
    }
    const chars = cells.reduce((sum, cell) => sum + cell.length, 0);
    yield { ...bounded(chars, () => kind.fromCells(line, cells, parentId)), line, chars };
  }
}

/**
 * True if the first line names the columns, as they must stand.
 *
 * @throws FileError if they stand in another order, or if there is but one: then all lines are wrong alike.
 */
function isHeader(kind: { cells: readonly string[] }, line: number, cells: readonly string[]) {
  const expected = `the columns are ${kind.cells.join(', ')}, then keys and values of the metadata by turns`;
  if (cells.length === 1) {
    throw new FileError(line, `between columns stands a comma, a semicolon or a tab; ${expected}`);
  }
  const names = cells.map((cell) =>
    cell
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  );
  const known = names.filter((name) => kind.cells.includes(name));
  if (!names.includes('name') || known.length < 2) return false;
  if (kind.cells.slice(0, known.length).every((name, index) => names[index] === name)) return true;
  throw new FileError(line, `this header names other columns, or in another order; ${expected}`);
}

async function* fromJson<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  path: string,
  parentId: string | undefined,
): AsyncGenerator<LineOutcome<New>> {
  for await (const element of readList(readText(path))) {
    const { line, text } = element;
    const read = (): ParsedEntry<New> => {
      const value = parseElement(text);
      if (value === undefined) return wrong(notJson(element));
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return wrong('this is not an object');
      }
      return kind.fromObject(line, value, parentId);
    };
    yield { ...bounded(text.length, read), line, chars: text.length };
  }
}

function bounded<New>(chars: number, read: () => ParsedEntry<New>): ParsedEntry<New> {
  return chars > lineCharsMax ? wrong('it is too long') : read();
}

/** With the place in the file. */
function notJson({ line, column, text }: Element): string {
  const fault = findFaultInText(text);
  if (fault === undefined) return 'this is not JSON';
  const faultColumn = fault.line === 1 ? column + fault.column - 1 : fault.column;
  const place = `line ${line + fault.line - 1}, column ${faultColumn}`;
  return `this is not JSON: ${[place, fault.member].filter((part) => part !== '').join(', ')}: ${fault.problem}`;
}

function parseElement(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
