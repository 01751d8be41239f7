import { webcrypto } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAuthority } from '../../../api/devices/certs/local-authority.ts';
import { endOf, issueCertificate } from '../../../api/devices/certs/issue.ts';
import { createKeyPair } from '../../../api/devices/certs/key-pair.ts';
import {
  BasicConstraintsExtension,
  X509CertificateGenerator,
} from '../../../api/devices/certs/x509.ts';
import { readApiConfig } from '../../../api/config.ts';
import { limits } from '../../../api/limits.ts';
import { Secret } from '../../../infra/runtime/process/config.ts';
import { OpenSsl } from '../../support/services/openssl.ts';

const openSsl = new OpenSsl();
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
});

afterEach(() => rmSync(dataDir, { recursive: true }));
afterAll(() => openSsl.close());

const given = (certificate: string, key: string) => ({ certificate, key: new Secret(key) });

const thingId = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

/** What an authority signs, without a database that keeps it. */
async function issueBy(authority: Awaited<ReturnType<typeof openAuthority>>, ttl?: string) {
  const unused = () => Promise.reject(new Error('unused'));
  const db = { rows: unused, change: async () => [], search: unused, transaction: unused };
  const parts = { db, authority, crlUrl: 'https://example.com/crl' };
  return issueCertificate(parts, thingId, { type: 'ecdsa', bits: 256 }, endOf(ttl, authority));
}

/** The certificate of an authority that ended yesterday; OpenSSL makes none. */
async function endedAuthority(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=ended',
    notBefore: new Date(Date.now() - 48 * 3_600_000),
    notAfter: new Date(Date.now() - 24 * 3_600_000),
    signingAlgorithm: algorithm,
    keys: await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  });
  return certificate.toString('pem');
}

describe('the local CA', () => {
  it('is a CA for ten years, and signs leaf certificates only', async () => {
    await openAuthority(dataDir, undefined);
    const path = join(dataDir, 'ca/certificate.pem');
    const text = openSsl.run('x509', '-in', path, '-noout', '-text');
    expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
    expect(text).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign/);
    expect(text).toMatch(/Subject Key Identifier/);
    const dates = openSsl.run('x509', '-in', path, '-noout', '-dates');
    const [from, to] = [...dates.matchAll(/=(.*)/g)].map((match) => new Date(match[1] ?? ''));
    expect(Number(to?.getUTCFullYear()) - Number(from?.getUTCFullYear())).toBe(10);
  });

  it('is made once, even when many processes start together', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => openAuthority(dataDir, undefined)),
    );
    const later = await openAuthority(dataDir, undefined);
    expect(new Set([...all, later].map(({ id }) => id.toString('hex'))).size).toBe(1);
    expect(readdirSync(dataDir)).toEqual(['ca']);
  });

  it('has a key that only its owner can read', async () => {
    await openAuthority(dataDir, undefined);
    expect(statSync(join(dataDir, 'ca')).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'ca/key.pem')).mode & 0o777).toBe(0o600);
  });

  it('names the address of the revocation list, if it is known', async () => {
    const issued = await issueBy(await openAuthority(dataDir, undefined));
    const path = openSsl.file('leaf.pem', issued.certificate);
    const text = openSsl.run('x509', '-in', path, '-noout', '-text');
    expect(text).toMatch(/CRL Distribution Points:\s+Full Name:\s+URI:https:\/\/example.com\/crl/);
  });
});

