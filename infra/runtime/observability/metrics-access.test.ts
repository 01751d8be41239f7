import { describe, expect, it } from 'vitest';
import { readMetricsAccess } from './metrics-access.ts';

const asker = { peer: '127.0.0.1', forwardedFor: '', isForwarded: false, authorization: '' };

describe('metrics without a token', () => {
  const mayRead = readMetricsAccess({});

  it.each([
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '172.31.0.9',
    '192.168.1.1',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
  ])('are for %s', (peer) => {
    expect(mayRead({ ...asker, peer })).toBe(true);
  });

  it.each([
    '203.0.113.7',
    '172.32.0.1',
    '100.64.0.1',
    '2001:db8::1',
    '::ffff:203.0.113.7',
    '',
    'nonsense',
  ])('are not for %j', (peer) => {
    expect(mayRead({ ...asker, peer })).toBe(false);
  });

  it('are not for those who come through a proxy from elsewhere, whatever they write before it', () => {
    const through = (forwardedFor: string) => mayRead({ ...asker, forwardedFor });
    expect(through('203.0.113.7')).toBe(false);
    expect(through('127.0.0.1, 203.0.113.7')).toBe(false);
    expect(through('203.0.113.7, 10.0.0.1')).toBe(false);
    expect(through('unknown')).toBe(false);
    expect(through(',')).toBe(false);
    expect(through('10.0.0.9, 10.0.0.1')).toBe(true);
    expect(mayRead({ ...asker, peer: '203.0.113.7', forwardedFor: '10.0.0.1' })).toBe(false);
  });

  it('are not for a proxy that does not say for whom it asks', () => {
    expect(mayRead({ ...asker, isForwarded: true })).toBe(false);
  });
});

describe('metrics with a token', () => {
  const mayRead = readMetricsAccess({ METRICS_TOKEN: 'a token of some length' });

  it('are for whoever shows it, from anywhere', () => {
    const authorization = 'Bearer a token of some length';
    expect(mayRead({ ...asker, authorization })).toBe(true);
    expect(mayRead({ ...asker, peer: '203.0.113.7', authorization })).toBe(true);
  });

  it.each(['', 'Bearer ', 'a token of some length', 'Bearer a token of some lengt'])(
    'are not for %j, on this machine neither',
    (authorization) => {
      expect(mayRead({ ...asker, authorization })).toBe(false);
    },
  );
});
