import { text } from 'node:stream/consumers';
import { DomainError } from '../../../schemas/http/errors.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';

/** The names of things, by their ids. */
export type ThingNames = ReadonlyMap<string, string>;

/**
 * The names of the things that sent these messages, as PostgreSQL has them now. A thing that is gone has none. Uses the
 * sort key, or the projection `totals`.
 *
 * @throws DomainError `malformed` if there are too many.
 */
export async function findThingNames(
  db: Database,
  store: Store,
  format: MessageFormat,
  where: Where,
): Promise<ThingNames> {
  const max = limits.namedThingsMax;
  const file = await store.file(
    `SELECT publisher FROM ${messageTables[format].name} WHERE ${where.text}
     GROUP BY publisher LIMIT ${max + 1} FORMAT TabSeparatedRaw`,
    where.bound,
  );
  const ids = (await text(file)).split('\n').filter((id) => id !== '');
  if (ids.length > max) {
    throw new DomainError(
      'malformed',
      `columns: thing_name is for at most ${max} things; name a publisher`,
    );
  }
  return namesOfThings(db, ids);
}

/** Uses the primary key. */
export async function namesOfThings(db: Database, ids: readonly string[]): Promise<ThingNames> {
  const rows = await db.rows<{ id: string; name: string }>(
    'SELECT id, name FROM things WHERE id = ANY ($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** SQL for the name of a row's thing, or null. */
export function thingName(where: Where, names: ThingNames = new Map()): string {
  if (names.size === 0) return `CAST(NULL, 'Nullable(String)')`;
  const ids = where.bind('Array(String)', [...names.keys()]);
  const all = where.bind('Array(String)', [...names.values()]);
  return `nullIf(transform(ifNull(toString(publisher), ''), ${ids}, ${all}, ''), '')`;
}
