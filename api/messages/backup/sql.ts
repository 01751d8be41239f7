import type { Database, Statements } from '../../stores/database.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';

/** Notes the restore, and that in the audit log: from now on it is completed, by this process or another. */
export async function noteRestore(
  db: Database,
  id: string,
  formats: readonly MessageFormat[],
): Promise<void> {
  await db.change(
    `WITH noted AS (INSERT INTO restores (id, formats) VALUES ($1, $2))
     SELECT audit_messages('restore', NULL, NULL, '{}')`,
    [id, formats],
  );
}

/** Those of these things that exist; none of them can be deleted before the transaction ends. Uses the primary key. */
export async function findExistingThings(db: Statements, ids: string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    'SELECT id FROM things WHERE id = ANY ($1::uuid[]) ORDER BY id FOR KEY SHARE',
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Uses the primary key. */
export async function forgetRestore(db: Database, id: string): Promise<void> {
  await db.rows('DELETE FROM restores WHERE id = $1', [id]);
}

/** The noted restores, oldest first; there is hardly ever one. */
export async function findRestores(
  db: Database,
): Promise<{ id: string; formats: MessageFormat[] }[]> {
  return db.rows('SELECT id, formats FROM restores ORDER BY noted_at', []);
}
