import { describe, expect, it } from 'vitest';
import {
  privateAddresses,
  privateHosts,
  publicAddresses,
} from '../../../test/webhooks/private-addresses.ts';
import { readAddressesAllowed } from './addresses-allowed.ts';

const allowing = (WEBHOOK_ALLOW: string, WEBHOOK_ALLOW_PRIVATE = false) =>
  readAddressesAllowed({ WEBHOOK_ALLOW, WEBHOOK_ALLOW_PRIVATE });

describe('the addresses webhooks may reach', () => {
  it('exclude private ones, however they are written', () => {
    const { allows } = allowing('');
    expect(privateAddresses.filter((address) => allows(address))).toEqual([]);
    expect(new Set(privateHosts).size).toBeGreaterThanOrEqual(190);
  });

  it('exclude private ones that a URL hides', () => {
    const { refusesUrl } = allowing('');
    const open = privateHosts.filter((host) => {
      const url = URL.parse(`http://user@${host}:8080/path`);
      return url !== null && !refusesUrl(url);
    });
    expect(open).toEqual([]);
  });

  it('include public ones, and names, which are resolved later', () => {
    const { allows, refusesUrl } = allowing('');
    expect(publicAddresses.filter((address) => !allows(address))).toEqual([]);
    const names = [
      'example.com',
      'localhost.example.com',
      '10.0.0.1.nip.io',
      'xn--bcher-kva.example',
    ];
    for (const name of names) expect(refusesUrl(new URL(`https://${name}/`)), name).toBe(false);
  });

  it.each(['', 'example.com', '1.2.3', '1.2.3.4.5', 'g::1', '0x7f.1'])(
    'exclude what is not an address: %j',
    (text) => {
      expect(allowing('').allows(text)).toBe(false);
      expect(allowing('0.0.0.0/0,::/0', true).allows(text)).toBe(false);
    },
  );

  it('include the blocks of the setting, and no others', () => {
    const { allows, refusesUrl } = allowing(' 10.1.0.0/16, fd00:1::/32 ,127.0.0.1/32');
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5', '127.0.0.1']) {
      expect(allows(address), address).toBe(true);
    }
    const others = ['10.2.0.1', 'fd00:2::5', '127.0.0.2', '::1', '64:ff9b::10.1.2.3', '::10.1.2.3'];
    for (const address of others) expect(allows(address), address).toBe(false);
    expect(refusesUrl(new URL('http://localhost/'))).toBe(false);
    expect(refusesUrl(new URL('http://0x7f.1/'))).toBe(false);
    expect(refusesUrl(new URL('http://127.0.0.2/'))).toBe(true);
  });

  it('include all of them where the setting says so', () => {
    const { allows } = allowing('', true);
    expect(privateAddresses.filter((address) => !allows(address))).toEqual([]);
  });

  it.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '::/129',
    'all',
    '10.0.0/8',
    '1.2.3.4/-1',
    '10.0.0.0/8;::/0',
  ])('a setting without a valid block is named at the start: %s', (block) => {
    expect(() => allowing(`127.0.0.0/8,${block}`)).toThrow(`WEBHOOK_ALLOW: ${block} is no block`);
  });
});
