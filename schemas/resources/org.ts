import { type Static, Type } from 'typebox';
import { about, Uuid } from '../http/common.ts';
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

export const Org = Type.Object({
  id: about(Uuid, 'Id of the org: a UUID.', '5f6d3c52-8f0e-4a63-b1d5-0c8b6a0f2b21'),
  name: about(Type.String(), 'Name of the org.', 'Waterworks'),
  description: about(
    Type.String(),
    'Description of the org. Empty where none was given.',
    'Pumps and wells',
  ),
  metadata: Metadata,
  owner_id: about(
    Uuid,
    'Id of the user who made the org and owns it.',
    '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10',
  ),
  retention_days: Type.Optional(
    about(
      RetentionDays,
      'Days that the messages of its groups are kept, where a group does not say otherwise. Absent: for good.',
      365,
    ),
  ),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});
export type Org = Static<typeof Org>;

export const NewOrg = Type.Object({
  name: about(
    Type.String({ minLength: 1, maxLength: 254 }),
    'Name of the org: 1 to 254 characters.',
    'Waterworks',
  ),
  description: newDescription('Pumps and wells'),
  metadata: NewMetadata,
  retention_days: Type.Optional(
    about(
      RetentionDaysOrNull,
      'Days that the messages of its groups are kept, where a group does not say otherwise. `null`, or absent where it is made: for good.',
      365,
    ),
  ),
});
export type NewOrg = Static<typeof NewOrg>;

/** An absent member stays as it is; `null` clears an optional one. */
export const OrgChange = Type.Object({
  name: Type.Optional(
    about(
      Type.String({ minLength: 1, maxLength: 254 }),
      'New name of the org. Absent: it stays.',
      'Waterworks',
    ),
  ),
  description: descriptionChange('org', 'Pumps and wells'),
  metadata: MetadataChange,
  retention_days: Type.Optional(
    about(
      RetentionDaysOrNull,
      'Days that the messages of its groups are kept, where a group does not say otherwise. Absent: it stays; `null`: for good.',
      365,
    ),
  ),
});
export type OrgChange = Static<typeof OrgChange>;

export const OrgsQuery = listQuery(namedOrders, { name: filters.name });
export const OrgsSearch = searchBody(namedOrders, { name: filters.name });
export const Orgs = Type.Object({
  ...pageEnvelope,
  orgs: about(Type.Array(Org), 'Orgs of the page.'),
});
