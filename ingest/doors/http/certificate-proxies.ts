import { type BlockList, isIPv6 } from 'node:net';
import { type Credential, credentialOfDer, credentialOfPem } from '../../auth/credential.ts';

/**
 * Headers in which a proxy passes the certificate on. One is taken: clients could send the one that the proxy does not
 * write.
 */
export const certificateHeaders = ['client-cert', 'x-ssl-client-cert'] as const;
type CertificateHeader = (typeof certificateHeaders)[number];

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

  /** Undefined: this peer passes no certificate on, or may not. */
  credential(peer: string, claim: CertificateClaim): Credential | undefined {
    if (claim[this.#header] === '') return undefined;
    if (!this.#trusted.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4')) return undefined;
    return this.#header === 'client-cert' ? fromClientCert(claim) : fromNginx(claim);
  }
}

/** RFC 9440: DER, as a byte sequence of a structured field. */
function fromClientCert(claim: CertificateClaim): Credential | undefined {
  const value = /^:([A-Za-z0-9+/]+=*):$/.exec(claim['client-cert'])?.[1];
  return value === undefined ? undefined : credentialOfDer(Buffer.from(value, 'base64'));
}

/** As nginx writes it: PEM, escaped as in a URL, and whether a known authority signed it. */
function fromNginx(claim: CertificateClaim): Credential | undefined {
  if (claim['x-ssl-client-verify'] !== 'SUCCESS') return undefined;
  try {
    return credentialOfPem(decodeURIComponent(claim['x-ssl-client-cert']));
  } catch {
    return undefined;
  }
}
