import type { Cursor } from './cursor.ts';
import type { Expression, Order, Source } from './ast.ts';
import { parseExpression } from './expressions.ts';

/** The measurements after FROM. */
export function parseSources(cursor: Cursor): Source[] {
  const sources = [parseSource(cursor)];
  while (cursor.takeSign(',')) sources.push(parseSource(cursor));
  return sources;
}

/** `m`, `"rp"."m"`, `"db"."rp"."m"`, `"db".."m"`, and a regular expression for each m. */
export function parseSource(cursor: Cursor): Source {
  const alone = cursor.takeRegex();
  if (alone !== undefined) return sourceOf([], { kind: 'regex', pattern: alone });
  if (cursor.isSign('(')) cursor.refuse('subqueries are not supported');
  const parts = [cursor.mustTakeName()];
  while (cursor.isSignHere('.')) {
    if (parts.length === 3)
      cursor.refuse(`too many segments in ${JSON.stringify(parts.join('.'))}`);
    cursor.take();
    const pattern = cursor.takeRegex();
    if (pattern !== undefined) return sourceOf(parts, { kind: 'regex', pattern });
    parts.push(cursor.isSignHere('.') ? '' : cursor.mustTakeName());
  }
  return sourceOf(parts.slice(0, -1), { kind: 'name', name: parts.at(-1) ?? '' });
}

function sourceOf(before: readonly string[], measurement: Source['measurement']): Source {
  const [database, retentionPolicy] = before.length === 1 ? ['', ...before] : before;
  return {
    database: database === '' ? undefined : database,
    retentionPolicy: retentionPolicy === '' ? undefined : retentionPolicy,
    measurement,
  };
}

/** The condition of WHERE, if there is one. */
export function parseWhere(cursor: Cursor): Expression | undefined {
  return cursor.takeKeyword('WHERE') ? parseExpression(cursor) : undefined;
}

/** Of ORDER BY, which knows only the time. */
export function parseOrder(cursor: Cursor): Order {
  if (!cursor.takeKeyword('ORDER')) return 'asc';
  cursor.mustTakeKeyword('BY');
  const { next } = cursor;
  if (next.kind === 'name') {
    if (next.name !== 'time') cursor.refuse('only ORDER BY time supported at this time');
    cursor.take();
  } else if (!cursor.isKeyword('ASC') && !cursor.isKeyword('DESC')) {
    cursor.fail('identifier', 'ASC', 'DESC');
  }
  const order = cursor.takeKeyword('DESC') ? 'desc' : 'asc';
  if (order === 'asc') cursor.takeKeyword('ASC');
  if (cursor.isSign(',')) cursor.refuse('only ORDER BY time supported at this time');
  return order;
}

/** Of LIMIT and its like; 0 where it is not there. */
export function parseCount(
  cursor: Cursor,
  word: 'LIMIT' | 'OFFSET' | 'SLIMIT' | 'SOFFSET',
): number {
  return cursor.takeKeyword(word) ? cursor.mustTakeCount() : 0;
}
