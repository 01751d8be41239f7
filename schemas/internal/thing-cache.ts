import { type Static, Type } from 'typebox';
import { ProfileConfig } from '../resources/profile-config.ts';

/** The members of a profile's `config` that an edge knows; it is given no others. */
export const edgeConfigMembers = ['content_type', 'write', 'transformer'] as const;
export const edgeTransformerMembers = [
  'data_filters',
  'data_field',
  'time_field',
  'time_format',
  'time_location',
] as const;

/**
 * What an edge needs to know of the thing of a key or a certificate. A certificate names its thing
 * only until it ends.
 */
export const CachedThing = Type.Object({
  id: Type.String(),
  /** Its profile, its group, its org, in hex: this was made of them, too. A change of one is journaled under its id. */
  places: Type.Array(Type.String()),
  /** Null: it is larger than an edge takes, or is none; its things' messages are refused. */
  config: Type.Union([ProfileConfig, Type.Null()]),
  until_ms: Type.Optional(Type.Number()),
  /** Whether any of its webhooks is on. */
  hasWebhooks: Type.Boolean(),
});
export type CachedThing = Static<typeof CachedThing>;

/**
 * An entry of the key cache in Redis, under `thingCacheKey`. `snapshot` is the Postgres snapshot it was
 * read in (the text of `pg_current_snapshot()`): whoever knows of a later change takes it for stale.
 */
export const ThingCacheEntry = Type.Object({ snapshot: Type.String(), thing: CachedThing });
export type ThingCacheEntry = Static<typeof ThingCacheEntry>;

/** How long an entry may live in Redis. */
export const thingCacheSeconds = 600;

export const thingCacheKey = (lookup: string): string => `millrace:thing:${lookup}`;
