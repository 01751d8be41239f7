import { type Static, Type } from 'typebox';
import { ProfileConfig } from '../resources/profile-config.ts';

/** The members of a profile's `config` that an edge uses; it gets no others. */
export const edgeConfigMembers = [
  'content_type',
  'write',
  'transformer',
  'line',
  'gateway',
] as const;
export const edgeTransformerMembers = [
  'data_filters',
  'data_field',
  'time_field',
  'time_format',
  'time_location',
] as const;

/**
 * An edge needs to know this of the thing that a key or a certificate stands for. A certificate stands for it only
 * until it expires.
 */
export const CachedThing = Type.Object({
  id: Type.String(),
  /** The ids of its profile, its group and its org, in hex: a change of one of them is journaled under its id. */
  places: Type.Array(Type.String()),
  /** Null: it is too large for an edge, or invalid; messages of its things are refused. */
  config: Type.Union([ProfileConfig, Type.Null()]),
  until_ms: Type.Optional(Type.Number()),
  /** Whether any of its webhooks is enabled and gets messages. */
  hasWebhooks: Type.Boolean(),
  /** Whether any rule that is enabled is about its records. */
  hasRules: Type.Boolean(),
  /** Whether it may speak for other things of its group. */
  isGateway: Type.Boolean(),
  /** Of a thing that was found by its id: the look-up of its key, under which its changes are journaled. */
  changes_under: Type.Optional(Type.String()),
});
export type CachedThing = Static<typeof CachedThing>;

/**
 * An entry of the key cache in Redis, under `thingCacheKey`. `snapshot` is the Postgres snapshot it was read in (the
 * text of `pg_current_snapshot()`): an edge that knows of a later change ignores it.
 */
export const ThingCacheEntry = Type.Object({ snapshot: Type.String(), thing: CachedThing });
export type ThingCacheEntry = Static<typeof ThingCacheEntry>;

/** How long an entry may live in Redis. */
export const thingCacheSeconds = 600;

export const thingCacheKey = (lookup: string): string => `millrace:thing:${lookup}`;
