import { metadataLimits } from '../../../schemas/http/common.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Role } from '../../../schemas/roles.ts';
import type {
  Thing,
  ThingMetadata,
  ThingType,
  thingOrders,
} from '../../../schemas/resources/thing.ts';
import type { UserCaller } from '../../access/caller.ts';
import { lockAll } from '../../access/lock.ts';
import { addPlace, addReach, roleColumn, type Scope } from '../../access/reach.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';
import { readTime } from '../../http/query/time.ts';

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

const columns = `id, group_id, profile_id, name, type, key_sealed, external_key_sealed, metadata,
  (SELECT seen_at FROM things_seen WHERE thing_id = things.id) AS last_seen`;

type ThingRow = {
  id: string;
  group_id: string;
  profile_id: string;
  name: string;
  type: ThingType;
  key_sealed: Buffer;
  external_key_sealed: Buffer | null;
  metadata: Record<string, unknown>;
  last_seen: Date | null;
};

/** Uses the primary keys of things and of when they were seen. */
export async function findThing(db: Database, id: string): Promise<StoredThing | undefined> {
  const [row] = await db.rows<ThingRow>(`SELECT ${columns} FROM things WHERE id = $1`, [id]);
  return row && toStored(row);
}

const orders: Readonly<Record<(typeof thingOrders)[number], string>> = {
  id: 'id',
  name: 'name',
  type: 'type',
  created_at: 'created_at',
  updated_at: 'updated_at',
  // Before all others comes what was never heard.
  last_seen: "coalesce(seen.seen_at, '-infinity')",
};

/** A thing of a list, and the role of who lists it in its group. */
export type ListedThing = { thing: StoredThing; role: Role };

/**
 * Things in the user's groups. Uses `group_memberships_member`, `things_group`, `things_profile` and
 * `things_metadata`; the roles on the primary key of memberships, for the rows of the page only.
 */
export async function findThings(
  db: Database,
  user: UserCaller,
  scope: Scope,
  query: ListQuery,
): Promise<ListPage<ListedThing>> {
  const conditions = new Conditions();
  addReach(conditions, 'group_id', user);
  addPlace(conditions, 'group_id', scope);
  if (scope.of === 'profile') conditions.add(`profile_id = ${conditions.bind(scope.id)}`);
  conditions.containsText('name', query.name);
  conditions.equals('type', query.type);
  conditions.containsJson('metadata', metadataFilterOf(query));
  const { silent_since: silentSince, seen_since: seenSince } = query;
  if (silentSince !== undefined) {
    const since = conditions.bind(timeOf('silent_since', silentSince));
    conditions.add(`coalesce(seen.seen_at, '-infinity') < ${since}`);
  }
  if (seenSince !== undefined) {
    conditions.add(`seen.seen_at >= ${conditions.bind(timeOf('seen_since', seenSince))}`);
  }
  const asksSeen = query.order === 'last_seen' || (silentSince ?? seenSince) !== undefined;
  const from = asksSeen
    ? 'things LEFT JOIN things_seen AS seen ON seen.thing_id = things.id'
    : 'things';
  const role = roleColumn(conditions, 'things.group_id', user);
  const { total, rows } = await findPage<ThingRow & { role: Role }>(
    db,
    { columns: `${columns}, ${role}`, from, conditions, orders, id: 'id' },
    query,
  );
  return { total, rows: rows.map((row) => ({ thing: toStored(row), role: row.role })) };
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
  };
}

/** In whole milliseconds, as it shows: the first that is not before the time given. */
function timeOf(name: string, given: string | number): string {
  const at = new Date(Math.ceil(Number(readTime(name, given)) / 1e6));
  return at.toISOString();
}

/** Uses the primary key. */
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

/** Sets what is given. Whether there is such a thing. Uses the primary key. */
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

/** Sets the external key, or takes it away. Whether there is such a thing. Uses the primary key. */
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

const toEdit = { needed: 'editor', to: 'change' } as const;

/**
 * Assigns another profile to a thing, and with it the profile's group. Uses the primary keys.
 *
 * @throws DomainError `not_found` or `forbidden` as `lockAll`; `conflict` where the thing's name is
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

/** A thousand values are at least so long in Postgres' text: what is shorter is not counted. */
const countedFromBytes = 3_000;

/**
 * Of what is in each thing and what is added to it, as much may stand together as may be given at once. The
 * bytes are those of the constraint `things_metadata_size`, which does not say of which thing.
 */
async function mustStaySmall(
  db: Statements,
  ids: string[],
  added: (string | null)[],
): Promise<void> {
  const { bytes, values } = metadataLimits;
  const [tooLarge] = await db.rows<{ id: string; is_long: boolean }>(
    `SELECT id, bytes > $3 AS is_long
     FROM (
       SELECT things.id, merged, octet_length(merged::text) AS bytes
       FROM unnest($1::uuid[], $2::jsonb[]) AS given (id, added)
       JOIN things USING (id)
       CROSS JOIN LATERAL (SELECT things.metadata || given.added AS merged) AS made
     ) AS sized
     WHERE bytes > $3
        OR CASE WHEN bytes >= $4
             THEN (SELECT count(*) - 1 FROM jsonb_path_query(merged, 'strict $.**')) > $5
             ELSE false END
     LIMIT 1`,
    [ids, added, bytes + bytes / 8, countedFromBytes, values],
  );
  if (tooLarge === undefined) return;
  const { id, is_long: isLong } = tooLarge;
  const what = isLong ? `is larger than ${bytes / 1024} KiB` : `holds more than ${values} values`;
  throw new DomainError('malformed', `metadata of ${id} ${what}`);
}

/**
 * Merges metadata into things, all or none. Uses the primary keys.
 *
 * @throws DomainError `not_found` or `forbidden` as `lockAll`; `malformed` where a thing would hold more
 * than it may.
 */
export async function mergeMetadata(
  db: Database,
  user: UserCaller,
  changes: ThingMetadata[],
): Promise<void> {
  const ids = changes.map((change) => change.id.toLowerCase());
  const added = changes.map(({ metadata }) =>
    metadata === null ? null : JSON.stringify(metadata ?? {}),
  );
  await db.transaction(async (work) => {
    await lockAll(work, user, 'thing', ids, toEdit);
    await mustStaySmall(work, ids, added);
    await work.rows(
      `UPDATE things
       SET metadata = coalesce(things.metadata || given.added, '{}'), updated_at = now()
       FROM unnest($1::uuid[], $2::jsonb[]) AS given (id, added)
       WHERE things.id = given.id`,
      [ids, added],
    );
  });
}

/** Whether there was such a thing. Uses the primary key. */
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
    await work.rows('DELETE FROM things WHERE id = ANY ($1::uuid[])', [ids]);
  });
}
