import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createEstate, type Estate, loginAdmin } from '../support/api/people.ts';
import { system } from '../support/system.ts';
import { doneHere, doneJsonHere } from './running/here.ts';
import { type Home, run } from './running/millrace.ts';

let home: Home;
let estate: Estate;
let token: string;

beforeAll(async () => {
  const as = await loginAdmin();
  token = as.replace('Bearer ', '');
  home = { dir: inject('systemDataDir'), url: system().apiUrl };
  estate = await createEstate(as);
});

describe('certificates', () => {
  it('are issued, shown, listed, renewed and revoked, as the platform’s client does', async () => {
    const issue = ['certs', 'issue', estate.thingId, token];
    const issued = Object(await doneJsonHere(home, [...issue, '--keytype=ec', '--ttl=48']));
    expect(new X509Certificate(issued.certificate).publicKey.asymmetricKeyType).toBe('ec');
    expect(issued.private_key).toContain('PRIVATE KEY');
    const hours = (Date.parse(issued.expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(47);
    expect(hours).toBeLessThan(49);

    const { serial } = issued;
    const shown = await doneJsonHere(home, ['certs', 'get', serial, token]);
    expect(shown).toMatchObject({ serial, certificate: issued.certificate });
    expect(shown).not.toHaveProperty('private_key');
    expect(await doneJsonHere(home, ['certs', 'serials', estate.thingId, token])).toMatchObject({
      total: 1,
      certs: [{ thing_id: estate.thingId, cert_serial: serial }],
    });
    const renewed = Object(await doneJsonHere(home, ['certs', 'renew', serial, token]));
    expect(renewed.serial).not.toBe(serial);
    expect(await doneJsonHere(home, ['certs', 'revoke', serial, token, '--yes'])).toHaveProperty(
      'revocation_time',
    );
    expect(await doneHere(home, ['certs', 'crl'])).not.toBe('');
  });

  it('of an unknown type are refused without a request', async () => {
    const asked = ['certs', 'issue', estate.thingId, token];
    expect((await run(home, [...asked, '--keytype', 'dsa'])).code).toBe(2);
    expect((await run(home, [...asked, '--keysize', '123'])).code).toBe(1);
  });
});
