import { kindCodes } from '../model/points.ts';
import type { Bound } from '../../../infra/runtime/stores/clickhouse-ask.ts';
import type { Store } from '../../messages/store/store.ts';
import type { Value } from './functions.ts';
import { inSlices } from './slices.ts';

/** For the end of a statement whose rows `readRows` reads: their cells are told by their place, not by names. */
const rowSettings =
  'SETTINGS enable_named_columns_in_function_tuple = 0, optimize_use_projections = 0';

/** The rows of a statement, as they come. A reader that stops early ends the query. */
export async function* readRows(
  store: Store,
  query: string,
  bound: Bound,
): AsyncGenerator<readonly unknown[][]> {
  for await (const rows of store.rows(`${query} ${rowSettings}`, bound)) yield* inSlices(rows);
}

/** The value of a cell that is a tuple of a kind, a number and a text; a text is one of a tag, and none if it is empty. */
export function cellValue(cell: unknown): Value {
  if (typeof cell === 'string') return cell === '' ? null : cell;
  const [kind, value, text]: unknown[] = Array.isArray(cell) ? cell : [];
  if (kind === kindCodes.value) return typeof value === 'number' ? value : null;
  if (kind === kindCodes.bool) return value === 1;
  return kind === kindCodes.string ? String(text) : null;
}
