import { type Static, Type } from 'typebox';
import { about, IdsToDelete, JsonObjectOrNull, Timestamp, Uuid, UuidV4 } from '../http/common.ts';
import { cursor, filters, listQuery, next, pageEnvelope, searchBody } from '../http/page.ts';
import { Time } from '../http/time.ts';
import { Metadata, MetadataChange, NewMetadata } from '../http/fields.ts';

const thingTypes = ['device', 'sensor', 'actuator', 'controller', 'gateway'] as const;

export type ThingType = (typeof thingTypes)[number];

const ThingType = Type.Enum([...thingTypes]);

const ThingKey = Type.String({ minLength: 1, maxLength: 4096 });

/** In characters. */
export const externalKeyLength = { minLength: 5, maxLength: 1024 } as const;

export const ExternalKey = Type.String(externalKeyLength);

export const LastSeen = Type.Union([Timestamp, Type.Null()]);

/** The keys are there for editors and above only. */
export const Thing = Type.Object({
  id: about(Uuid, 'Id of the thing: a UUID.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
  group_id: about(
    Uuid,
    'Id of the group that the thing is in.',
    'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
  ),
  profile_id: about(
    Uuid,
    'Id of the profile that the thing has.',
    'c3d4e5f6-7a8b-4c9d-8e0f-1a2b3c4d5e6f',
  ),
  name: about(Type.String(), 'Name of the thing: no other in the group has it.', 'Pump 7'),
  type: about(ThingType, 'Type of the thing.', 'sensor'),
  key: Type.Optional(
    about(
      Type.String(),
      'Key by which the thing is known: `Authorization: Thing <key>`. For editors and above.',
      '9b8f2a4c-3d1e-4f5a-8b7c-6d5e4f3a2b1c',
    ),
  ),
  external_key: Type.Optional(
    about(
      Type.String(),
      'Key that another system knows the thing by: `Authorization: External <key>`. For editors and above; absent where there is none.',
      'meter-0007',
    ),
  ),
  metadata: Metadata,
  last_seen: about(
    LastSeen,
    'When its last message came: ISO 8601, UTC, right within five seconds. `null`: none ever did.',
    '2026-11-21T10:00:00.000Z',
  ),
  refused: Type.Optional(
    about(
      Type.Object({
        messages: about(Type.Integer(), 'How many.', 41),
        since: about(Type.String(), 'When the first of them came.', '2026-11-21T10:40:00.000Z'),
        last_at: about(Type.String(), 'When the last of them came.', '2026-11-21T11:05:00.000Z'),
        reason: about(Type.String(), 'Why the last of them was refused.', 'record 0: v: …'),
      }),
      'Messages over MQTT that were refused without a word to the thing, because MQTT 3.1.1 and QoS 0 have none. Absent: none were, or the thing stands in a list. The count begins anew after a day without any.',
    ),
  ),
});
export type Thing = Static<typeof Thing>;

export const NewThing = Type.Object({
  id: Type.Optional(
    about(
      UuidV4,
      'Id to give it: a UUID of version 4 that nothing else has. Default: one is made.',
    ),
  ),
  name: about(
    Type.String({ minLength: 1, maxLength: 1024 }),
    'Name: 1 to 1,024 characters. No other in the group may have it.',
    'Pump 7',
  ),
  type: about(ThingType, 'Type of the thing.', 'sensor'),
  /** For a device that has its key already. If absent or empty, one is generated. */
  key: Type.Optional(
    about(
      Type.String({ maxLength: 4096 }),
      'Key to give it, which no other thing has: 1 to 4,096 characters. Default: one is made.',
    ),
  ),
  external_key: Type.Optional(
    about(
      ExternalKey,
      'Key that another system knows it by, which no other thing has: 5 to 1,024 characters. Default none.',
      'meter-0007',
    ),
  ),
  metadata: NewMetadata,
});
export type NewThing = Static<typeof NewThing>;

/** An absent member stays as it is; `null` clears an optional one. */
export const ThingChange = Type.Object({
  name: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 1024 }),
      'New name of the thing. Absent: it stays.',
      'Pump 7',
    ),
  ),
  type: Type.Optional(about(ThingType, 'New type. Absent: it stays.', 'sensor')),
  key: Type.Optional(
    about(ThingKey, 'New key: 1 to 4,096 characters. The old one ends at once. Absent: it stays.'),
  ),
  metadata: MetadataChange,
});
export type ThingChange = Static<typeof ThingChange>;

/** A move of a thing to another profile, and with it to the profile's group. */
export const ThingMove = Type.Object({
  profile_id: about(Uuid, 'Id of the profile to give it.', 'c3d4e5f6-7a8b-4c9d-8e0f-1a2b3c4d5e6f'),
  group_id: Type.Optional(
    about(
      Uuid,
      'Id of the group that the profile is in. Default: that of the profile.',
      'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
    ),
  ),
});
export type ThingMove = Static<typeof ThingMove>;

/** Things that are deleted together. */
export const ThingIds = Type.Object(
  {
    thing_ids: about(IdsToDelete, 'Ids of the things to remove.', [
      'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b',
    ]),
  },
  { additionalProperties: false },
);

