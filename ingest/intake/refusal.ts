import type { ErrorCode } from '../../schemas/http/errors.ts';
import type { RateLeft } from '../../schemas/http/rate-limit.ts';
import { malformed } from '../codecs/rejected.ts';
import { limits } from '../limits.ts';

/** Why a message is not taken: a value, which each door says in its own words. */
export type Refusal = {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly detail?: string | undefined;
  /** After how long it may be sent again. Undefined: it is never taken as it is. */
  readonly retrySeconds?: number | undefined;
  /** Of the limit that it is over, or counts for. */
  readonly left?: RateLeft | undefined;
};

/** Told what became of a message: why it was not taken; undefined: it was. */
export type OnOutcome = (refusal: Refusal | undefined) => void;

export const retrySecondsMin = 1;

/** Something is away, or full for the moment. */
export const unavailable = (detail: string): Refusal => ({
  kind: 'refused',
  code: 'unavailable',
  detail,
  retrySeconds: retrySecondsMin,
});

export const tooMany = (detail: string, retrySeconds: number, left?: RateLeft): Refusal => ({
  kind: 'refused',
  code: 'too_many',
  detail,
  retrySeconds,
  left,
});

export const internal: Refusal = { kind: 'refused', code: 'internal' };
export const diskFailed = unavailable('the disk failed');
export const logHasNoRoom = unavailable('the log has no room');
export const unreadableConfig = malformed(
  `the config of the thing's profile has more than ${limits.configBytesMax} bytes, or there is none`,
);
