import { type Static, Type } from 'typebox';
import { IdsToDelete, JsonObject, JsonObjectOrNull, Timestamp, Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope, searchBody } from './page.ts';
import { RetentionDays, RetentionDaysOrNull } from './retention.ts';

export const Group = Type.Object({
  id: Uuid,
  org_id: Uuid,
  name: Type.String(),
  description: Type.String(),
  metadata: JsonObject,
  retention_days: Type.Optional(RetentionDays),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Group = Static<typeof Group>;

export const NewGroup = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 254 }),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  metadata: Type.Optional(JsonObjectOrNull),
  retention_days: Type.Optional(RetentionDaysOrNull),
});
export type NewGroup = Static<typeof NewGroup>;

/** Absent stays as it is; `null` clears what can be without. */
export const GroupChange = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
  description: Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()])),
  metadata: Type.Optional(JsonObjectOrNull),
  retention_days: Type.Optional(RetentionDaysOrNull),
});
export type GroupChange = Static<typeof GroupChange>;

/** Groups that are deleted at once, with all in them. */
export const GroupIds = Type.Object({ group_ids: IdsToDelete }, { additionalProperties: false });

export const groupOrders = ['id', 'name', 'created_at', 'updated_at'] as const;
export const GroupsQuery = listQuery(groupOrders, { name: filters.name });
export const GroupsSearch = searchBody(groupOrders, { name: filters.name });
export const Groups = Type.Object({ ...pageEnvelope, groups: Type.Array(Group) });
