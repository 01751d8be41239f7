import { type ErrorCode, errorTable } from './errors.ts';

/**
 * The schemes of `Authorization`: a user's token or API key, a thing's key, its external key; and, for programs that
 * know user names and passwords alone, a token or API key as the password.
 */
export type Scheme = 'Bearer' | 'Thing' | 'External' | 'Basic';

/** A credential was sent, and is not accepted. */
const shown: ReadonlySet<ErrorCode> = new Set([
  'credential_malformed',
  'credential_unknown',
  'credential_expired',
  'credential_revoked',
  'credential_unsuitable',
]);

/**
 * `WWW-Authenticate` of a 401 (RFC 9110 §11.6.1): what would do, and of a credential that was shown, what is
 * wrong with it, in the terms of RFC 6750 §3.
 */
export function challenges(schemes: readonly Scheme[], code: ErrorCode): string {
  const why = shown.has(code)
    ? `, error="invalid_token", error_description="${errorTable[code].means}"`
    : '';
  // RFC 7617: no scheme but Basic has a charset, and Basic has no other parameter.
  return schemes
    .map((scheme) => `${scheme} realm="millrace"${scheme === 'Basic' ? ', charset="UTF-8"' : why}`)
    .join(', ');
}
