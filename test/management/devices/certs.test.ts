import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IssuedCertificate } from '../../../schemas/resources/certificate.ts';
import { OpenSsl } from '../../support/services/openssl.ts';
import { system } from '../../support/system.ts';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
} from '../../support/api/people.ts';

let admin: string;
let people: People;
let estate: Estate;
const openSsl = new OpenSsl();

beforeAll(async () => {
  admin = await loginAdmin();
  people = new People();
  estate = await createEstate(admin);
});

afterAll(async () => {
  await people.close();
  openSsl.close();
});

const hourMs = 3_600_000;
const small = { ttl: '1h', key_type: 'ecdsa', key_bits: 256 };

async function issue(body: object = small, thingId = estate.thingId): Promise<IssuedCertificate> {
  const answer = await call('POST', '/certs', { as: admin, body: { thing_id: thingId, ...body } });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return Value.Parse(IssuedCertificate, json(answer));
}

async function revoke(serial: string): Promise<string> {
  const answer = await call('DELETE', `/certs/${serial}`, { as: admin });
  expect(answer.status).toBe(200);
  return textAt(answer, 'revocation_time');
}

/** The revocation list as OpenSSL reads it. */
async function crlText(): Promise<string> {
  const { text } = await call('GET', '/crl', { headers: { accept: 'application/x-pem-file' } });
  return openSsl.run('crl', '-in', openSsl.file('list.pem', text), '-noout', '-text');
}

const crlNumber = (text: string) => Number(/X509v3 CRL Number:\s+(\d+)/.exec(text)?.[1]);

/** How OpenSSL verifies a certificate, with the revocation list of now. */
async function verifying(issued: IssuedCertificate): Promise<string[]> {
  const { text } = await call('GET', '/crl', { headers: { accept: 'application/x-pem-file' } });
  const ca = openSsl.file('ca.pem', issued.ca_chain.join(''));
  const crl = openSsl.file('crl.pem', text);
  const leaf = openSsl.file('leaf.pem', issued.certificate);
  const strict = ['-x509_strict', '-crl_check', '-purpose', 'sslclient'];
  return ['verify', ...strict, '-CAfile', ca, '-CRLfile', crl, leaf];
}

function about(certificate: string, ...what: string[]): string {
  const path = openSsl.file('about.pem', certificate);
  return openSsl.run('x509', '-in', path, '-noout', ...what);
}

/** What must not change in another key. */
const publicKeyOf = (certificate: string) => about(certificate, '-pubkey');

