import { DomainError } from '../../../schemas/http/errors.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Database } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';
import { findTreeOwner } from './sql.ts';

/**
 * A group may be changed by its creator and the platform admin only. If it does not exist, the refusal names it as
 * `absent`.
 *
 * @throws DomainError `not_found`, `forbidden`
 */
export async function requireWriter(
  db: Database,
  user: UserCaller,
  id: string,
  absent = 'hierarchical group',
): Promise<void> {
  const ownerId = present(await findTreeOwner(db, id), absent);
  if (ownerId === user.id || user.platformAdmin) return;
  throw new DomainError('forbidden', 'needs the creator of the group');
}
