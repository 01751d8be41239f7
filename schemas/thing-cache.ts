import { type Static, Type } from 'typebox';
import { ProfileConfig } from './profile-config.ts';

/**
 * What an edge needs to know of the thing behind a key or a certificate. A certificate names its thing
 * only until it ends.
 */
export const CachedThing = Type.Object({
  id: Type.String(),
  config: ProfileConfig,
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
