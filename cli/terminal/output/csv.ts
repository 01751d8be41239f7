import { neutralized } from '../../../schemas/csv.ts';
import { cell } from './cell.ts';
import type { Row } from './rows.ts';

/** A line of CSV (RFC 4180) with its end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`;
}

export function csvRow(row: Row, columns: readonly string[]): string {
  return csvLine(columns.map((name) => csvCell(row[name])));
}

/** A text that a spreadsheet would run as a formula begins with a quote; numbers do not. */
function csvCell(value: unknown): string {
  const text = cell(value);
  return typeof value === 'string' ? neutralized(text) : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
