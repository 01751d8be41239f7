import type { RateLeft } from './rate-limit.ts';

/**
 * Every error a client can meet: its code, which clients get and which stays as it is; its HTTP status; its
 * phrase, which clients of the platform already match on; and what it means. The domain names a code; only
 * the HTTP borders read the status.
 */
export const errorTable = {
  malformed: {
    status: 400,
    phrase: 'malformed entity specification',
    means: 'the request is not as it must be; `error` names the place',
  },
  credential_missing: {
    status: 401,
    phrase: 'failed to perform authentication over the entity',
    means: 'the request has no credential',
  },
  credential_malformed: {
    status: 401,
    phrase: 'failed to perform authentication over the entity',
    means: 'the credential can not be read',
  },
  credential_unknown: {
    status: 401,
    phrase: 'failed to perform authentication over the entity',
    means: 'the credential belongs to nobody: it never did, or what it belonged to is gone',
  },
  credential_expired: {
    status: 401,
    phrase: 'failed to perform authentication over the entity',
    means: 'the credential was right, and its time is over',
  },
  credential_revoked: {
    status: 401,
    phrase: 'failed to perform authentication over the entity',
    means: 'the credential was right, and was revoked, or ended by a change of password',
  },
  credential_unsuitable: {
    status: 401,
    phrase: 'failed to perform authentication over the entity',
    means: 'the operation takes no credential of this kind',
  },
  login_failed: {
    status: 401,
    phrase: 'failed to perform authentication over the entity',
    means: 'the e-mail and the password do not belong together',
  },
  forbidden: {
    status: 403,
    phrase: 'failed to perform authorization over the entity',
    means: 'the caller is known and may not do this; `error` names the role that is needed',
  },
  not_found: {
    status: 404,
    phrase: 'entity not found',
    means: 'there is no such thing; `error` names its kind',
  },
  method_not_allowed: {
    status: 405,
    phrase: 'method not allowed',
    means: 'the path takes other methods; `Allow` lists them',
  },
  conflict: {
    status: 409,
    phrase: 'entity already exists',
    means: 'it exists already, or its state does not allow this; `error` tells which',
  },
  too_large: {
    status: 413,
    phrase: 'request entity too large',
    means: 'the body is over the limit',
  },
  unsupported_type: {
    status: 415,
    phrase: 'unsupported content type',
    means: 'the body is of a type that the route does not take',
  },
  too_many: {
    status: 429,
    phrase: 'too many requests',
    means: 'more than the caller’s share or rate; wait for `Retry-After` seconds',
  },
  internal: {
    status: 500,
    phrase: 'internal error',
    means: 'a fault of the service; its log has the `request_id`',
  },
  unavailable: {
    status: 503,
    phrase: 'service unavailable',
    means: 'something it needs is away; wait for `Retry-After` seconds',
  },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** Why a request's credential is not accepted. */
export type CredentialProblem = Extract<ErrorCode, `credential_${string}`>;

export const errorCodes: readonly ErrorCode[] = Object.keys(errorTable).filter(isErrorCode);

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** The body of every failure, from every process. */
export type ErrorBody = { error: string; code: ErrorCode; request_id: string };

/** `detail` says what is wrong and where. */
export function errorBody(
  code: ErrorCode,
  detail: string | undefined,
  requestId: string,
): ErrorBody {
  return { error: errorText(code, detail), code, request_id: requestId };
}

function errorText(code: ErrorCode, detail: string | undefined): string {
  const { phrase } = errorTable[code];
  return detail === undefined ? phrase : `${phrase}: ${detail}`;
}

/** A failure the domain can name. Mapped to HTTP once, at the border. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The rest of the limits that the request counted for. */
  readonly left: readonly RateLeft[];

  constructor(
    code: ErrorCode,
    detail?: string,
    retryAfterSeconds?: number,
    left: readonly RateLeft[] = [],
  ) {
    super(errorText(code, detail));
    this.code = code;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
    this.left = left;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}
