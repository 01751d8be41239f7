import { Value } from 'typebox/value';
import type { Pool } from '../../infra/postgres.ts';
import { CachedThing } from '../../schemas/thing-cache.ts';
import { parseSnapshot, type Snapshot } from './snapshot.ts';

/** The things behind these lookups, as of `snapshot`. A lookup that is nobody's is left out. */
export type LoadedThings = { snapshot: Snapshot; things: Map<string, CachedThing> };

/**
 * Looks keys up by their HMACs (hex), and certificates by their fingerprints. Leans on the unique indexes
 * on the two lookup columns and on fingerprints, and on `webhooks_thing`.
 */
export async function loadThings(pool: Pool, lookups: string[]): Promise<LoadedThings> {
  const { rows } = await pool.query<{
    snapshot: string;
    lookup: string;
    id: string | null;
    config: unknown;
    expires_at: Date | null;
    hasWebhooks: boolean;
  }>({
    name: 'load-things',
    text: `
      SELECT pg_current_snapshot()::text AS snapshot,
             encode(wanted.lookup, 'hex') AS lookup,
             thing.id, profile.config, thing.expires_at,
             EXISTS (
               SELECT FROM webhooks WHERE thing_id = thing.id AND disabled_at IS NULL
             ) AS "hasWebhooks"
      FROM unnest($1::bytea[]) AS wanted (lookup)
      LEFT JOIN LATERAL (
        SELECT id, profile_id, NULL::timestamptz AS expires_at
        FROM things WHERE key_lookup = wanted.lookup
        UNION ALL
        SELECT id, profile_id, NULL FROM things WHERE external_key_lookup = wanted.lookup
        UNION ALL
        SELECT things.id, things.profile_id, certificates.expires_at
        FROM certificates JOIN things ON things.id = certificates.thing_id
        WHERE certificates.fingerprint = wanted.lookup
          AND certificates.revoked_at IS NULL AND certificates.expires_at > now()
      ) AS thing ON true
      LEFT JOIN profiles AS profile ON profile.id = thing.profile_id`,
    values: [lookups.map((lookup) => Buffer.from(lookup, 'hex'))],
  });
  const things = new Map<string, CachedThing>();
  for (const row of rows) {
    if (row.id === null) continue;
    const { id, hasWebhooks } = row;
    const config = row.config ?? {};
    const until = row.expires_at === null ? {} : { until_ms: row.expires_at.getTime() };
    things.set(row.lookup, Value.Parse(CachedThing, { id, config, hasWebhooks, ...until }));
  }
  const [first] = rows;
  if (first === undefined) throw new Error('no key was asked for');
  return { snapshot: parseSnapshot(first.snapshot), things };
}

export type KeyChange = { lookup: string; xid: bigint };

/** A place in the journal: behind it stands what later transactions wrote, and this one later on. */
export type JournalPlace = { position: string; id: string };

/** A page of the journal; `end`: where it ends, if there may be more behind it. */
export type KeyChanges = {
  snapshot: Snapshot;
  changes: KeyChange[];
  end: JournalPlace | undefined;
};

/** A transaction may change the keys of all things of a profile: what it wrote is read in parts. */
const changesPerPage = 20_000;

/**
 * What the journal of changed keys holds that `since` did not see, behind `after`: written by triggers on things,
 * profiles, certificates and webhooks. What was in progress in `since` is seen once it has committed; what the
 * answer's `snapshot` sees is in the pages from its own to the last. Leans on `key_changes_in_order`.
 */
export async function loadKeyChanges(
  pool: Pool,
  since: Snapshot,
  after: JournalPlace = { position: String(since.xmin), id: '0' },
): Promise<KeyChanges> {
  const { rows } = await pool.query<{
    snapshot: string;
    lookup: string | null;
    position: string | null;
    id: string | null;
  }>({
    name: 'load-key-changes',
    text: `
      SELECT pg_current_snapshot()::text AS snapshot,
             encode(change.lookup, 'hex') AS lookup, change.position::text AS position, change.id
      FROM (VALUES (1)) AS one
      LEFT JOIN LATERAL (
        SELECT position, id, lookup FROM key_changes
        WHERE (position, id) > ($2::xid8, $3::bigint)
          AND NOT pg_visible_in_snapshot(position, $1::pg_snapshot)
        ORDER BY position, id LIMIT $4
      ) AS change ON true`,
    values: [since.text, after.position, after.id, changesPerPage],
  });
  const [first] = rows;
  if (first === undefined) throw new Error('the journal gave no answer');
  const changes: KeyChange[] = [];
  let end: JournalPlace | undefined;
  for (const { lookup, position, id } of rows) {
    if (lookup === null || position === null || id === null) continue;
    changes.push({ lookup, xid: BigInt(position) });
    end = { position, id };
  }
  return {
    snapshot: parseSnapshot(first.snapshot),
    changes,
    end: changes.length < changesPerPage ? undefined : end,
  };
}
