import { membersOf } from '../../../schemas/members.ts';

/** One line of a table. */
export type Row = Record<string, unknown>;

/** The list in a response, the name of its member, and the total; undefined for a single resource. */
export function rowsOf(
  value: unknown,
): { rows: Row[]; of: string; total: number | undefined } | undefined {
  if (Array.isArray(value)) return { rows: value.map(toRow), of: '', total: undefined };
  const members = membersOf(value);
  const [of = '', list] = Object.entries(members).find(([, one]) => Array.isArray(one)) ?? [];
  if (!Array.isArray(list)) return undefined;
  const total = members['total'];
  const isPage = typeof total === 'number';
  // A list alone or beside a page's numbers is the response's list; otherwise it is a member like others.
  if (!isPage && Object.keys(members).length > 1) return undefined;
  return { rows: list.map(toRow), of, total: isPage ? total : undefined };
}

function toRow(value: unknown): Row {
  return typeof value === 'object' && value !== null && !JSON.isRawJSON(value)
    ? { ...value }
    : { value };
}

/** The names of all members of these rows, in order of appearance. */
export function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}
