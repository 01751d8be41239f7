import { Credential } from '../../auth/credential.ts';
import { credentialOfHeader } from '../http/authorization.ts';

/**
 * The credential of a write, in the forms of InfluxDB's clients: `u` and `p` of the query, Basic, `Token <key>` or
 * `Token <user>:<key>`; and ours. The key is the password. The user says which key it is: `external`, or else the
 * thing's own.
 */
export function credentialOfWrite(
  authorization: string,
  user: string,
  password: string,
): Credential | undefined {
  if (password !== '') return named(user, password);
  if (authorization === '') return undefined;
  // To match the pattern takes as long as a line.
  if (authorization.startsWith('Thing ')) return credentialOfHeader(authorization);
  const [, scheme = '', value = ''] = /^(basic|token) +(\S.*)$/i.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic':
      return userAndKey(Buffer.from(value, 'base64').toString());
    case 'token':
      return value.includes(':') ? userAndKey(value) : new Credential('internal', value);
    default:
      return credentialOfHeader(authorization);
  }
}

/** A key may have colons. */
function userAndKey(text: string): Credential {
  const colon = text.indexOf(':');
  return named(text.slice(0, Math.max(colon, 0)), text.slice(colon + 1));
}

const named = (user: string, key: string): Credential =>
  new Credential(user === 'external' ? 'external' : 'internal', key);