describe('issuing', () => {
  it.each([
    ['rsa', 2048, 'rsa', /Public-Key: \(2048 bit\)/],
    ['rsa', 4096, 'rsa', /Public-Key: \(4096 bit\)/],
    ['ecdsa', 256, 'ec', /NIST CURVE: P-256/],
    ['ecdsa', 384, 'ec', /NIST CURVE: P-384/],
    ['ecdsa', 521, 'ec', /NIST CURVE: P-521/],
    ['RSA', 2048, 'rsa', /Public-Key: \(2048 bit\)/],
    ['ec', 256, 'ec', /NIST CURVE: P-256/],
    ['EC', 384, 'ec', /NIST CURVE: P-384/],
  ])('a certificate of %s %i that OpenSSL takes', async (key_type, key_bits, type, shown) => {
    const issued = await issue({ ttl: '48h', key_type, key_bits });
    expect(issued).toMatchObject({ private_key_type: type, thing_id: estate.thingId });
    expect(issued.ca_chain[0]).toBe(issued.issuing_ca);
    expect(openSsl.run(...(await verifying(issued)))).toMatch(/: OK/);

    const text = about(issued.certificate, '-text');
    expect(text).toMatch(shown);
    expect(text).toContain(`Subject: CN = ${estate.thingId}`);
    expect(text).toContain(`URI:urn:uuid:${estate.thingId}`);
    expect(text).toContain('TLS Web Client Authentication');
    expect(text).toContain('CA:FALSE');
    expect(text).toMatch(/Subject Key Identifier/);
    expect(text).toMatch(/Authority Key Identifier/);
    const serial = about(issued.certificate, '-serial').trim();
    expect(serial.toLowerCase()).toBe(`serial=${issued.serial}`);
    expect(issued.serial).toMatch(/^01[0-9a-f]{32}$/);
    const end = about(issued.certificate, '-enddate').replace('notAfter=', '');
    expect(new Date(end).toISOString()).toBe(issued.expires_at);
    expect(Math.abs(Date.parse(issued.expires_at) - Date.now() - 48 * hourMs)).toBeLessThan(60_000);

    const key = openSsl.file('leaf.key', issued.private_key);
    expect(openSsl.run('pkey', '-in', key, '-pubout')).toBe(publicKeyOf(issued.certificate));
  });

  it('is RSA of 2,048 bits for a year by default', async () => {
    const issued = await issue({});
    expect(about(issued.certificate, '-text')).toContain('Public-Key: (2048 bit)');
    const ttlMs = Date.parse(issued.expires_at) - Date.now();
    expect(Math.abs(ttlMs - 8_760 * hourMs)).toBeLessThan(60_000);
    const curve = await issue({ key_type: 'ecdsa' });
    expect(about(curve.certificate, '-text')).toContain('P-256');
  });

  it.each([
    ['90m', 1.5],
    ['1h30m', 1.5],
    ['1.5h', 1.5],
    ['5400s', 1.5],
    ['5400000ms', 1.5],
  ])('ends after a ttl of %s', async (ttl, hours) => {
    const { expires_at } = await issue({ ...small, ttl });
    expect(Math.abs(Date.parse(expires_at) - Date.now() - hours * hourMs)).toBeLessThan(60_000);
  });

  it.each([
    [{ ttl: '10x' }, 'ttl'],
    [{ ttl: '' }, 'ttl'],
    [{ ttl: '-1h' }, 'ttl'],
    [{ ttl: '1y' }, 'ttl'],
    [{ ttl: '1h 30m' }, 'ttl'],
    [{ ttl: '1ms' }, 'ttl'],
    [{ ttl: '87700h' }, 'ttl'],
    [{ ttl: `${'9'.repeat(60)}h` }, 'ttl'],
    [{ ttl: 3_600 }, 'ttl'],
    [{ key_type: 'dsa' }, 'key_type'],
    [{ key_type: 'Rsa' }, 'key_type'],
    [{ key_bits: 1_024 }, 'key_bits'],
    [{ key_bits: 256 }, 'key_bits'],
    [{ key_bits: '2048' }, 'key_bits'],
    [{ key_type: 'ecdsa', key_bits: 2_048 }, 'key_bits'],
    [{ key_type: 'ecdsa', key_bits: 224 }, 'key_bits'],
    [{ thing_id: 'thing' }, 'thing_id'],
    [{ thing_id: undefined }, 'thing_id'],
  ])('refuses %j and names the field', async (wrong, field) => {
    const body = { thing_id: estate.thingId, ...small, key_type: undefined, key_bits: undefined };
    const answer = await call('POST', '/certs', { as: admin, body: { ...body, ...wrong } });
    expect(answer.status).toBe(400);
    expect(at(answer, 'error')).toMatch(
      new RegExp(`^malformed entity specification: (body\\.)?${field}`),
    );
  });

  it('does not keep others waiting while a large key is made', async () => {
    const order: string[] = [];
    const large = issue({ key_type: 'rsa', key_bits: 4_096 }).then(() => order.push('large'));
    await call('GET', `/things/${estate.thingId}`, { as: admin });
    order.push('other');
    await large;
    expect(order).toEqual(['other', 'large']);
  });

  it('keeps no private key', async () => {
    const issued = await issue();
    const inside = issued.private_key.split('\n').slice(1, -2).join('');
    const bytes = Buffer.from(inside, 'base64').toString('hex');
    for (const table of ['certificates', 'certificate_authorities']) {
      const rows = await people.rows(`SELECT one::text AS text FROM ${table} AS one`, []);
      const texts = rows.map((row) => String(row['text']).replaceAll(/\s/g, ''));
      expect(texts.filter((text) => text.includes(inside.slice(0, 40)))).toEqual([]);
      expect(texts.filter((text) => text.includes(bytes.slice(0, 40)))).toEqual([]);
      expect(texts.filter((text) => text.includes('PRIVATE'))).toEqual([]);
    }
  });
});

