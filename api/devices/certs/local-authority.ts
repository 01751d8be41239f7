import { randomBytes, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../../infra/runtime/process/config.ts';
import { writePrivateFile } from '../../../infra/runtime/process/files.ts';
import { type Authority, type GivenAuthority, readAuthority } from './authority.ts';
import {
  BasicConstraintsExtension,
  createSerial,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from './x509.ts';

const years = 10;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * The authority of the settings, otherwise the one in `DATA_DIR`, which is made if it is not there.
 *
 * @throws ConfigError naming the setting or the file that is wrong.
 */
export async function openAuthority(
  dataDir: string,
  given: GivenAuthority | undefined,
): Promise<Authority> {
  if (given !== undefined) return readAuthority(given);
  const directory = await ensureLocalAuthority(dataDir);
  const certificate = join(directory, 'certificate.pem');
  const key = join(directory, 'key.pem');
  return readAuthority({ certificate, key: new Secret(key) }, certificate, key);
}

/**
 * The folder of the authority's files in `DATA_DIR`, made if it is not there. One rename makes all files appear
 * together: of two processes that start at once, the later one takes the other's files.
 */
async function ensureLocalAuthority(dataDir: string): Promise<string> {
  const directory = join(dataDir, 'ca');
  if (!existsSync(directory)) await make(dataDir, directory);
  return directory;
}

async function make(dataDir: string, directory: string): Promise<void> {
  const { certificate, key } = await createAuthority();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(join(dataDir, 'ca-'));
  try {
    writePrivateFile(join(draft, 'certificate.pem'), certificate);
    writePrivateFile(join(draft, 'key.pem'), key.reveal());
    renameSync(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(directory)) throw error;
  }
}

/** A self-signed authority that signs leaves and nothing between. */
export async function createAuthority(): Promise<GivenAuthority> {
  const { subtle } = webcrypto;
  const keys = await subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const notBefore = new Date();
  notBefore.setUTCMilliseconds(0);
  const notAfter = new Date(notBefore);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + years);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: createSerial(),
    // The number distinguishes the authorities of several installations.
    name: [{ O: ['Millrace'] }, { CN: [`Millrace CA ${randomBytes(4).toString('hex')}`] }],
    notBefore,
    notAfter,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = await subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: new Secret(`${PemConverter.encode(key, 'PRIVATE KEY')}\n`),
  };
}
