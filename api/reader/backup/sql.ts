import type { Database } from '../../database.ts';
import type { MessageFormat } from '../conditions.ts';

/** From now on a restore is carried to its end, by whoever is there. */
export async function noteRestore(
  db: Database,
  id: string,
  formats: readonly MessageFormat[],
): Promise<void> {
  await db.rows('INSERT INTO restores (id, formats) VALUES ($1, $2)', [id, formats]);
}

/** Leans on the primary key. */
export async function forgetRestore(db: Database, id: string): Promise<void> {
  await db.rows('DELETE FROM restores WHERE id = $1', [id]);
}

/** Restores that were begun to be shown, oldest first; there is hardly ever one. */
export async function findRestores(
  db: Database,
): Promise<{ id: string; formats: MessageFormat[] }[]> {
  return db.rows('SELECT id, formats FROM restores ORDER BY noted_at', []);
}
