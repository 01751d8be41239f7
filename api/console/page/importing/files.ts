import { neutralized } from '../../../../schemas/csv.ts';
import type { Thing } from '../client/call.ts';
import type { CsvFile, CsvRow } from './read-csv.ts';

const cellOf = (text: string) => `"${neutralized(text).replaceAll('"', '""')}"`;

const lineOf = (cells: readonly string[]) => `${cells.map(cellOf).join(',')}\r\n`;

/** A file to begin with. */
export const template = [
  '\uFEFF',
  lineOf(['name', 'type', 'external_key', 'profile', 'group', 'metadata.place', 'metadata.floor']),
  lineOf(['Pump 1', 'actuator', 'pump-0001', '', '', 'hall', '2']),
  lineOf(['Thermometer 1', 'sensor', '', '', '', 'cold room', '0']),
];

/** Rows that failed, as they were, with their lines and why: ready to be mended and taken again. */
export function failuresFile(
  file: CsvFile,
  failed: readonly { row: CsvRow; why: string }[],
): string[] {
  const kept = file.head.map((name, column) => ({ name, column })).filter(({ name }) => !own(name));
  return [
    '\uFEFF',
    lineOf(['line', 'why', ...kept.map(({ name }) => name)]),
    ...failed.map(({ row, why }) =>
      lineOf([String(row.line), why, ...kept.map(({ column }) => row.cells[column] ?? '')]),
    ),
  ];
}

/** Columns of an earlier such file. */
const own = (name: string) => name === 'line' || name === 'why';

/** The keys of what was made, for the devices. */
export const keysFile = (made: readonly Thing[]): string[] => [
  '\uFEFF',
  lineOf(['id', 'name', 'key', 'external_key']),
  ...made.map(({ id, name, key = '', external_key: external = '' }) =>
    lineOf([id, name, key, external]),
  ),
];
