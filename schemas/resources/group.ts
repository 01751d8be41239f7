import { type Static, Type } from 'typebox';
import {
  about,
  IdsToDelete,
  JsonObject,
  JsonObjectOrNull,
  Timestamp,
  Uuid,
} from '../http/common.ts';
import { filters, listQuery, pageEnvelope, searchBody } from '../http/page.ts';
import { RetentionDays, RetentionDaysOrNull } from '../messages/retention.ts';

export const Group = Type.Object({
  id: about(Uuid, 'Id of the group: a UUID.', 'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b'),
  org_id: about(
    Uuid,
    'Id of the org that the group belongs to.',
    '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21',
  ),
  name: about(Type.String(), 'Name of the group: no other in the org has it.', 'Pumps'),
  description: about(
    Type.String(),
    'Description of the group. Empty where none was given.',
    'All pumps',
  ),
  metadata: about(JsonObject, 'Free-form members, as they were given.', { place: 'hall' }),
  retention_days: Type.Optional(
    about(
      RetentionDays,
      'Days that messages are kept, from the time in them. Absent: they are kept for as long as the org says, or for good.',
      365,
    ),
  ),
  created_at: about(
    Timestamp,
    'When it was made: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
  updated_at: about(
    Timestamp,
    'When it was last changed: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
});
export type Group = Static<typeof Group>;

export const NewGroup = Type.Object({
  name: about(
    Type.String({ minLength: 1, maxLength: 254 }),
    'Name of the group: 1 to 254 characters. No other in the org may have it.',
    'Pumps',
  ),
  description: Type.Optional(
    about(
      Type.String({ maxLength: 1024 }),
      'Description: at most 1,024 characters. Default empty.',
      'All pumps',
    ),
  ),
  metadata: Type.Optional(
    about(
      JsonObjectOrNull,
      'Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values.',
      { place: 'hall' },
    ),
  ),
  retention_days: Type.Optional(
    about(
      RetentionDaysOrNull,
      'Days that messages are kept. `null`, or absent where it is made: for as long as the org says, or for good.',
      365,
    ),
  ),
});
export type NewGroup = Static<typeof NewGroup>;

/** Absent stays as it is; `null` clears what can be without. */
export const GroupChange = Type.Object({
  name: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 254 }),
      'New name of the group. Absent: it stays.',
      'Pumps',
    ),
  ),
  description: Type.Optional(
    about(
      Type.Union([Type.String({ maxLength: 1024 }), Type.Null()]),
      'New description of the group. Absent: it stays; `null`: it becomes empty.',
      'All pumps',
    ),
  ),
  metadata: Type.Optional(
    about(
      JsonObjectOrNull,
      'Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values.',
      { place: 'hall' },
    ),
  ),
  retention_days: Type.Optional(
    about(
      RetentionDaysOrNull,
      'Days that messages are kept. Absent: it stays; `null`: for as long as the org says, or for good.',
      365,
    ),
  ),
});
export type GroupChange = Static<typeof GroupChange>;

/** Groups that are deleted at once, with all in them. */
export const GroupIds = Type.Object(
  {
    group_ids: about(IdsToDelete, 'Ids of the groups to remove.', [
      'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
    ]),
  },
  { additionalProperties: false },
);

export const groupOrders = ['id', 'name', 'created_at', 'updated_at'] as const;
export const GroupsQuery = listQuery(groupOrders, { name: filters.name });
export const GroupsSearch = searchBody(groupOrders, { name: filters.name });
export const Groups = Type.Object({
  ...pageEnvelope,
  groups: about(Type.Array(Group), 'Groups of the page.'),
});