describe('a certificate', () => {
  it('is viewed without its private key, by its serial in either case', async () => {
    const { private_key: _key, private_key_type: _type, ...issued } = await issue();
    const whole = {
      ...issued,
      thing_id: estate.thingId,
      key_type: 'ecdsa',
      key_bits: 256,
      issued_at: expect.stringMatching(/Z$/),
    };
    for (const serial of [issued.serial, issued.serial.toUpperCase()]) {
      const read = await call('GET', `/certs/${serial}`, { as: admin });
      expect([read.status, json(read)]).toEqual([200, whole]);
    }
    const prefixed = await call('GET', `/svccerts/certs/${issued.serial}`, { as: admin });
    expect(prefixed.status).toBe(200);
  });

  it.each(['1', 'x', '01', `02${'0'.repeat(32)}`, randomUUID()])(
    'is not found under the malformed serial %s',
    async (serial) => {
      expect((await call('GET', `/certs/${serial}`, { as: admin })).status).toBe(400);
    },
  );

  it('is renewed by another of the same kind, and stays valid', async () => {
    const old = await issue({ ttl: '36h', key_type: 'ecdsa', key_bits: 384 });
    const answer = await call('PUT', `/certs/${old.serial}`, { as: admin });
    expect(answer.status).toBe(200);
    const renewed = Value.Parse(IssuedCertificate, json(answer));
    expect(renewed.serial).not.toBe(old.serial);
    expect(about(renewed.certificate, '-subject')).toBe(about(old.certificate, '-subject'));
    expect(about(renewed.certificate, '-text')).toContain('P-384');
    expect(publicKeyOf(renewed.certificate)).not.toBe(publicKeyOf(old.certificate));
    const ttlMs = Date.parse(renewed.expires_at) - Date.now();
    expect(Math.abs(ttlMs - 36 * hourMs)).toBeLessThan(60_000);
    expect(openSsl.run(...(await verifying(renewed)))).toMatch(/: OK/);
    expect(openSsl.run(...(await verifying(old)))).toMatch(/: OK/);
  });

  it('is revoked once, for good', async () => {
    const issued = await issue();
    const revokedAt = await revoke(issued.serial);
    expect(await revoke(issued.serial)).toBe(revokedAt);
    const read = await call('GET', `/certs/${issued.serial}`, { as: admin });
    expect(at(read, 'revocation_time')).toBe(revokedAt);
    const renewal = await call('PUT', `/certs/${issued.serial}`, { as: admin });
    expect([renewal.status, at(renewal, 'error')]).toEqual([
      409,
      expect.stringContaining('revoked'),
    ]);
  });

  it('is listed by its thing until it is revoked', async () => {
    const [thing] = await createThings(admin, estate.profileId, [
      { name: randomUUID(), type: 'device' },
    ]);
    const path = `/things/${thing?.id}/serials`;
    const none = await call('GET', path, { as: admin });
    expect(json(none)).toEqual({ total: 0, offset: 0, limit: 10, certs: [] });

    const issued = [];
    for (let i = 0; i < 3; i += 1) {
      issued.push(await issue({ ...small, ttl: `${i + 1}h` }, thing?.id));
    }
    const query = '?order=expires_at&dir=asc&limit=2';
    expect(json(await call('GET', path + query, { as: admin }))).toEqual({
      total: 3,
      offset: 0,
      limit: 2,
      order: 'expires_at',
      dir: 'asc',
      certs: issued.slice(0, 2).map(({ serial, expires_at }) => ({
        thing_id: thing?.id,
        cert_serial: serial,
        issued_at: expect.stringMatching(/Z$/),
        expires_at,
      })),
    });
    await revoke(issued[0]?.serial ?? '');
    const left = await call('GET', `${path}?order=expires_at&dir=asc`, { as: admin });
    expect([at(left, 'total'), at(left, 'certs', 0, 'cert_serial')]).toEqual([
      2,
      issued[1]?.serial,
    ]);
  });
});

