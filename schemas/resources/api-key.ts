import { type Static, Type } from 'typebox';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { listQuery, pageEnvelope } from '../http/page.ts';

/** The one type there is: a key that stands for its issuer. */
export const apiKeyType = 2;
const ApiKeyType = Type.Unsafe<typeof apiKeyType>({ type: 'integer', enum: [apiKeyType] });

/** A hundred years: a time beyond the year 9999 is one that clients can't read. */
const durationMax = 3_155_760_000 * 1e9;

/** From here on a duration is taken as nanoseconds, as clients in Go send it: in seconds it would be 31 years. */
const nanosecondsFrom = 1e9;

/** The seconds of a key's `duration`; 0 for one that never ends. */
export function secondsOfDuration(duration: number): number {
  return duration >= nanosecondsFrom ? duration / 1e9 : duration;
}

/** `expires_at` is absent if the key never expires. */
const lifetime = {
  issued_at: about(
    Timestamp,
    'When it was issued: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
  expires_at: Type.Optional(
    about(
      Timestamp,
      'When it ends: ISO 8601, UTC, milliseconds. Absent: never.',
      '2026-11-28T10:00:00.000Z',
    ),
  ),
};

export const ApiKey = Type.Object({
  id: about(Uuid, 'Id of the key: a UUID.', '1d2e3f4a-5b6c-4d7e-8f90-a1b2c3d4e5f6'),
  issuer_id: about(
    Uuid,
    'Id of the user who issued it, and whose rights it has.',
    '0b0a4f0e-6b1a-4c56-9a3e-2f6f1c1f7a10',
  ),
  subject: about(Type.String(), 'E-mail of the issuer.', 'ada@example.com'),
  type: about(ApiKeyType, 'Type of the key: always 2.', 2),
  ...lifetime,
});
export type ApiKey = Static<typeof ApiKey>;

/** The value is in this answer only. */
export const IssuedApiKey = Type.Object({
  id: about(Uuid, 'Id of the key: a UUID.', '1d2e3f4a-5b6c-4d7e-8f90-a1b2c3d4e5f6'),
  value: about(
    Type.String(),
    'The key itself, for `Authorization: Bearer`. It is shown here, and never again.',
    'mk_3f6c1d5e8a9b',
  ),
  ...lifetime,
});

/** `duration` is in seconds, and from 10^9 on in nanoseconds; absent or 0, the key never expires. */
export const NewApiKey = Type.Object({
  type: about(ApiKeyType, 'Type of the key: always 2.', 2),
  duration: Type.Optional(
    about(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 0,
        maximum: durationMax,
      }),
      'Seconds until it ends. Absent or 0: never. From 1,000,000,000 on: nanoseconds, as clients of the platform send them.',
      86400,
    ),
  ),
});

export const apiKeyOrders = ['id', 'issued_at', 'expires_at'] as const;
export const ApiKeysQuery = Type.Omit(listQuery(apiKeyOrders, {}), ['metadata']);
export const ApiKeys = Type.Object({
  ...pageEnvelope,
  keys: about(Type.Array(ApiKey), 'Keys of the page.'),
});
