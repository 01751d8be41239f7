import { type Static, Type } from 'typebox';
import { about, JsonObject, JsonObjectOrNull, Timestamp, Uuid } from '../http/common.ts';
import { filters, listQuery, pageEnvelope, searchBody } from '../http/page.ts';

/** One @, and nothing that would end an address in a mail's header. */
export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^@\\s\\p{Cc}<>,;]+@[^@\\s\\p{Cc}<>,;]+$',
});

/** A password to be set. */
export const Password = Type.String({ minLength: 8, maxLength: 1024 });

/** `metadata` shows once there is some. */
export const User = Type.Object({
  id: about(Uuid, 'Id of the user: a UUID.', '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10'),
  email: about(Type.String(), 'E-mail by which the user logs in.', 'ada@example.com'),
  metadata: Type.Optional(
    about(JsonObject, 'Free-form members. Absent where there are none.', { team: 'water' }),
  ),
  platform_admin: Type.Optional(
    about(
      Type.Boolean(),
      'Whether the user is an admin of the platform. Told to such admins alone, and absent where it is not so.',
      true,
    ),
  ),
});
export type User = Static<typeof User>;

export const NewUser = Type.Object({
  email: about(
    Email,
    'E-mail by which the user logs in. Nobody else may have it.',
    'ada@example.com',
  ),
  password: about(Password, 'Password, of 8 characters at least.', 'a long passphrase'),
  metadata: Type.Optional(
    about(
      JsonObjectOrNull,
      'Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values.',
      { team: 'water' },
    ),
  ),
});

export const UserChange = Type.Object({
  metadata: Type.Optional(
    about(
      JsonObjectOrNull,
      'Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values.',
      { team: 'water' },
    ),
  ),
});
export type UserChange = Static<typeof UserChange>;

export const PasswordChange = Type.Object({
  old_password: about(
    Type.String({ minLength: 1, maxLength: 1024 }),
    'Password so far.',
    'a long passphrase',
  ),
  password: about(Password, 'New password, of 8 characters at least.', 'a longer passphrase'),
});

export const userOrders = ['id', 'email', 'created_at', 'updated_at'] as const;
export const UsersQuery = listQuery(userOrders, { email: filters.email });
export const UsersSearch = searchBody(userOrders, { email: filters.email });
/** The list is named `Users`, and also `users`, for clients that expect the usual name. */
export const Users = Type.Object({
  ...pageEnvelope,
  Users: about(Type.Array(User), 'Users of the page.'),
  users: about(Type.Array(User), 'The same list under the usual name.'),
});

/** A browser that a user is signed in with. */
export const Session = Type.Object({
  id: about(Uuid, 'Id of the session: a UUID.', '2b7e1516-28ae-4d2a-a6ab-f7158809cf4f'),
  created_at: about(
    Timestamp,
    'When the browser signed in: ISO 8601, UTC, milliseconds.',
    '2026-11-26T08:00:00.000Z',
  ),
  last_used_at: about(
    Timestamp,
    'When a request came with it last, to the minute: ISO 8601, UTC.',
    '2026-11-26T09:30:00.000Z',
  ),
  expires_at: about(
    Timestamp,
    'When it ends by itself: ISO 8601, UTC, milliseconds.',
    '2026-11-26T18:00:00.000Z',
  ),
  address: about(Type.String(), 'Network address of that last request.', '192.0.2.7'),
  user_agent: about(
    Type.String(),
    'What the browser called itself when it signed in; at most 512 characters.',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ),
  current: about(Type.Boolean(), 'Whether it is the session of this request.', true),
});
export type Session = Static<typeof Session>;

export const sessionOrders = ['id', 'created_at', 'last_used_at'] as const;
export const SessionsQuery = Type.Omit(listQuery(sessionOrders, {}), ['metadata']);
export const Sessions = Type.Object({
  ...pageEnvelope,
  sessions: about(Type.Array(Session), 'Sessions of the page: those that have not ended.'),
});
