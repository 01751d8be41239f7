import { hash } from 'node:crypto';
import type { KeyKind } from '../../infra/runtime/process/secrets.ts';

/** A thing's own key, the one that its owner chose, or a client certificate. */
export type CredentialKind = KeyKind | 'certificate';

/**
 * A thing authenticates with it, however it came. A certificate is known by its SHA-256 in hex, which Postgres has for
 * each one that was issued and is not revoked. So a certificate that another authority signed, or ours without a row in
 * Postgres, names no thing.
 */
export type Credential = { readonly kind: CredentialKind; readonly key: string };

/** None came: no key is empty, so it names no thing. */
export const noCredential: Credential = { kind: 'internal', key: '' };

/** Whoever ended the TLS connection has checked that the client holds the private key. */
export function credentialOfDer(certificate: Buffer): Credential {
  return { kind: 'certificate', key: hash('sha256', certificate, 'hex') };
}

/** Undefined: there is no certificate in it. */
export function credentialOfPem(pem: string): Credential | undefined {
  const body = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(
    pem,
  );
  return body?.[1] === undefined ? undefined : credentialOfDer(Buffer.from(body[1], 'base64'));
}
