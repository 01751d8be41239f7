import { cell, fit, harmless, widthOf } from './cell.ts';
import { isWhole } from './columns.ts';
import { readable } from './readable.ts';
import { columnsOf, type Row } from './rows.ts';

const gap = '  ';

/** The least width of a column whose texts may be cut. */
const widthMin = 12;

/** A table, and the columns that did not fit. */
type Table = { header: string; lines: string[]; leftOut: string[] };

/**
 * Fits rows into `width` characters. Texts are cut, the widest first; ids and times never. Columns that still do not
 * fit are left out, from the right. Without `wanted` columns there are all, the most useful first.
 */
export function layOut(rows: readonly Row[], width: number, wanted?: readonly string[]): Table {
  const names = (wanted ?? inReadingOrder(columnsOf(rows))).filter((name) =>
    rows.some((row) => !isEmpty(row[name])),
  );
  const columns = names.map((name) => {
    const cells = rows.map((row) => (isEmpty(row[name]) ? '' : harmless(readable(row, name))));
    const natural = Math.max(widthOf(name), ...cells.map(widthOf));
    return { name, cells, width: natural, least: leastOf(name, natural) };
  });
  const leftOut: string[] = [];
  while (columns.length > 1 && sum(columns.map(({ least }) => least)) > width) {
    leftOut.unshift(columns.pop()?.name ?? '');
  }
  for (let over = sum(columns.map((column) => column.width)) - width; over > 0; ) {
    const widest = columns.reduce((most, column) =>
      roomIn(column) > roomIn(most) ? column : most,
    );
    const taken = Math.min(over, Math.max(1, Math.ceil(roomIn(widest) / 2)));
    if (roomIn(widest) <= 0) break;
    widest.width -= taken;
    over -= taken;
  }
  const line = (texts: string[]) => texts.join(gap).trimEnd();
  return {
    header: line(columns.map((column) => fit(column.name, column.width))),
    lines: rows.map((_row, index) =>
      line(columns.map((column) => fit(column.cells[index] ?? '', column.width))),
    ),
    leftOut,
  };
}

/** The most useful columns first: time, name, type; ids are for copying. */
const leading = [
  'time',
  'created',
  'tried_at',
  'name',
  'email',
  'invitee_email',
  'org_name',
  'type',
  'Type',
  'role',
  'invitee_role',
  'member_role',
  'state',
  'level',
  'value',
  'unit',
  'string_value',
  'bool_value',
  'data_value',
  'payload',
];

function inReadingOrder(names: readonly string[]): string[] {
  const known = leading.filter((name) => names.includes(name));
  return [...known, ...names.filter((name) => !known.includes(name))];
}

/** Empty columns are left out. */
function isEmpty(value: unknown): boolean {
  return ['', '{}', '[]'].includes(cell(value));
}

function leastOf(name: string, natural: number): number {
  return isWhole(name) ? natural : Math.min(natural, widthMin);
}

function roomIn(column: { width: number; least: number }): number {
  return column.width - column.least;
}

function sum(widths: number[]): number {
  return widths.reduce((all, one) => all + one, 0) + gap.length * Math.max(0, widths.length - 1);
}

/** One thing by itself: a line for each of its members. */
export function layOutOne(value: Row): string[] {
  const names = inReadingOrder(Object.keys(value));
  const width = Math.max(0, ...names.map(widthOf));
  return names.flatMap((name) => {
    const text = readable(value, name);
    const [first = '', ...more] = text.split('\n').map(harmless);
    const indent = ' '.repeat(width + gap.length);
    return [
      `${fit(name, width)}${gap}${first}`.trimEnd(),
      ...more.map((one) => `${indent}${one}`.trimEnd()),
    ];
  });
}
