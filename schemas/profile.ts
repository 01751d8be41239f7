import { type Static, Type } from 'typebox';
import { JsonObject, JsonObjectOrNull, Uuid, UuidV4 } from './common.ts';
import { filters, listQuery, pageEnvelope, searchBody } from './page.ts';
import { ProfileConfig } from './profile-config.ts';

/** `config` is a `ProfileConfig`; members it does not know are kept and given back. */
export const Profile = Type.Object({
  id: Uuid,
  name: Type.String(),
  group_id: Uuid,
  metadata: JsonObject,
  config: JsonObject,
});
export type Profile = Static<typeof Profile>;

const ConfigOrNull = Type.Union([ProfileConfig, Type.Null()]);

export const NewProfile = Type.Object({
  id: Type.Optional(UuidV4),
  name: Type.String({ minLength: 1, maxLength: 1024 }),
  metadata: Type.Optional(JsonObjectOrNull),
  config: Type.Optional(ConfigOrNull),
});
export type NewProfile = Static<typeof NewProfile>;

export const ProfileChange = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  metadata: Type.Optional(JsonObjectOrNull),
  config: Type.Optional(ConfigOrNull),
});
export type ProfileChange = Static<typeof ProfileChange>;

export const profileOrders = ['id', 'name', 'created_at', 'updated_at'] as const;
export const ProfilesQuery = listQuery(profileOrders, { name: filters.name });
export const ProfilesSearch = searchBody(profileOrders, { name: filters.name });
export const Profiles = Type.Object({ ...pageEnvelope, profiles: Type.Array(Profile) });
