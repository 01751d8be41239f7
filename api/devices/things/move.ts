import { DomainError } from '../../../schemas/http/errors.ts';
import type { ThingMove } from '../../../schemas/resources/thing.ts';
import { requireRole } from '../../access/authorize.ts';
import type { UserCaller } from '../../access/caller.ts';
import type { Database } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';
import { findProfile } from '../profiles/sql.ts';
import { moveThing } from './sql.ts';

/**
 * Moves a thing. The caller must be an editor of its group and of the new one.
 *
 * @throws DomainError `malformed` if the profile is not in the named group.
 */
export async function moveThingFor(
  db: Database,
  user: UserCaller,
  id: string,
  to: ThingMove,
): Promise<void> {
  await requireRole(db, user, 'editor', 'profile', to.profile_id);
  if (to.group_id !== undefined) {
    await requireRole(db, user, 'editor', 'group', to.group_id);
    // A profile never changes its group.
    const profile = present(await findProfile(db, to.profile_id), 'profile');
    if (profile.group_id !== to.group_id.toLowerCase()) {
      throw new DomainError('malformed', 'profile_id is not of the group');
    }
  }
  await moveThing(db, user, id, to.profile_id);
}
