import { type ErrorCode, errorTable } from '../../../schemas/http/errors.ts';
import type { AnswerStyle } from '../http/answer-style.ts';

const challenge = () => 'Basic realm="millrace"';
const textOf = (code: ErrorCode, detail: string | undefined) => detail ?? errorTable[code].means;

/** Errors as version 1 says them; `code` and `request_id` are ours. */
export const version1: AnswerStyle = {
  challenge,
  errorBody: (code, detail, request_id) => ({ error: textOf(code, detail), code, request_id }),
};

/** Errors as version 2 says them; `error` and `request_id` are ours. */
export const version2: AnswerStyle = {
  challenge,
  errorBody(code, detail, request_id) {
    const message = textOf(code, detail);
    return { code: codes[code], message, error: message, request_id };
  },
};

const unauthorized = 'unauthorized';

/** In the words of version 2. */
const codes: Record<ErrorCode, string> = {
  malformed: 'invalid',
  credential_missing: unauthorized,
  credential_malformed: unauthorized,
  credential_unknown: unauthorized,
  credential_expired: unauthorized,
  credential_revoked: unauthorized,
  credential_unsuitable: unauthorized,
  login_failed: unauthorized,
  forbidden: 'forbidden',
  not_found: 'not found',
  method_not_allowed: 'method not allowed',
  conflict: 'conflict',
  too_large: 'request too large',
  unsupported_type: 'invalid',
  too_many: 'too many requests',
  internal: 'internal error',
  unavailable: 'unavailable',
};