describe('the revocation list', () => {
  it('is signed by the CA, and public', async () => {
    const { issuing_ca } = await issue();
    const ca = openSsl.file('ca.pem', issuing_ca);
    const der = await fetch(`${system().apiUrl}/crl`);
    expect([der.status, der.headers.get('content-type')]).toEqual([200, 'application/pkix-crl']);
    const bytes = openSsl.file('list.der', Buffer.from(await der.arrayBuffer()));
    const pem = await call('GET', '/crl', { headers: { accept: 'application/x-pem-file' } });
    expect(pem.headers['content-type']).toMatch('application/x-pem-file');
    const list = openSsl.file('list.pem', pem.text);
    expect(openSsl.run('crl', '-inform', 'DER', '-in', bytes)).toBe(pem.text);
    expect(openSsl.said('crl', '-in', list, '-noout', '-CAfile', ca)).toContain('verify OK');
    const text = await crlText();
    expect(text).toContain('Version 2');
    expect(text).toMatch(/Authority Key Identifier/);
    const [last, next] = ['Last', 'Next'].map((name) =>
      Date.parse(new RegExp(`${name} Update: (.*)`).exec(text)?.[1] ?? ''),
    );
    expect(Number(next) - Number(last)).toBe(7 * 24 * hourMs);
  });

  it('has revoked certificates, which OpenSSL refuses', async () => {
    const [revoked, other] = [await issue(), await issue()];
    expect(openSsl.run(...(await verifying(revoked)))).toMatch(/: OK/);
    await revoke(revoked.serial);
    expect(openSsl.complaint(...(await verifying(revoked)))).toContain('certificate revoked');
    expect(openSsl.run(...(await verifying(other)))).toMatch(/: OK/);
    expect(await crlText()).toContain(`Serial Number: ${revoked.serial.toUpperCase()}`);
  });

  it('stays the same until something is revoked, and its number only grows', async () => {
    const issued = await issue();
    const before = await call('GET', '/crl', { headers: { accept: 'application/x-pem-file' } });
    const number = crlNumber(await crlText());
    await issue();
    const again = await call('GET', '/crl', { headers: { accept: 'application/x-pem-file' } });
    expect(again.text).toBe(before.text);
    await revoke(issued.serial);
    const texts = await Promise.all(Array.from({ length: 20 }, crlText));
    expect(new Set(texts.map(crlNumber))).toEqual(new Set([number + 1]));
    await revoke(issued.serial);
    expect(crlNumber(await crlText())).toBe(number + 1);
  });

  it('has every one of many that are revoked at once', async () => {
    const issued = await Promise.all(Array.from({ length: 20 }, () => issue()));
    const lists = issued.map(async ({ serial }) => {
      await revoke(serial);
      const text = await crlText();
      expect(text).toContain(serial.toUpperCase());
    });
    await Promise.all(lists);
    const text = await crlText();
    expect(issued.filter(({ serial }) => !text.includes(serial.toUpperCase()))).toEqual([]);
  });

  it('has the certificates of deleted things', async () => {
    const [thing] = await createThings(admin, estate.profileId, [
      { name: randomUUID(), type: 'device' },
    ]);
    const issued = await issue(small, thing?.id);
    expect((await call('DELETE', `/things/${thing?.id}`, { as: admin })).status).toBe(204);
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      expect((await call(method, `/certs/${issued.serial}`, { as: admin })).status).toBe(404);
    }
    expect(openSsl.complaint(...(await verifying(issued)))).toContain('certificate revoked');
  });

  it('has the certificates of the things of a deleted org', async () => {
    const doomed = await createEstate(admin);
    const issued = await issue(small, doomed.thingId);
    expect((await call('DELETE', `/orgs/${doomed.orgId}`, { as: admin })).status).toBe(204);
    expect(openSsl.complaint(...(await verifying(issued)))).toContain('certificate revoked');
  });
});
