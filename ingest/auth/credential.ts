import { hash } from 'node:crypto';
import type { KeyKind } from '../../infra/runtime/process/secrets.ts';

/**
 * A thing's own key, the one that its owner chose, or a client certificate. By its `id` only a gateway names a thing: no
 * sender authenticates so.
 */
export type CredentialKind = KeyKind | 'certificate' | 'id';

/**
 * A thing authenticates with it, however it came. A certificate is known by its SHA-256 in hex, which Postgres has for
 * each one that was issued and is not revoked. So a certificate that another authority signed, or ours without a row in
 * Postgres, names no thing.
 */
export class Credential {
  readonly kind: CredentialKind;
  /** The key is a part of it, from `keyAt` to the end: cutting it out of the header of each message costs (benchmark: packs). */
  readonly text: string;
  readonly keyAt: number;

  /** The text before the key must be ASCII. */
  constructor(kind: CredentialKind, text: string, keyAt = 0) {
    this.kind = kind;
    this.text = text;
    this.keyAt = keyAt;
  }

  get key(): string {
    return this.text.slice(this.keyAt);
  }
}

/** None came: no key is empty, so it names no thing. */
export const noCredential = new Credential('internal', '');

/** Whoever ended the TLS connection has checked that the client holds the private key. */
export function credentialOfDer(certificate: Buffer): Credential {
  return new Credential('certificate', hash('sha256', certificate, 'hex'));
}

/** Undefined: there is no certificate in it. */
export function credentialOfPem(pem: string): Credential | undefined {
  const body = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(
    pem,
  );
  return body?.[1] === undefined ? undefined : credentialOfDer(Buffer.from(body[1], 'base64'));
}
