import { holdStatesOf } from '../../../infra/runtime/alarms/locks.ts';
import type { Thing, ThingType } from '../../../schemas/resources/thing.ts';
import type { Role } from '../../../schemas/roles.ts';
import type { UserCaller } from '../../access/caller.ts';
import { lockAll } from '../../access/lock.ts';
import type { Database } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';

/** A key as Postgres stores it. */
export type StoredKey = { lookup: Buffer; sealed: Buffer };

export type ThingToInsert = {
  id: string;
  name: string;
  type: ThingType;
  key: StoredKey;
  externalKey: StoredKey | undefined;
  metadata: Record<string, unknown>;
};

/** A thing, with its keys sealed. */
type Refused = NonNullable<Thing['refused']>;

export type StoredThing = Omit<Thing, 'key' | 'external_key'> & {
  keySealed: Buffer;
  externalKeySealed: Buffer | null;
};

/**
 * Creates things of a profile, all or none; returns the group they are in, `undefined` if the profile is
 * gone. Uses the primary key of profiles.
 */
export async function insertThings(
  db: Database,
  profileId: string,
  things: ThingToInsert[],
): Promise<string | undefined> {
  const [row] = await db.change<{ group_id: string }>(
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

export const columns = `id, group_id, profile_id, name, type, key_sealed, external_key_sealed, metadata,
  (SELECT seen_at FROM things_seen WHERE thing_id = things.id) AS last_seen`;

export type ThingRow = {
  id: string;
  group_id: string;
  profile_id: string;
  name: string;
  type: ThingType;
  key_sealed: Buffer;
  external_key_sealed: Buffer | null;
  metadata: Record<string, unknown>;
  last_seen: Date | null;
  /** Of a thing that is read alone. */
  refused?: Refused | null;
};

/** A thing of a list, and the caller's role in its group. */
export type ListedThing = { thing: StoredThing; role: Role };

export const toListed = (row: ThingRow & { role: Role }): ListedThing => ({
  thing: toStored(row),
  role: row.role,
});

/** The messages of a thing that were refused without a word to it, as the column `refused`. */
const refusedColumn = `(
  SELECT json_build_object('messages', messages, 'since', since, 'last_at', last_at, 'reason', reason)
  FROM things_refused WHERE thing_id = things.id) AS refused`;

/** Uses the primary keys of things, of when they were seen, and of what was refused. */
export async function findThing(db: Database, id: string): Promise<StoredThing | undefined> {
  const [row] = await db.rows<ThingRow>(
    `SELECT ${columns}, ${refusedColumn} FROM things WHERE id = $1`,
    [id],
  );
  return row && toStored(row);
}

function toStored(row: ThingRow): StoredThing {
  return {
    id: row.id,
    group_id: row.group_id,
    profile_id: row.profile_id,
    name: row.name,
    type: row.type,
    keySealed: row.key_sealed,
    externalKeySealed: row.external_key_sealed,
    metadata: row.metadata,
    last_seen: row.last_seen?.toISOString() ?? null,
    ...(row.refused ? { refused: refusedOf(row.refused) } : {}),
  };
}

/** PostgreSQL writes times in JSON with microseconds. */
const refusedOf = ({ messages, since, last_at: lastAt, reason }: Refused): Refused => ({
  messages,
  since: new Date(since).toISOString(),
  last_at: new Date(lastAt).toISOString(),
  reason,
});

/** Sets what is given. Returns whether there is such a thing. Uses the primary key. */
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
  const rows = await db.change(
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

/** Sets or removes the external key. Returns whether there is such a thing. Uses the primary key. */
export async function updateExternalKey(
  db: Database,
  id: string,
  key: StoredKey | undefined,
): Promise<boolean> {
  const rows = await db.change(
    `UPDATE things
     SET external_key_lookup = $2, external_key_sealed = $3, updated_at = now()
     WHERE id = $1
     RETURNING id`,
    [id, key?.lookup ?? null, key?.sealed ?? null],
  );
  return rows.length > 0;
}

export const toEdit = { needed: 'editor', to: 'change' } as const;

/**
 * Assigns another profile to a thing, and with it the profile's group. Uses the primary keys.
 *
 * @throws DomainError `not_found` or `forbidden` as `lockAll`; `conflict` if the thing's name is
 * taken in the group.
 */
export async function moveThing(
  db: Database,
  user: UserCaller,
  id: string,
  profileId: string,
): Promise<void> {
  await db.transaction(async (work) => {
    await lockAll(work, user, 'thing', [id], toEdit);
    const moved = await work.rows(
      `UPDATE things
       SET profile_id = profile.id, group_id = profile.group_id, updated_at = now()
       FROM profiles AS profile
       WHERE things.id = $1 AND profile.id = $2
       RETURNING things.id`,
      [id, profileId],
    );
    present(moved[0], 'thing');
  });
}

/** Deletes a thing. Returns whether there was one. Uses the primary key. */
export async function deleteThing(db: Database, id: string): Promise<boolean> {
  const rows = await db.change('DELETE FROM things WHERE id = $1 RETURNING id', [id]);
  return rows.length > 0;
}

/**
 * Deletes things, all or none. Uses the primary key.
 *
 * @throws DomainError as `lockAll`.
 */
export async function deleteThings(
  db: Database,
  user: UserCaller,
  given: readonly string[],
): Promise<void> {
  await db.transaction(async (work) => {
    const ids = await lockAll(work, user, 'thing', given, { needed: 'admin', to: 'delete' });
    await holdStatesOf((text, values) => work.rows(text, values), ids);
    await work.rows('DELETE FROM things WHERE id = ANY ($1::uuid[])', [ids]);
  });
}
