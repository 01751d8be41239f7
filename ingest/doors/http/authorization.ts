import { Credential, noCredential } from '../../auth/credential.ts';

const usualScheme = 'Thing ';
const space = 0x20;

/**
 * The credential in an `Authorization` header, `Thing <key>` or `External <external_key>`, the scheme in any case (RFC
 * 9110 §11.1). `noCredential`: it has none of them.
 */
export function credentialOfHeader(header: string): Credential {
  // As nearly all devices write it: a pattern costs ten times as much (benchmark: micro).
  const { length } = usualScheme;
  if (
    header.startsWith(usualScheme) &&
    header.length > length &&
    header.charCodeAt(length) !== space
  ) {
    return new Credential('internal', header, length);
  }
  const match = /^(thing|external) +(\S.*)$/i.exec(header);
  if (match?.[1] === undefined || match[2] === undefined) return noCredential;
  const isThing = match[1].toLowerCase() === 'thing';
  return new Credential(isThing ? 'internal' : 'external', match[2]);
}
