import { thingsTexts } from '../texts/things.ts';

const plain = ['group', 'profile', 'type', 'state', 'seen', 'rate', 'id', 'external'] as const;
const named = ['value', 'trend', 'metadata'] as const;

/** A column of the list beside the name. Those of series and of metadata say which. */
export type Column =
  | { kind: (typeof plain)[number] }
  | { kind: 'metadata'; key: string }
  | { kind: 'value' | 'trend'; format: 'senml' | 'json'; name: string };

export const plainKinds = plain;
const usual = 'state,type,seen,rate';
const columnsMax = 12;
/** As many series as one request may name. */
const seriesMax = 8;

/** As a column stands in the address: `seen`, `metadata:floor`, `trend:senml:temperature`. */
export function textOfColumn(column: Column): string {
  if (column.kind === 'metadata') return `metadata:${encodeURIComponent(column.key)}`;
  if (column.kind === 'value' || column.kind === 'trend') {
    return `${column.kind}:${column.format}:${encodeURIComponent(column.name)}`;
  }
  return column.kind;
}

export const textOfColumns = (columns: readonly Column[]): string | undefined => {
  const text = columns.map(textOfColumn).join(',');
  return text === usual ? undefined : text === '' ? 'none' : text;
};

function columnOf(text: string): Column | undefined {
  const kind = plain.find((one) => one === text);
  if (kind !== undefined) return { kind };
  const [of, ...parts] = text.split(':');
  const which = named.find((one) => one === of);
  const name = decoded(parts.at(-1) ?? '');
  if (which === undefined || name === '') return undefined;
  if (which === 'metadata') return { kind: which, key: name };
  return { kind: which, format: parts[0] === 'json' ? 'json' : 'senml', name };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The columns in the address. */
export function columnsOf(text: string | undefined): Column[] {
  const all = (text ?? usual).split(',').flatMap((one) => columnOf(one) ?? []);
  const different = [...new Map(all.map((column) => [textOfColumn(column), column])).values()];
  return different.slice(0, columnsMax);
}

/** The series that columns show. */
export function seriesOf(columns: readonly Column[]) {
  const all = columns.flatMap((column) =>
    column.kind === 'value' || column.kind === 'trend'
      ? [{ format: column.format, name: column.name }]
      : [],
  );
  const different = new Map(all.map((one) => [`${one.format} ${one.name}`, one]));
  return [...different.values()].slice(0, seriesMax);
}

/** The words above a column. */
export function headOf(column: Column): string {
  if (column.kind === 'metadata') return column.key;
  if (column.kind === 'value') return column.name;
  if (column.kind === 'trend') return thingsTexts.list.trendOf(column.name);
  return thingsTexts.list.heads[column.kind];
}