describe('a configured CA', () => {
  it.each([
    ['RSA', ['rsa:2048']],
    ['P-384', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
    ['P-521', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521']],
  ])('signs with %s, by file or by text', async (_, kind) => {
    const { certificate, key } = openSsl.selfSigned('given', { kind });
    const authority = await openAuthority(dataDir, given(certificate, key));
    const issued = await issueBy(authority, '24h');
    const leaf = openSsl.file('leaf.pem', issued.certificate);
    expect(openSsl.run('verify', '-x509_strict', '-CAfile', certificate, leaf)).toMatch(/: OK/);

    const texts = given(authority.chain.join(''), openSsl.run('pkey', '-in', key));
    expect((await openAuthority(dataDir, texts)).id).toEqual(authority.id);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('may be an intermediate: its certificates come with the chain', async () => {
    const root = openSsl.selfSigned('root');
    const middle = openSsl.selfSigned('middle', {
      more: ['-CA', root.certificate, '-CAkey', root.key],
    });
    const both =
      openSsl.run('x509', '-in', middle.certificate) + openSsl.run('x509', '-in', root.certificate);
    const certificate = openSsl.file('both.pem', both);
    const issued = await issueBy(
      await openAuthority(dataDir, given(certificate, middle.key)),
      '1h',
    );
    expect(issued.ca_chain.map((one) => one.trim())).toEqual(both.trim().split(/\n(?=-----BEGIN)/));
    const leaf = openSsl.file('leaf.pem', issued.certificate);
    const chain = ['-CAfile', root.certificate, '-untrusted', middle.certificate];
    expect(openSsl.run('verify', '-x509_strict', ...chain, leaf)).toMatch(/: OK/);
  });

  it('limits its certificates to its own validity, by default and for any ttl', async () => {
    const { certificate, key } = openSsl.selfSigned('short');
    const authority = await openAuthority(dataDir, given(certificate, key));
    const { expires_at } = await issueBy(authority);
    expect(expires_at).toBe(authority.certificate.notAfter.toISOString());
    await expect(issueBy(authority, '721h')).rejects.toThrow(/ttl must end before/);
  });

  it('is refused with the name of the wrong setting', async () => {
    const good = openSsl.selfSigned('good');
    const other = openSsl.selfSigned('other');
    const leaf = openSsl.selfSigned('leaf', { extensions: ['basicConstraints=CA:FALSE'] });
    const usage = openSsl.selfSigned('usage', {
      extensions: ['basicConstraints=CA:TRUE', 'keyUsage=digitalSignature'],
    });
    const ended = await endedAuthority();
    const locked = join(openSsl.directory, 'locked.key');
    openSsl.run('pkey', '-in', good.key, '-aes256', '-passout', 'pass:x', '-out', locked);
    const rubbish = openSsl.file('rubbish', 'rubbish');
    const refusal = (certificate: string, key: string) =>
      openAuthority(dataDir, given(certificate, key)).then(String, String);

    expect(await refusal('/nowhere', good.key)).toMatch(/CERTS_CA_CERT: .*\/nowhere/);
    expect(await refusal(rubbish, good.key)).toMatch(/CERTS_CA_CERT: no certificate/);
    expect(await refusal(good.key, good.key)).toMatch(/CERTS_CA_CERT: no certificate/);
    expect(await refusal(leaf.certificate, leaf.key)).toMatch(/CERTS_CA_CERT: not the certificate/);
    expect(await refusal(usage.certificate, usage.key)).toMatch(/CERTS_CA_CERT: may not sign/);
    expect(await refusal(ended, good.key)).toMatch(/CERTS_CA_CERT: has expired/);
    expect(await refusal(good.certificate, '/nowhere')).toMatch(/CERTS_CA_KEY: .*\/nowhere/);
    expect(await refusal(good.certificate, rubbish)).toMatch(/CERTS_CA_KEY: no key/);
    expect(await refusal(good.certificate, locked)).toMatch(
      /CERTS_CA_KEY: no key, or has a password/,
    );
    expect(await refusal(good.certificate, other.key)).toMatch(/CERTS_CA_KEY: not the key/);
  });

  it('needs a certificate and its key', () => {
    const env = {
      INGEST_URL: 'http://127.0.0.1:1',
      DATABASE_URL: 'postgres://127.0.0.1',
      REDIS_URL: 'redis://127.0.0.1',
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      JWT_SECRET: 'a secret of some length',
      SECRET_KEY: 'a secret of some length',
    };
    for (const name of ['CERTS_CA_CERT', 'CERTS_CA_KEY']) {
      expect(() => readApiConfig({ ...env, [name]: '/somewhere' })).toThrow(
        /CERTS_CA_CERT, CERTS_CA_KEY/,
      );
    }
    const config = readApiConfig({ ...env, PUBLIC_URL: 'https://example.com/' });
    expect(config).toMatchObject({ authority: undefined, crlUrl: 'https://example.com/crl' });
    expect(readApiConfig(env).crlUrl).toBeUndefined();
  });
});

describe('keys that are made', () => {
  it('have a limit: above it requests wait, and then get 429 or 503 with Retry-After', async () => {
    const most = limits.certificatesAtOnce + limits.certificatesWaitingMax;
    const wanted = Array.from({ length: most + 3 }, () =>
      createKeyPair({ type: 'ecdsa', bits: 256 }),
    );
    const made = await Promise.allSettled(wanted);
    const refused = made.filter((one) => one.status === 'rejected');
    expect(refused.map(({ reason }) => [reason.code, reason.retryAfterSeconds])).toEqual(
      Array.from({ length: 3 }, () => ['too_many', 1]),
    );
    expect((await createKeyPair({ type: 'ecdsa', bits: 256 })).privateKey).toContain(
      'EC PRIVATE KEY',
    );
  });
});
