import { type ErrorCode, errorTable } from '../../../schemas/http/errors.ts';
import type { Refusal } from '../../intake/refusal.ts';
import { type ReasonCode, reasons } from './wire/reasons.ts';

/** Whether the same message may be taken later. */
export const isForNow = ({ retrySeconds }: Refusal): boolean => retrySeconds !== undefined;

/** Reason codes of PUBACK and PUBREC for messages that are never taken as they are; all others are of no known kind. */
const ofMessages: Partial<Record<ErrorCode, ReasonCode>> = {
  malformed: reasons.payloadFormatInvalid,
  unsupported_type: reasons.payloadFormatInvalid,
  too_large: reasons.payloadFormatInvalid,
  forbidden: reasons.notAuthorized,
  // Of a command: who may not know of a thing is told no more.
  not_found: reasons.notAuthorized,
};

/** The reason code of PUBACK and PUBREC for a message that is refused. */
export function reasonOfMessage(refusal: Refusal): ReasonCode {
  if (isForNow(refusal)) return reasons.quotaExceeded;
  return ofMessages[refusal.code] ?? reasonOfStatus(refusal);
}

/** Reason codes of CONNACK. */
const ofConnects: Partial<Record<ErrorCode, ReasonCode>> = {
  credential_unknown: reasons.badUserNameOrPassword,
  credential_missing: reasons.badUserNameOrPassword,
  credential_malformed: reasons.badUserNameOrPassword,
  too_many: reasons.quotaExceeded,
  unavailable: reasons.serverUnavailable,
};

/** The reason code of CONNACK for a client that may not connect. */
export const reasonOfConnect = (refusal: Refusal): ReasonCode =>
  ofConnects[refusal.code] ?? reasonOfStatus(refusal);

const reasonOfStatus = ({ code }: Refusal): ReasonCode =>
  errorTable[code].status === 401 ? reasons.notAuthorized : reasons.unspecifiedError;

/** A refusal in words. */
export function wordsOf({ code, detail }: Refusal): string {
  const { phrase } = errorTable[code];
  // The reason code says already that it is malformed.
  if (detail !== undefined && code === 'malformed') return detail;
  return detail === undefined ? phrase : `${phrase}: ${detail}`;
}
