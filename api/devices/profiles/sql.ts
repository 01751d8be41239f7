import { DomainError } from '../../../schemas/http/errors.ts';
import type { Profile, ProfileChange } from '../../../schemas/resources/profile.ts';
import type { UserCaller } from '../../access/caller.ts';
import { lockAll } from '../../access/lock.ts';
import { addPlace, addReach, type Scope } from '../../access/reach.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage, namedOrders } from '../../stores/page.ts';

/** Makes profiles in their group, all or none; `not_found` when the group is gone. */
export async function insertProfiles(
  db: Database,
  groupId: string,
  profiles: Profile[],
): Promise<void> {
  await db.change(
    `INSERT INTO profiles (id, group_id, name, config, metadata)
     SELECT id, $1, name, config, metadata
     FROM unnest($2::uuid[], $3::text[], $4::jsonb[], $5::jsonb[])
       AS given (id, name, config, metadata)`,
    [
      groupId,
      profiles.map((profile) => profile.id),
      profiles.map((profile) => profile.name),
      profiles.map((profile) => JSON.stringify(profile.config)),
      profiles.map((profile) => JSON.stringify(profile.metadata)),
    ],
  );
}

const columns = 'id, group_id, name, config, metadata';

/** Uses the primary key. */
export async function findProfile(db: Database, id: string): Promise<Profile | undefined> {
  const [row] = await db.rows<Profile>(`SELECT ${columns} FROM profiles WHERE id = $1`, [id]);
  return row;
}

/** Uses the primary keys of things and profiles. */
export async function findProfileOfThing(
  db: Database,
  thingId: string,
): Promise<Profile | undefined> {
  const [row] = await db.rows<Profile>(
    `SELECT ${columns} FROM profiles WHERE id = (SELECT profile_id FROM things WHERE id = $1)`,
    [thingId],
  );
  return row;
}

/** Profiles in the user's groups. Uses `group_memberships_member` and `profiles_group`. */
export async function findProfiles(
  db: Database,
  user: UserCaller,
  scope: Scope,
  query: ListQuery,
): Promise<ListPage<Profile>> {
  const conditions = new Conditions();
  addReach(conditions, 'group_id', user);
  addPlace(conditions, 'group_id', scope);
  conditions.containsText('name', query.name);
  conditions.containsJson('metadata', metadataFilterOf(query));
  return findPage<Profile>(
    db,
    { columns, from: 'profiles', conditions, orders: namedOrders, id: 'id' },
    query,
  );
}

/** Sets what is given; `null` clears. Returns whether there is such a profile. Uses the primary key. */
export async function updateProfile(
  db: Database,
  id: string,
  change: ProfileChange,
): Promise<boolean> {
  const rows = await db.change(
    `UPDATE profiles
     SET name = coalesce($2, name),
         config = coalesce($3, config),
         metadata = coalesce($4, metadata),
         updated_at = now()
     WHERE id = $1
     RETURNING id`,
    [id, change.name ?? null, jsonOrKeep(change.config), jsonOrKeep(change.metadata)],
  );
  return rows.length > 0;
}

/**
 * Deletes a profile; returns whether there was one. Uses the primary key and `things_profile`.
 *
 * @throws DomainError `conflict` while a thing is assigned to it.
 */
export async function deleteProfile(db: Database, id: string): Promise<boolean> {
  const rows = await db.transaction((work) => deleteByIds(work, [id]));
  return rows.length > 0;
}

/**
 * Deletes profiles, all or none. Uses the primary key and `things_profile`.
 *
 * @throws DomainError as `lockAll`; `conflict` while a thing is assigned to one of them.
 */
export async function deleteProfiles(
  db: Database,
  user: UserCaller,
  given: readonly string[],
): Promise<void> {
  await db.transaction(async (work) => {
    const ids = await lockAll(work, user, 'profile', given, { needed: 'admin', to: 'delete' });
    await deleteByIds(work, ids);
  });
}

/** Only things refer to a profile, so a broken reference is always a thing that is assigned to it. */
async function deleteByIds(db: Statements, ids: string[]): Promise<object[]> {
  try {
    return await db.rows('DELETE FROM profiles WHERE id = ANY ($1::uuid[]) RETURNING id', [ids]);
  } catch (error) {
    const isAssigned = error instanceof DomainError && error.code === 'not_found';
    throw isAssigned ? new DomainError('conflict', 'a thing is assigned to the profile') : error;
  }
}

/** `null` if the column keeps its value, by SQL's coalesce. */
function jsonOrKeep(value: object | null | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value ?? {});
}
