import {
  createHash,
  createPrivateKey,
  type KeyObject,
  X509Certificate as NodeCertificate,
  type webcrypto,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, type Secret } from '../../../infra/runtime/process/config.ts';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
} from './x509.ts';

/** An authority from the settings: each member is a PEM text, or the path of a file that holds one. */
export type GivenAuthority = { certificate: string; key: Secret };

/** Signs certificates and revocation lists. */
export type Authority = {
  /** SHA-256 of its certificate. */
  id: Buffer;
  /** PEM: its own certificate, then those above it. */
  chain: string[];
  certificate: X509Certificate;
  /** The name of its key in all that it signs. */
  keyIdentifier: AuthorityKeyIdentifierExtension;
  key: KeyObject;
  /** The key as the library takes it. */
  signingKey: webcrypto.CryptoKey;
};

/** The names stand in errors. @throws ConfigError */
export async function readAuthority(
  { certificate: certificateSource, key: keySource }: GivenAuthority,
  certificateName = 'CERTS_CA_CERT',
  keyName = 'CERTS_CA_KEY',
): Promise<Authority> {
  const chain = readPem(certificateSource, certificateName).match(certificatePattern) ?? [];
  const [first = ''] = chain;
  const certificate = attempt(() => new X509Certificate(first), certificateName, 'no certificate');
  mustBeAuthority(certificate, certificateName);
  const keyText = readPem(keySource.reveal(), keyName);
  const key = attempt(() => createPrivateKey(keyText), keyName, 'no key, or has a password');
  if (!new NodeCertificate(first).checkPrivateKey(key)) {
    throw new ConfigError(`${keyName}: not the key of the certificate`);
  }
  return {
    id: createHash('sha256').update(Buffer.from(certificate.rawData)).digest(),
    chain: chain.map((one) => `${one}\n`),
    certificate,
    keyIdentifier: await keyIdentifierOf(certificate),
    key,
    signingKey: attempt(() => signingKeyOf(key), keyName, 'neither RSA nor P-256, P-384 or P-521'),
  };
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readPem(source: string, name: string): string {
  if (source.includes('-----BEGIN ')) return source;
  try {
    return readFileSync(source, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The error of a parser may hold a part of the key, so it is replaced. */
function attempt<Result>(parse: () => Result, name: string, problem: string): Result {
  try {
    return parse();
  } catch {
    throw new ConfigError(`${name}: ${problem}`);
  }
}

function mustBeAuthority(certificate: X509Certificate, name: string): void {
  if (certificate.getExtension(BasicConstraintsExtension)?.ca !== true) {
    throw new ConfigError(`${name}: not the certificate of an authority`);
  }
  const needed = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign;
  const usages = certificate.getExtension(KeyUsagesExtension)?.usages ?? needed;
  if ((usages & needed) !== needed) {
    throw new ConfigError(`${name}: may not sign certificates and revocation lists`);
  }
  if (certificate.notAfter.getTime() <= Date.now()) throw new ConfigError(`${name}: has expired`);
}

/** The key's name as its own certificate has it: the library might compute another. */
async function keyIdentifierOf(
  certificate: X509Certificate,
): Promise<AuthorityKeyIdentifierExtension> {
  const own = certificate.getExtension(SubjectKeyIdentifierExtension);
  return own === null
    ? AuthorityKeyIdentifierExtension.create(certificate.publicKey)
    : new AuthorityKeyIdentifierExtension(own.keyId);
}

const webCurves: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};

/** @throws for a key of another kind. */
function signingKeyOf(key: KeyObject): webcrypto.CryptoKey {
  const namedCurve = webCurves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  const algorithm =
    namedCurve === undefined
      ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
      : { name: 'ECDSA', namedCurve };
  return key.toCryptoKey(algorithm, false, ['sign']);
}
