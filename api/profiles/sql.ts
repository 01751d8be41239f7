import type { Profile, ProfileChange } from '../../schemas/profile.ts';
import type { Database } from '../database.ts';

/** Makes profiles in their group, all or none; `notFound` when the group is gone. */
export async function insertProfiles(
  db: Database,
  groupId: string,
  profiles: Profile[],
): Promise<void> {
  await db.rows(
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

/** Leans on the primary key. */
export async function findProfile(db: Database, id: string): Promise<Profile | undefined> {
  const [row] = await db.rows<Profile>(
    'SELECT id, group_id, name, config, metadata FROM profiles WHERE id = $1',
    [id],
  );
  return row;
}

/** Sets what is given; `null` empties. Whether there is such a profile. Leans on the primary key. */
export async function updateProfile(
  db: Database,
  id: string,
  change: ProfileChange,
): Promise<boolean> {
  const rows = await db.rows(
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

/** `null` for SQL's coalesce to keep what is there. */
function jsonOrKeep(value: object | null | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value ?? {});
}