/** Members that are merged into the metadata of a thing; `null` clears all of it. */
export const ThingMetadata = Type.Object({
  id: about(Uuid, 'Id of the thing: a UUID.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
  metadata: Type.Optional(
    about(
      JsonObjectOrNull,
      'Members to add to those there are, or to put in their place. `null`: none are left.',
      { place: 'hall' },
    ),
  ),
  remove: Type.Optional(
    about(
      Type.Array(Type.String({ maxLength: 1_024 }), { maxItems: 100 }),
      'Names of members to remove, after others were added. What is not there stays so.',
      ['floor'],
    ),
  ),
});
export type ThingMetadata = Static<typeof ThingMetadata>;

export const thingOrders = ['id', 'name', 'type', 'created_at', 'updated_at', 'last_seen'] as const;

const SeenTime = Type.Unsafe<string | number>(Time);
const thingFilters = {
  cursor,
  name: filters.name,
  type: Type.Optional(about(ThingType, 'Type that the thing must have.')),
  text: Type.Optional(
    about(
      Type.String({ maxLength: 1_024 }),
      'Text that the name must hold, or the external key, whole, of a thing that one edits; of four characters or more also what the id begins with.',
      'pump',
    ),
  ),
  heard: Type.Optional(
    about(Type.Boolean(), '`true`: only things that were ever heard; `false`: only others.'),
  ),
  refused: Type.Optional(
    about(
      Type.Boolean(),
      '`true`: only things of which messages were refused without a word; `false`: only others.',
    ),
  ),
  total_max: Type.Optional(
    about(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
      'Counts so many rows at most: of a large fleet that takes less time. `total_is_least` then says whether there are more.',
      10_000,
    ),
  ),
  silent_since: Type.Optional({
    ...SeenTime,
    description: `Only things that were not heard at this time or later, nor ever. ${Time.description}`,
  }),
  seen_since: Type.Optional({
    ...SeenTime,
    description: `Only things that were heard at this time or later. ${Time.description}`,
  }),
  messages_since: Type.Optional({
    ...SeenTime,
    description: `Each thing tells how many messages are stored whose own time is this or later. ${Time.description}`,
  }),
};
export const ThingsQuery = listQuery(thingOrders, thingFilters);
export const ThingsSearch = searchBody(thingOrders, thingFilters);
const ListedThing = Type.Object({
  ...Thing.properties,
  messages: Type.Optional(
    about(
      Type.Integer({ minimum: 0 }),
      'How many of its messages, by their own times, are stored since `messages_since`; a SenML record is one. Only where that was asked for.',
      120,
    ),
  ),
});
export const Things = Type.Object({
  ...pageEnvelope,
  silent_since: Type.Optional(about(SeenTime, 'As it was asked for.')),
  seen_since: Type.Optional(about(SeenTime, 'As it was asked for.')),
  messages_since: Type.Optional(about(SeenTime, 'As it was asked for.')),
  text: Type.Optional(about(Type.String(), 'Filter, as asked.')),
  heard: Type.Optional(about(Type.Boolean(), 'Filter, as asked.')),
  refused: Type.Optional(about(Type.Boolean(), 'Filter, as asked.')),
  total_is_least: Type.Optional(
    about(
      Type.Boolean(),
      'There are more than `total`, which is `total_max`. Only where that was asked for.',
    ),
  ),
  things: about(Type.Array(ListedThing), 'Things of the page.'),
  next,
});

const SeriesName = Type.Object({
  format: about(Type.Enum(['senml', 'json']), 'Format of the messages.', 'senml'),
  name: about(
    Type.String({ minLength: 1, maxLength: 1_024 }),
    'Name of the SenML records, or dotted path of a number in JSON payloads.',
    'temperature',
  ),
});

/** Which things, and what of them. */
export const ThingValuesSearch = Type.Object({
  things: about(Type.Array(Uuid, { minItems: 1, maxItems: 200 }), 'Ids of the things.', [
    'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b',
  ]),
  series: Type.Optional(about(Type.Array(SeriesName, { maxItems: 8 }), 'Series to tell of.')),
  since: Type.Optional({
    ...SeenTime,
    description: `Values from this time on. Default: a day ago, and of a thing without a value since then those of the last two days (UTC) on which it sent messages. ${Time.description}`,
  }),
  points: Type.Optional(
    about(
      Type.Integer({ minimum: 0, maximum: 60 }),
      'Intervals from `since` until now whose last number is told. Default 0: only the newest.',
      0,
    ),
  ),
  messages_since: Type.Optional({
    ...SeenTime,
    description: `Each thing tells how many messages are stored whose own time is this or later. ${Time.description}`,
  }),
});
export type ThingValuesSearch = Static<typeof ThingValuesSearch>;

const SeriesValue = Type.Object({
  ...SeriesName.properties,
  time: about(Type.Number(), 'Time of its newest value, in seconds since 1970.', 1_795_255_200.5),
  unit: Type.Optional(about(Type.String(), 'Unit of it. Absent: it has none.', 'Cel')),
  value: Type.Optional(about(Type.Number(), 'The value, where it is a number.', 21.5)),
  string_value: Type.Optional(about(Type.String(), 'The value, where it is a text.')),
  bool_value: Type.Optional(about(Type.Boolean(), 'The value, where it is true or false.')),
  points: Type.Optional(
    about(
      Type.Array(
        Type.Object({
          time: about(Type.Number(), 'Seconds since 1970.', 1_795_255_200.5),
          value: about(Type.Number(), 'Last number of its interval.', 21.5),
        }),
      ),
      'The last number of each interval that has one. Only where `points` was asked for.',
    ),
  ),
});
export type SeriesValue = Static<typeof SeriesValue>;

export const ThingValues = Type.Object({
  values: about(
    Type.Array(
      Type.Object({
        thing_id: about(Uuid, 'Id of the thing: a UUID.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
        last_seen: about(LastSeen, 'When its last message came. `null`: none ever did.'),
        messages: Type.Optional(
          about(
            Type.Integer({ minimum: 0 }),
            'How many of its messages are stored since `messages_since`. Only where that was asked for.',
            120,
          ),
        ),
        series: about(Type.Array(SeriesValue), 'Those of the series that have a value.'),
      }),
    ),
    'Those of the things that the caller may see.',
  ),
});
