import type { Thing, ThingType } from '../../schemas/thing.ts';
import type { Database } from '../database.ts';

/** A key as it stands in Postgres. */
export type StoredKey = { lookup: Buffer; sealed: Buffer };

export type ThingToInsert = {
  id: string;
  name: string;
  type: ThingType;
  key: StoredKey;
  externalKey: StoredKey | undefined;
  metadata: Record<string, unknown>;
};

/** A thing, its keys sealed. */
export type StoredThing = Omit<Thing, 'key' | 'external_key'> & {
  keySealed: Buffer;
  externalKeySealed: Buffer | null;
};

/**
 * Makes things of a profile, all or none; gives the group they are in, `undefined` when the profile is
 * gone. Leans on the primary key of profiles.
 */
export async function insertThings(
  db: Database,
  profileId: string,
  things: ThingToInsert[],
): Promise<string | undefined> {
  const [row] = await db.rows<{ group_id: string }>(
    `WITH profile AS (
       SELECT id, group_id FROM profiles WHERE id = $1
     ),
     made AS (
       INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed,
                           external_key_lookup, external_key_sealed, metadata)
       SELECT given.id, profile.group_id, profile.id, given.name, given.type, given.key_lookup,
              given.key_sealed, given.external_key_lookup, given.external_key_sealed, given.metadata
       FROM profile
       CROSS JOIN unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::bytea[],
                         $7::bytea[], $8::bytea[], $9::jsonb[])
         AS given (id, name, type, key_lookup, key_sealed, external_key_lookup,
                   external_key_sealed, metadata)
     )
     SELECT group_id FROM profile`,
    [
      profileId,
      things.map((thing) => thing.id),
      things.map((thing) => thing.name),
      things.map((thing) => thing.type),
      things.map((thing) => thing.key.lookup),
      things.map((thing) => thing.key.sealed),
      things.map((thing) => thing.externalKey?.lookup ?? null),
      things.map((thing) => thing.externalKey?.sealed ?? null),
      things.map((thing) => JSON.stringify(thing.metadata)),
    ],
  );
  return row?.group_id;
}

/** Leans on the primary key. */
export async function findThing(db: Database, id: string): Promise<StoredThing | undefined> {
  const [row] = await db.rows<{
    id: string;
    group_id: string;
    profile_id: string;
    name: string;
    type: ThingType;
    key_sealed: Buffer;
    external_key_sealed: Buffer | null;
    metadata: Record<string, unknown>;
  }>(
    `SELECT id, group_id, profile_id, name, type, key_sealed, external_key_sealed, metadata
     FROM things WHERE id = $1`,
    [id],
  );
  if (row === undefined) return undefined;
  const { key_sealed: keySealed, external_key_sealed: externalKeySealed, ...rest } = row;
  return { ...rest, keySealed, externalKeySealed };
}

/** Leans on the primary key. */
export async function findMetadata(
  db: Database,
  id: string,
): Promise<{ metadata: Record<string, unknown> } | undefined> {
  const [row] = await db.rows<{ metadata: Record<string, unknown> }>(
    'SELECT metadata FROM things WHERE id = $1',
    [id],
  );
  return row;
}

/** Sets what is given. Whether there is such a thing. Leans on the primary key. */
export async function updateThing(
  db: Database,
  id: string,
  change: {
    name: string | undefined;
    type: ThingType | undefined;
    key: StoredKey | undefined;
    metadata: Record<string, unknown> | undefined;
  },
): Promise<boolean> {
  const rows = await db.rows(
    `UPDATE things
     SET name = coalesce($2, name),
         type = coalesce($3, type),
         key_lookup = coalesce($4, key_lookup),
         key_sealed = coalesce($5, key_sealed),
         metadata = coalesce($6, metadata),
         updated_at = now()
     WHERE id = $1
     RETURNING id`,
    [
      id,
      change.name ?? null,
      change.type ?? null,
      change.key?.lookup ?? null,
      change.key?.sealed ?? null,
      change.metadata === undefined ? null : JSON.stringify(change.metadata),
    ],
  );
  return rows.length > 0;
}

/** Sets the external key, or takes it away. Whether there is such a thing. Leans on the primary key. */
export async function updateExternalKey(
  db: Database,
  id: string,
  key: StoredKey | undefined,
): Promise<boolean> {
  const rows = await db.rows(
    `UPDATE things
     SET external_key_lookup = $2, external_key_sealed = $3, updated_at = now()
     WHERE id = $1
     RETURNING id`,
    [id, key?.lookup ?? null, key?.sealed ?? null],
  );
  return rows.length > 0;
}

/** Whether there was such a thing. Leans on the primary key. */
export async function deleteThing(db: Database, id: string): Promise<boolean> {
  const rows = await db.rows('DELETE FROM things WHERE id = $1 RETURNING id', [id]);
  return rows.length > 0;
}
