import { type Static, Type } from 'typebox';
import { IdsToDelete, JsonObject, JsonObjectOrNull, Timestamp, Uuid, UuidV4 } from './common.ts';
import { filters, listQuery, pageEnvelope, searchBody } from './page.ts';
import { Time } from './time.ts';

export const thingTypes = ['device', 'sensor', 'actuator', 'controller', 'gateway'] as const;

export type ThingType = (typeof thingTypes)[number];

const ThingType = Type.Enum(['device', 'sensor', 'actuator', 'controller', 'gateway']);

export const ThingKey = Type.String({ minLength: 1, maxLength: 4096 });

export const ExternalKey = Type.String({ minLength: 5, maxLength: 1024 });

/** The keys show to editors and above only. */
export const Thing = Type.Object({
  id: Uuid,
  group_id: Uuid,
  profile_id: Uuid,
  name: Type.String(),
  type: ThingType,
  key: Type.Optional(Type.String()),
  external_key: Type.Optional(Type.String()),
  metadata: JsonObject,
  /** When its last message came, right within five seconds; null: none ever did. */
  last_seen: Type.Union([Timestamp, Type.Null()]),
});
export type Thing = Static<typeof Thing>;

export const NewThing = Type.Object({
  id: Type.Optional(UuidV4),
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  type: ThingType,
  /** Of a device that has its key already. Absent or empty, one is generated. */
  key: Type.Optional(Type.String({ maxLength: 4096 })),
  external_key: Type.Optional(ExternalKey),
  metadata: Type.Optional(JsonObjectOrNull),
});
export type NewThing = Static<typeof NewThing>;

/** Absent stays as it is; `null` clears what can be without. */
export const ThingChange = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  type: Type.Optional(ThingType),
  key: Type.Optional(ThingKey),
  metadata: Type.Optional(JsonObjectOrNull),
});
export type ThingChange = Static<typeof ThingChange>;

/** Where a thing goes: to another profile, and with it to the profile's group. */
export const ThingMove = Type.Object({ profile_id: Uuid, group_id: Type.Optional(Uuid) });
export type ThingMove = Static<typeof ThingMove>;

/** Things that are deleted at once. */
export const ThingIds = Type.Object({ thing_ids: IdsToDelete }, { additionalProperties: false });

/** What is added to the metadata of a thing, member by member; `null` empties all of it. */
export const ThingMetadata = Type.Object({
  id: Uuid,
  metadata: Type.Optional(JsonObjectOrNull),
});
export type ThingMetadata = Static<typeof ThingMetadata>;

export const thingOrders = ['id', 'name', 'type', 'created_at', 'updated_at', 'last_seen'] as const;

const SeenTime = Type.Unsafe<string | number>(Time);
const thingFilters = {
  name: filters.name,
  type: filters.type,
  silent_since: Type.Optional({
    ...SeenTime,
    description: `Only things that were not heard at this time or later, nor ever. ${Time.description}`,
  }),
  seen_since: Type.Optional({
    ...SeenTime,
    description: `Only things that were heard at this time or later. ${Time.description}`,
  }),
};
export const ThingsQuery = listQuery(thingOrders, thingFilters);
export const ThingsSearch = searchBody(thingOrders, thingFilters);
export const Things = Type.Object({
  ...pageEnvelope,
  silent_since: Type.Optional(SeenTime),
  seen_since: Type.Optional(SeenTime),
  things: Type.Array(Thing),
});
