import { describeFault, findFaultInText } from '../../../../schemas/json/fault.ts';
import { FieldError } from '../client/failure.ts';
import { thingsTexts } from '../texts/things.ts';

const words = thingsTexts.metadataEditor;

export const valueTypes = ['text', 'number', 'boolean', 'json'] as const;
export type ValueType = (typeof valueTypes)[number];

/** A member of metadata as it is typed. */
export type DraftRow = { id: number; key: string; type: ValueType; text: string };

let lastId = 0;

export const emptyRow = (): DraftRow => ({ id: ++lastId, key: '', type: 'text', text: '' });

export function typeOfValue(value: unknown): ValueType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'json';
}

/** A value as it is typed and shown. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

export const rowsOf = (metadata: Readonly<Record<string, unknown>>): DraftRow[] =>
  Object.entries(metadata).map(([key, value]) => ({
    id: ++lastId,
    key,
    type: typeOfValue(value),
    text: textOfValue(value),
  }));

/** Tells why a row can not be kept; undefined: it can. */
export function problemOf(row: DraftRow, rows: readonly DraftRow[]): string | undefined {
  if (row.key === '') return words.noKey;
  if (rows.some((one) => one !== row && one.key === row.key)) return words.twice;
  const text = row.text.trim();
  if (row.type === 'number' && (text === '' || !Number.isFinite(Number(text))))
    return words.noNumber;
  return row.type === 'json' ? faultIn(row.text) : undefined;
}

/** Where a text is no JSON, and why; undefined: it is. */
function faultIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const fault = findFaultInText(text);
    return words.noJson(fault === undefined ? '' : describeFault(fault, {}, 'element'));
  }
}

/** @throws Error that names the first row that is wrong. */
export function metadataOf(rows: readonly DraftRow[]): Record<string, unknown> {
  const members = rows.map((row): [string, unknown] => {
    const problem = problemOf(row, rows);
    if (problem !== undefined) throw new Error(words.rowIsWrong(row.key, problem));
    return [row.key, valueOf(row)];
  });
  return Object.fromEntries(members);
}

function valueOf({ type, text }: DraftRow): unknown {
  if (type === 'text') return text;
  if (type === 'number') return Number(text);
  if (type === 'boolean') return text === 'true';
  return JSON.parse(text);
}

/** @throws FieldError that tells where the text is no JSON, or that it is no object. */
export function objectIn(text: string): Record<string, unknown> {
  const problem = faultIn(text);
  if (problem !== undefined) throw new FieldError('metadata', problem);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FieldError('metadata', words.noObject);
  }
  return { ...value };
}
