import { type Static, Type } from 'typebox';
import { JsonObject, JsonObjectOrNull, Uuid } from './common.ts';
import { filters, listQuery, pageEnvelope, searchBody } from './page.ts';

/** One @, and nothing that would end an address in a mail's header. */
export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^@\\s\\p{Cc}<>,;]+@[^@\\s\\p{Cc}<>,;]+$',
});

/** A password to be set. */
export const Password = Type.String({ minLength: 8, maxLength: 1024 });

/** `metadata` shows once there is some. */
export const User = Type.Object({
  id: Uuid,
  email: Type.String(),
  metadata: Type.Optional(JsonObject),
});
export type User = Static<typeof User>;

export const NewUser = Type.Object({
  email: Email,
  password: Password,
  metadata: Type.Optional(JsonObjectOrNull),
});

export const UserChange = Type.Object({ metadata: Type.Optional(JsonObjectOrNull) });
export type UserChange = Static<typeof UserChange>;

export const PasswordChange = Type.Object({
  old_password: Type.String({ minLength: 1, maxLength: 1024 }),
  password: Password,
});

export const userOrders = ['id', 'email', 'created_at', 'updated_at'] as const;
export const UsersQuery = listQuery(userOrders, { email: filters.email });
export const UsersSearch = searchBody(userOrders, { email: filters.email });
/** The list is named `Users`; clients that look for it under the usual name find it there as well. */
export const Users = Type.Object({
  ...pageEnvelope,
  Users: Type.Array(User),
  users: Type.Array(User),
});
