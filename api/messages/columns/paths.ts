import { randomBytes } from 'node:crypto';
import { type Cells, cellAt, markedCells, namesAlong, pathBinder } from '../query/payload.ts';
import type { Where } from '../query/where.ts';
import type { ChosenColumn } from './chosen.ts';

/** SQL for the cells of paths, by the place of their columns, and what must be named `AS …` before them. */
type PathCells = { before: readonly string[]; cells: readonly (string | undefined)[] };

/** The cells of the columns that are paths of a payload: any way that a path may lead, and integers to the digit. */
export function pathCells(
  where: Where,
  columns: readonly ChosenColumn[],
  written: Cells,
): PathCells {
  const isPath = columns.some(({ kind }) => kind === 'path');
  if (!isPath) return { before: [], cells: [] };
  const marked = markedCells(newMark(where));
  const paths = pathBinder(where);
  return {
    before: marked.named,
    cells: columns.map((column, at) =>
      column.kind === 'path'
        ? marked.cellAt(`c${at}`, paths(namesAlong(column.path, true)), written)
        : undefined,
    ),
  };
}

/** The cells of all these paths, each with its ways, as a CSV of all columns has them. */
export function allPathCells(
  where: Where,
  ways: readonly string[][][],
  hasLongIntegers: boolean,
  written: Cells,
): { before: string; cells: readonly string[] } {
  const { named, cellAt: cellOf } = hasLongIntegers
    ? markedCells(newMark(where))
    : { named: [], cellAt };
  const paths = pathBinder(where);
  return {
    before: named.length === 0 ? '' : `WITH ${named.join(', ')}`,
    cells: ways.map((all, at) => cellOf(`c${at}`, paths(all), written)),
  };
}

/** A text of letters that no payload has. */
function newMark(where: Where): string {
  return where.bind('String', `int${randomBytes(12).toString('hex')}x`);
}
