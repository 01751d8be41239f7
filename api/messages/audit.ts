import { rfc3339Of } from '../../schemas/http/time.ts';
import type { DeleteQuery } from '../../schemas/messages/query.ts';
import type { MessageFormat } from '../../schemas/messages/tables.ts';
import type { WithTimes } from '../http/query/time.ts';
import type { Database } from '../stores/database.ts';
import type { Reach } from './reach/reach.ts';

/**
 * Tells the audit log of a deletion that is about to begin: messages are in another store than the log, and a deletion
 * that fails half way has deleted some.
 */
export async function noteDeletion(
  db: Database,
  format: MessageFormat,
  query: WithTimes<DeleteQuery>,
  reach: Reach,
): Promise<void> {
  const told = Object.entries({ format, ...query }).map(([name, value]) => [
    name,
    { from: typeof value === 'bigint' ? rfc3339Of(value) : String(value) },
  ]);
  const things = reach !== 'all' && 'publishers' in reach ? reach.publishers : null;
  const groups = reach !== 'all' && 'groups' in reach ? reach.groups : null;
  await db.change("SELECT audit_messages('delete', $1::uuid[], $2::uuid[], $3::jsonb)", [
    things,
    groups,
    JSON.stringify(Object.fromEntries(told)),
  ]);
}
