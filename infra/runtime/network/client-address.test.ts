import { describe, expect, it } from 'vitest';
import { ConfigError } from '../process/config.ts';
import { networkOf, readClientAddress, readClientScheme } from './client-address.ts';

describe('the scheme of a client', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3', 'https', 'https'],
    ['10.0.0.0/8', '::ffff:10.1.2.3', 'http', 'http'],
    // Two proxies: TLS ends at the first.
    ['10.0.0.0/8', '10.1.2.3', 'https, http', 'https'],
    ['10.0.0.0/8', '10.1.2.3', '', undefined],
    ['10.0.0.0/8', '10.1.2.3', 'gopher', undefined],
    ['10.0.0.0/8', '198.51.100.7', 'https', undefined],
    ['', '198.51.100.7', 'https', undefined],
  ])('with %s trusted, %s says %j: %s', (trusted, peer, forwardedProto, scheme) => {
    expect(readClientScheme({ TRUST_PROXY: trusted })(peer, forwardedProto)).toBe(scheme);
  });
});

describe('the address of a client', () => {
  const behindProxies = readClientAddress({ TRUST_PROXY: '10.0.0.0/8, 192.0.2.1, ::1' });

  it('is that of the connection when no proxy is trusted, whatever a header says', () => {
    const direct = readClientAddress({ TRUST_PROXY: '' });
    expect(direct('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
  });

  it('is that of the connection when it is not from a trusted proxy', () => {
    expect(behindProxies('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
  });

  it.each([
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['::1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    // Two proxies, one after the other.
    ['192.0.2.1', '203.0.113.9, 10.0.0.5', '203.0.113.9'],
    // The client wrote the first itself.
    ['10.1.2.3', '192.0.2.1, 203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '2001:db8::5', '2001:db8::5'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9, unknown', '10.1.2.3'],
    ['10.1.2.3', '10.0.0.9', '10.0.0.9'],
  ])('comes from trusted proxies: %s says %s: %s', (peer, forwardedFor, client) => {
    expect(behindProxies(peer, forwardedFor)).toBe(client);
  });

  it.each([
    ['10.1.2.3', true],
    ['::ffff:192.0.2.1', true],
    ['::1', true],
    ['192.0.2.2', false],
  ])('a trusted proxy is known by its address: %s is one: %s', (address, isProxy) => {
    expect(behindProxies.isProxy(address)).toBe(isProxy);
    expect(readClientAddress({ TRUST_PROXY: '' }).isProxy(address)).toBe(false);
  });

  it.each(['10.0.0.0/8,', 'localhost', '10.0.0.0/99', '10.0.0.0/8;::1'])(
    'refuses a setting that is no list of networks: %s',
    (text) => {
      expect(() => readClientAddress({ TRUST_PROXY: text })).toThrow(ConfigError);
    },
  );
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:0db8:0000:0007::9', '2001:db8:0:7'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
