import { DomainError } from '../../../schemas/http/errors.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Database } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';
import { findTreeOwner } from './sql.ts';

/**
 * A group is written by its creator and the platform admin; it has no other owner, ever. Where it is not there, the
 * refusal says that it is `absent`.
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
