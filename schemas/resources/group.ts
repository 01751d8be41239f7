import { type Static, Type } from 'typebox';
import { about, IdsToDelete, Uuid } from '../http/common.ts';
import { filters, listQuery, namedOrders, pageEnvelope, searchBody } from '../http/page.ts';
import { RetentionDays, RetentionDaysOrNull } from '../messages/retention.ts';
import {
  CreatedAt,
  Metadata,
  MetadataChange,
  NewMetadata,
  UpdatedAt,
  descriptionChange,
  newDescription,
} from '../http/fields.ts';

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
  metadata: Metadata,
  retention_days: Type.Optional(
    about(
      RetentionDays,
      'Days that messages are kept, from the time in them. Absent: they are kept for as long as the org says, or for good.',
      365,
    ),
  ),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});
export type Group = Static<typeof Group>;

export const NewGroup = Type.Object({
  name: about(
    Type.String({ minLength: 1, maxLength: 254 }),
    'Name of the group: 1 to 254 characters. No other in the org may have it.',
    'Pumps',
  ),
  description: newDescription('All pumps'),
  metadata: NewMetadata,
  retention_days: Type.Optional(
    about(
      RetentionDaysOrNull,
      'Days that messages are kept. `null`, or absent where it is made: for as long as the org says, or for good.',
      365,
    ),
  ),
});
export type NewGroup = Static<typeof NewGroup>;

/** An absent member stays as it is; `null` clears an optional one. */
export const GroupChange = Type.Object({
  name: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 254 }),
      'New name of the group. Absent: it stays.',
      'Pumps',
    ),
  ),
  description: descriptionChange('group', 'All pumps'),
  metadata: MetadataChange,
  retention_days: Type.Optional(
    about(
      RetentionDaysOrNull,
      'Days that messages are kept. Absent: it stays; `null`: for as long as the org says, or for good.',
      365,
    ),
  ),
});
export type GroupChange = Static<typeof GroupChange>;

/** Groups that are deleted together, with all in them. */
export const GroupIds = Type.Object(
  {
    group_ids: about(IdsToDelete, 'Ids of the groups to remove.', [
      'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
    ]),
  },
  { additionalProperties: false },
);

export const GroupsQuery = listQuery(namedOrders, { name: filters.name });
export const GroupsSearch = searchBody(namedOrders, { name: filters.name });
export const Groups = Type.Object({
  ...pageEnvelope,
  groups: about(Type.Array(Group), 'Groups of the page.'),
});
