import { type Static, Type } from 'typebox';
import { JsonObject, JsonObjectOrNull, Timestamp, Uuid } from './common.ts';

export const Group = Type.Object({
  id: Uuid,
  org_id: Uuid,
  name: Type.String(),
  description: Type.String(),
  metadata: JsonObject,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Group = Static<typeof Group>;

export const NewGroup = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 254 }),
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  metadata: Type.Optional(JsonObjectOrNull),
});
export type NewGroup = Static<typeof NewGroup>;
