import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from './common.ts';
import { listQuery, pageEnvelope } from './page.ts';

/** The one type there is: a key that stands for its issuer. */
export const apiKeyType = 2;
const ApiKeyType = Type.Unsafe<typeof apiKeyType>({ type: 'integer', enum: [apiKeyType] });

/** A hundred years: a time beyond the year 9999 is one that clients can't read. */
const durationMax = 3_155_760_000 * 1e9;

/** From here on a duration is in nanoseconds, as clients in Go write them: in seconds it were 31 years. */
const nanosecondsFrom = 1e9;

/** The seconds of a key's `duration`; 0 for one that never ends. */
export function secondsOfDuration(duration: number): number {
  return duration >= nanosecondsFrom ? duration / 1e9 : duration;
}

/** `expires_at` is absent where it never does. */
const lifetime = { issued_at: Timestamp, expires_at: Type.Optional(Timestamp) };

export const ApiKey = Type.Object({
  id: Uuid,
  issuer_id: Uuid,
  subject: Type.String(),
  type: ApiKeyType,
  ...lifetime,
});
export type ApiKey = Static<typeof ApiKey>;

/** The value shows here, and never again. */
export const IssuedApiKey = Type.Object({ id: Uuid, value: Type.String(), ...lifetime });

/** `duration` is in seconds, and from 10^9 on in nanoseconds; absent or 0, the key never expires. */
export const NewApiKey = Type.Object({
  type: ApiKeyType,
  duration: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 0,
      maximum: durationMax,
    }),
  ),
});

export const apiKeyOrders = ['id', 'issued_at', 'expires_at'] as const;
export const ApiKeysQuery = Type.Omit(listQuery(apiKeyOrders, {}), ['metadata']);
export const ApiKeys = Type.Object({ ...pageEnvelope, keys: Type.Array(ApiKey) });
