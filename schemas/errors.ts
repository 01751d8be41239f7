/**
 * Every error a client can meet: its code, HTTP status and phrase. The phrases are what clients of the
 * platform already match on. The domain names a code; only the two HTTP borders read the status.
 */
export const errorTable = {
  malformed: { status: 400, phrase: 'malformed entity specification' },
  unauthenticated: { status: 401, phrase: 'failed to perform authentication over the entity' },
  forbidden: { status: 403, phrase: 'failed to perform authorization over the entity' },
  not_found: { status: 404, phrase: 'entity not found' },
  method_not_allowed: { status: 405, phrase: 'method not allowed' },
  conflict: { status: 409, phrase: 'entity already exists' },
  too_large: { status: 413, phrase: 'request entity too large' },
  unsupported_type: { status: 415, phrase: 'unsupported content type' },
  too_many: { status: 429, phrase: 'too many requests' },
  internal: { status: 500, phrase: 'internal error' },
  unavailable: { status: 503, phrase: 'service unavailable' },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** The body of every failure, from every process. `detail` says what is wrong and where. */
export function errorBody(code: ErrorCode, detail?: string): { error: string } {
  const { phrase } = errorTable[code];
  return { error: detail === undefined ? phrase : `${phrase}: ${detail}` };
}

/** A failure the domain can name. Mapped to HTTP once, at the border. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, detail?: string, retryAfterSeconds?: number) {
    super(errorBody(code, detail).error);
    this.code = code;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
