import { type Static, Type } from 'typebox';
import { IdsToDelete, JsonObject, JsonObjectOrNull, objectLimits, Uuid, UuidV4 } from './common.ts';
import { filters, listQuery, pageEnvelope, searchBody } from './page.ts';
import { ProfileConfig } from './profile-config.ts';

/** `config` is a `ProfileConfig`; from before others were refused, it may have members of other names. */
export const Profile = Type.Object({
  id: Uuid,
  name: Type.String(),
  group_id: Uuid,
  metadata: JsonObject,
  config: JsonObject,
});
export type Profile = Static<typeof Profile>;

const { transformer, ...plain } = ProfileConfig.properties;

/** Only what is known, and a few KiB of it: the edges keep it in memory for each thing's next message. */
const ConfigOrNull = Type.Union([
  Type.Object(
    {
      ...plain,
      transformer: Type.Optional(
        Type.Object(transformer.properties, { additionalProperties: false }),
      ),
    },
    { additionalProperties: false, [objectLimits]: { bytes: 4 * 1024, values: 1_000 } },
  ),
  Type.Null(),
]);

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

/** Profiles that are deleted at once; no thing has any of them. */
export const ProfileIds = Type.Object(
  { profile_ids: IdsToDelete },
  { additionalProperties: false },
);

export const profileOrders = ['id', 'name', 'created_at', 'updated_at'] as const;
export const ProfilesQuery = listQuery(profileOrders, { name: filters.name });
export const ProfilesSearch = searchBody(profileOrders, { name: filters.name });
export const Profiles = Type.Object({ ...pageEnvelope, profiles: Type.Array(Profile) });
