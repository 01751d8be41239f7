import { hash } from 'node:crypto';
import { type BlockList, isIPv6 } from 'node:net';

/**
 * A client certificate as a credential. The server that ended the TLS connection has checked that the client holds the
 * private key. Here the certificate is known by its SHA-256, which Postgres has for each one that was issued and is not
 * revoked. So a certificate that another authority signed, or ours without a row in Postgres, names no thing.
 */

/** No header holds a line break, so no client can send such a credential without the certificate. */
const prefix = '\ncertificate ';

function credentialOf(certificate: Buffer): string {
  return prefix + hash('sha256', certificate, 'hex');
}

/** The fingerprint in such a credential, as hex. */
export function fingerprintOf(credential: string): string | undefined {
  return credential.startsWith(prefix) ? credential.slice(prefix.length) : undefined;
}

/** The credential of a certificate in PEM. */
export function credentialOfPem(pem: string): string | undefined {
  const body = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(
    pem,
  );
  return body?.[1] === undefined ? undefined : credentialOf(Buffer.from(body[1], 'base64'));
}

/**
 * Headers in which a proxy passes the certificate on. One is taken: clients could send the one that the proxy does not
 * write.
 */
export const certificateHeaders = ['client-cert', 'x-ssl-client-cert'] as const;
export type CertificateHeader = (typeof certificateHeaders)[number];

/** The headers of a request that may pass a certificate on; '' where one is absent. */
export type CertificateClaim = Readonly<Record<CertificateHeader | 'x-ssl-client-verify', string>>;

/** The proxies that are trusted. */
export class CertificateProxies {
  readonly #trusted: BlockList;
  readonly #header: CertificateHeader;

  constructor(trusted: BlockList, header: CertificateHeader) {
    this.#trusted = trusted;
    this.#header = header;
  }

  /** The credential of the certificate that this peer passes on, if it may and if it does. */
  credential(peer: string, claim: CertificateClaim): string | undefined {
    if (claim[this.#header] === '') return undefined;
    if (!this.#trusted.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4')) return undefined;
    return this.#header === 'client-cert' ? fromClientCert(claim) : fromNginx(claim);
  }
}

/** RFC 9440: DER, as a byte sequence of a structured field. */
function fromClientCert(claim: CertificateClaim): string | undefined {
  const value = /^:([A-Za-z0-9+/]+=*):$/.exec(claim['client-cert'])?.[1];
  return value === undefined ? undefined : credentialOf(Buffer.from(value, 'base64'));
}

/** As nginx writes it: PEM, escaped as in a URL, and whether a known authority signed it. */
function fromNginx(claim: CertificateClaim): string | undefined {
  if (claim['x-ssl-client-verify'] !== 'SUCCESS') return undefined;
  try {
    return credentialOfPem(decodeURIComponent(claim['x-ssl-client-cert']));
  } catch {
    return undefined;
  }
}
