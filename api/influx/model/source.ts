import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import type { BoundedReach } from '../../messages/reach/reach.ts';
import type { Database } from '../../stores/database.ts';
import type { Scope } from './scope.ts';

/** A measurement of a statement, and whose JSON messages are of it: those of things with a profile of its name. */
export type Source = { measurement: string; json: BoundedReach | undefined };

/**
 * Looks up what PostgreSQL knows of a measurement.
 *
 * @throws DomainError `malformed` if too many things, but not all of their groups, have the profile
 */
export async function findSource(db: Database, scope: Scope, measurement: string): Promise<Source> {
  const profiles = scope.profiles.get(measurement) ?? (await findProfiles(db, scope, measurement));
  if (profiles.length === 0) return { measurement, json: undefined };
  const ids = await findThings(db, profiles);
  if (ids.length <= limits.statementThingsMax) {
    const json: BoundedReach = { kind: 'publishers', publishers: ids };
    return { measurement, json: ids.length === 0 ? undefined : json };
  }
  const groups = await findWholeGroups(db, profiles);
  if (groups.length < profiles.length) {
    throw new DomainError(
      'malformed',
      `more than ${limits.statementThingsMax} things have the profile ${measurement}, and others of their groups have not`,
    );
  }
  return { measurement, json: { kind: 'groups', groups } };
}

/** Uses `profiles_name`. */
async function findProfiles(db: Database, { groups }: Scope, name: string): Promise<string[]> {
  if (groups.length === 0) return [];
  const rows = await db.rows<{ id: string }>(
    `SELECT id FROM profiles
     WHERE group_id = ANY ($1::uuid[]) AND name_hash(name) = name_hash($2) AND name = $2`,
    [groups.map(({ id }) => id), name],
  );
  return rows.map(({ id }) => id);
}

/** Uses `things_profile`. */
async function findThings(db: Database, profiles: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    'SELECT id FROM things WHERE profile_id = ANY ($1::uuid[]) LIMIT $2',
    [profiles, limits.statementThingsMax + 1],
  );
  return rows.map(({ id }) => id);
}

/** The groups of these profiles of which every thing has the profile. Uses `things_group`. */
async function findWholeGroups(db: Database, profiles: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ group_id: string }>(
    `SELECT group_id FROM profiles
     WHERE id = ANY ($1::uuid[]) AND NOT EXISTS (
       SELECT FROM things
       WHERE things.group_id = profiles.group_id AND things.profile_id <> profiles.id)`,
    [profiles],
  );
  return rows.map((row) => row.group_id);
}
