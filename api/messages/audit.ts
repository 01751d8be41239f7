import { toldAs } from '../stores/told.ts';
import type { Database } from '../stores/database.ts';
import type { Reach } from './reach/reach.ts';

/**
 * Tells the audit log of a deletion or an export that is about to begin: messages are in another store than the log,
 * and one that fails half way has deleted or given some.
 */
export async function noteMessages(
  db: Database,
  action: 'delete' | 'export',
  told: Readonly<Record<string, unknown>>,
  reach: Reach,
): Promise<void> {
  const things = reach.kind === 'publishers' ? reach.publishers : null;
  const groups = reach.kind === 'groups' ? reach.groups : null;
  await db.change('SELECT audit_messages($1, $2::uuid[], $3::uuid[], $4::jsonb)', [
    action,
    things,
    groups,
    toldAs(action === 'delete' ? 'from' : 'to', told),
  ]);
}

/** Tells it of a backup. */
export async function noteBackup(db: Database): Promise<void> {
  await db.change("SELECT audit_messages('backup', NULL, NULL, '{}')", []);
}
