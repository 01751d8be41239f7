import { type Static, Type } from 'typebox';
import { about, IdsToDelete, JsonObject, objectLimits, Uuid, UuidV4 } from '../http/common.ts';
import { filters, listQuery, namedOrders, pageEnvelope, searchBody } from '../http/page.ts';
import { ProfileConfig } from './profile-config.ts';
import { Metadata, MetadataChange, NewMetadata } from '../http/fields.ts';

/** `config` is a `ProfileConfig`. An old one may have other members, which are refused now. */
export const Profile = Type.Object({
  id: about(Uuid, 'Id of the profile: a UUID.', 'c3d4e5f6-7a8b-4c9d-8e0f-1a2b3c4d5e6f'),
  name: about(Type.String(), 'Name of the profile: no other in the group has it.', 'Pump'),
  group_id: about(
    Uuid,
    'Id of the group that the profile belongs to.',
    'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
  ),
  metadata: Metadata,
  config: about(
    JsonObject,
    'What is done with the messages of its things; see the body of a change.',
    { content_type: 'application/senml+json', write: true },
  ),
});
export type Profile = Static<typeof Profile>;

const { transformer, gateway, ...plain } = ProfileConfig.properties;

/** Only known members, and a few KiB: edges keep it in memory for each thing's next message. */
const ConfigOrNull = Type.Union([
  Type.Object(
    {
      ...plain,
      transformer: Type.Optional(
        about(
          Type.Object(transformer.properties, { additionalProperties: false }),
          'How JSON messages are read. Default: whole, at the time of receipt.',
        ),
      ),
      gateway: Type.Optional(
        about(
          Type.Object(gateway.properties, { additionalProperties: false }),
          'How things of the type `gateway` speak for others of their group. Other things speak for themselves alone.',
        ),
      ),
    },
    { additionalProperties: false, [objectLimits]: { bytes: 4 * 1024, values: 1_000 } },
  ),
  Type.Null(),
]);

export const NewProfile = Type.Object({
  id: Type.Optional(
    about(
      UuidV4,
      'Id to give it: a UUID of version 4 that nothing else has. Default: one is made.',
    ),
  ),
  name: about(
    Type.String({ minLength: 1, maxLength: 1024 }),
    'Name: 1 to 1,024 characters. No other in the group may have it.',
    'Pump',
  ),
  metadata: NewMetadata,
  config: Type.Optional(
    about(
      ConfigOrNull,
      'What is done with the messages of its things. Default: they are read as they are sent, and stored.',
    ),
  ),
});
export type NewProfile = Static<typeof NewProfile>;

export const ProfileChange = Type.Object({
  name: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 1024 }),
      'New name of the profile. Absent: it stays.',
      'Pump',
    ),
  ),
  metadata: MetadataChange,
  config: Type.Optional(
    about(
      ConfigOrNull,
      'What is done with the messages of its things. Absent: it stays; `null`: the defaults.',
    ),
  ),
});
export type ProfileChange = Static<typeof ProfileChange>;

/** Profiles that are deleted together; no thing may have any of them. */
export const ProfileIds = Type.Object(
  {
    profile_ids: about(IdsToDelete, 'Ids of the profiles to remove.', [
      'c3d4e5f6-7a8b-4c9d-8e0f-1a2b3c4d5e6f',
    ]),
  },
  { additionalProperties: false },
);

export const ProfilesQuery = listQuery(namedOrders, { name: filters.name });
export const ProfilesSearch = searchBody(namedOrders, { name: filters.name });
export const Profiles = Type.Object({
  ...pageEnvelope,
  profiles: about(Type.Array(Profile), 'Profiles of the page.'),
});
