import type { Database } from '../../stores/database.ts';
import { createHash } from 'node:crypto';
import type { IssuedCertificate } from '../../../schemas/resources/certificate.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import type { Authority } from './authority.ts';
import { parseDuration } from './duration.ts';
import { createKeyPair, type KeySpec } from './key-pair.ts';
import {
  BasicConstraintsExtension,
  createSerial,
  CRLDistributionPointsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from './x509.ts';
import { insertCertificate } from './sql.ts';

/**
 * When a certificate that is issued now ends. Without a `ttl` it ends with its authority at the latest.
 *
 * @throws DomainError `malformed` naming `ttl`
 */
export function endOf(ttl: string | undefined, { certificate }: Authority): Date {
  const { notAfter } = certificate;
  if (ttl === undefined) return endAfter(limits.certificateSecondsDefault, notAfter);
  const seconds = parseDuration(ttl);
  if (seconds === undefined) {
    throw new DomainError('malformed', 'ttl must be a duration such as 8760h or 1h30m');
  }
  if (seconds < 1) throw new DomainError('malformed', 'ttl must be at least 1s');
  if (Date.now() + seconds * 1_000 > notAfter.getTime()) {
    throw new DomainError('malformed', `ttl must end before ${notAfter.toISOString()}`);
  }
  return endAfter(seconds, notAfter);
}

/** This many seconds from now, or at `latest`, if that is sooner. In whole seconds. */
export function endAfter(seconds: number, latest: Date): Date {
  const end = Math.min(Date.now() + seconds * 1_000, latest.getTime());
  return new Date(Math.floor(end / 1_000) * 1_000);
}

/** Issues a certificate to a thing. The private key is in the answer only; it is not stored. */
export async function issueCertificate(
  { db, authority, crlUrl }: { db: Database; authority: Authority; crlUrl: string | undefined },
  thingId: string,
  spec: KeySpec,
  expiresAt: Date,
): Promise<IssuedCertificate> {
  const keys = await createKeyPair(spec);
  const serial = createSerial();
  const issuedAt = new Date();
  const earliest = authority.certificate.notBefore.getTime();
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial,
    subject: [{ CN: [thingId] }],
    issuer: authority.certificate.subjectName,
    notBefore: new Date(Math.max(issuedAt.getTime() - limits.certificateBackdatedMs, earliest)),
    notAfter: expiresAt,
    publicKey: keys.publicKey,
    signingKey: authority.signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      usagesOf(spec),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([{ type: 'url', value: `urn:uuid:${thingId}` }]),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      authority.keyIdentifier,
      ...(crlUrl === undefined ? [] : [new CRLDistributionPointsExtension([crlUrl])]),
    ],
  });
  const pem = `${certificate.toString('pem')}\n`;
  await insertCertificate(db, {
    serial,
    authorityId: authority.id,
    thingId,
    fingerprint: createHash('sha256').update(Buffer.from(certificate.rawData)).digest(),
    certificate: pem,
    spec,
    issuedAt,
    expiresAt,
  });
  return {
    certificate: pem,
    issuing_ca: authority.chain[0] ?? '',
    ca_chain: authority.chain,
    private_key: keys.privateKey,
    private_key_type: spec.type === 'rsa' ? 'rsa' : 'ec',
    serial,
    thing_id: thingId,
    expires_at: expiresAt.toISOString(),
  };
}

/** TLS without forward secrecy encrypts with an RSA key. */
function usagesOf({ type }: KeySpec): KeyUsagesExtension {
  const { digitalSignature, keyEncipherment } = KeyUsageFlags;
  return type === 'rsa'
    ? new KeyUsagesExtension(digitalSignature | keyEncipherment, true)
    : new KeyUsagesExtension(digitalSignature, true);
}
