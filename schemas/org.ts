import { type Static, Type } from 'typebox';
import { JsonObject, JsonObjectOrNull, Timestamp, Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope, searchBody } from './page.ts';
import { RetentionDays, RetentionDaysOrNull } from './retention.ts';

export const Org = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Type.String(),
  metadata: JsonObject,
  owner_id: Uuid,
  retention_days: Type.Optional(RetentionDays),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Org = Static<typeof Org>;

export const NewOrg = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 254 }),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  metadata: Type.Optional(JsonObjectOrNull),
  retention_days: Type.Optional(RetentionDaysOrNull),
});
export type NewOrg = Static<typeof NewOrg>;

/** Absent stays as it is; `null` clears what can be without. */
export const OrgChange = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
  description: Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()])),
  metadata: Type.Optional(JsonObjectOrNull),
  retention_days: Type.Optional(RetentionDaysOrNull),
});
export type OrgChange = Static<typeof OrgChange>;

export const orgOrders = ['id', 'name', 'created_at', 'updated_at'] as const;
export const OrgsQuery = listQuery(orgOrders, { name: filters.name });
export const OrgsSearch = searchBody(orgOrders, { name: filters.name });
export const Orgs = Type.Object({ ...pageEnvelope, orgs: Type.Array(Org) });
