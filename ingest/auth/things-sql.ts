import { Compile } from 'typebox/compile';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import {
  type CachedThing,
  edgeConfigMembers,
  edgeTransformerMembers,
} from '../../schemas/internal/thing-cache.ts';
import { parseSnapshot, type Snapshot } from './journal/snapshot.ts';

/** A credential that names no thing: it never did, or it is of a certificate that ended. */
export type UnknownCredential = { readonly kind: 'unknown' | 'expired' | 'revoked' };

type LoadedThing = { readonly kind: 'thing'; readonly thing: CachedThing };

/** The things of these lookups, as of `snapshot`, or how a certificate ended. Unknown ones are left out. */
export type LoadedThings = {
  snapshot: Snapshot;
  things: Map<string, LoadedThing | UnknownCredential>;
};

/** How large a profile's `config` may be: all of it, and the part that an edge knows. */
type ConfigLimits = { storedBytesMax: number; bytesMax: number };

const isConfig = Compile(ProfileConfig);

/** $1: lookups; $2 and $3: how large a config may be; $4 and $5: which of its members an edge knows. */
const thingsQuery = `
  WITH found AS MATERIALIZED (
    SELECT wanted.lookup, thing.id, thing.group_id, thing.profile_id, thing.type, thing.changes_under,
           thing.expires_at, thing.ended,
           row_number() OVER (PARTITION BY thing.profile_id) = 1 AS is_first
    FROM unnest($1::bytea[]) AS wanted (lookup)
    LEFT JOIN LATERAL (
      SELECT id, group_id, profile_id, type, NULL::bytea AS changes_under,
             NULL::timestamptz AS expires_at, NULL AS ended
      FROM things WHERE key_lookup = wanted.lookup
      UNION ALL
      SELECT id, group_id, profile_id, type, NULL, NULL, NULL
      FROM things WHERE external_key_lookup = wanted.lookup
      UNION ALL
      SELECT id, group_id, profile_id, type, key_lookup, NULL, NULL
      FROM things
      WHERE id = CASE WHEN octet_length(wanted.lookup) = 16 THEN encode(wanted.lookup, 'hex')::uuid END
      UNION ALL
      SELECT things.id, things.group_id, things.profile_id, things.type, NULL, certificates.expires_at,
             CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN things.id IS NULL THEN 'expired' END
      FROM certificates
      LEFT JOIN things
        ON things.id = certificates.thing_id AND revoked_at IS NULL AND expires_at > now()
      WHERE certificates.fingerprint = wanted.lookup
    ) AS thing ON true
  )
  SELECT pg_current_snapshot()::text AS snapshot,
         encode(found.lookup, 'hex') AS lookup, found.id, found.profile_id, found.expires_at,
         ARRAY(
           SELECT encode(uuid_send(id), 'hex')
           FROM unnest(ARRAY [found.profile_id, found.group_id, groups.org_id]) WITH ORDINALITY AS place (id, at)
           ORDER BY at
         ) AS places,
         found.ended, found.type = 'gateway' AS "isGateway", encode(found.changes_under, 'hex') AS changes_under,
         EXISTS (SELECT FROM webhooks WHERE thing_id = found.id AND messages AND disabled_at IS NULL)
           OR EXISTS (SELECT FROM webhooks WHERE group_id = groups.id AND messages AND disabled_at IS NULL)
           OR EXISTS (
             SELECT FROM webhooks WHERE org_id = groups.org_id AND messages AND disabled_at IS NULL
           ) AS "hasWebhooks",
         EXISTS (
           SELECT FROM rules
           WHERE rules.group_id = found.group_id AND enabled AND conditions -> 0 ->> 'when' <> 'silent'
             AND (rules.profile_id IS NULL OR rules.profile_id = found.profile_id)
             AND (rules.thing_ids IS NULL OR found.id = ANY (rules.thing_ids))
         ) AS "hasRules",
         found.is_first AS "tellsConfig",
         CASE WHEN octet_length(known.config::text) <= $3 THEN known.config END AS config
  FROM found
  LEFT JOIN groups ON groups.id = found.group_id
  LEFT JOIN LATERAL (
    SELECT (
      SELECT coalesce(jsonb_object_agg(key, CASE
        WHEN key = 'transformer' AND jsonb_typeof(value) = 'object' THEN (
          SELECT coalesce(jsonb_object_agg(part.key, part.value), '{}')
          FROM jsonb_each(value) AS part WHERE part.key = ANY ($5) AND part.value <> 'null'
        ) ELSE value END), '{}')
      FROM jsonb_each(profile.config) WHERE key = ANY ($4) AND value <> 'null'
    ) AS config
    FROM profiles AS profile
    WHERE found.is_first AND profile.id = found.profile_id
      AND pg_column_size(profile.config) <= $2 AND jsonb_typeof(profile.config) = 'object'
  ) AS known ON true`;

/**
 * Looks keys up by their HMACs (hex), certificates by their fingerprints, and things by their ids. Each profile's `config` is
 * read once, however many of its things are asked for; one that is too large is not read at all. Uses
 * the unique indexes on the two lookup columns and on fingerprints, on primary keys, and on `webhooks_thing`,
 * `webhooks_group`, `webhooks_org` and `rules_group`.
 */
export async function loadThings(
  pool: Pool,
  lookups: string[],
  limits: ConfigLimits,
): Promise<LoadedThings> {
  const { rows } = await pool.query<{
    snapshot: string;
    lookup: string;
    id: string | null;
    profile_id: string;
    places: string[];
    expires_at: Date | null;
    ended: 'expired' | 'revoked' | null;
    hasWebhooks: boolean;
    hasRules: boolean;
    isGateway: boolean | null;
    changes_under: string | null;
    tellsConfig: boolean;
    config: unknown;
  }>({
    name: 'load-things',
    text: thingsQuery,
    values: [
      lookups.map((lookup) => Buffer.from(lookup, 'hex')),
      limits.storedBytesMax,
      limits.bytesMax,
      edgeConfigMembers,
      edgeTransformerMembers,
    ],
  });
  const [first] = rows;
  if (first === undefined) throw new Error('there is no key to look up');
  const configs = new Map<string, ProfileConfig | null>();
  for (const { tellsConfig, profile_id: profileId, config } of rows) {
    if (tellsConfig) configs.set(profileId, isConfig.Check(config) ? config : null);
  }
  const things: LoadedThings['things'] = new Map();
  for (const row of rows) {
    if (row.ended !== null) things.set(row.lookup, { kind: row.ended });
    if (row.id === null) continue;
    const { id, places, hasWebhooks, hasRules } = row;
    const config = configs.get(row.profile_id) ?? null;
    const isGateway = row.isGateway === true;
    const until = row.expires_at === null ? {} : { until_ms: row.expires_at.getTime() };
    const under = row.changes_under === null ? {} : { changes_under: row.changes_under };
    const thing = { id, places, config, hasWebhooks, hasRules, isGateway, ...until, ...under };
    things.set(row.lookup, { kind: 'thing', thing });
  }
  return { snapshot: parseSnapshot(first.snapshot), things };
}
