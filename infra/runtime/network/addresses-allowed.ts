import { BlockList, isIP, isIPv4 } from 'node:net';
import { Type } from 'typebox';
import { ConfigError } from '../process/config.ts';

/** Which addresses webhooks may reach. */
export type AddressesAllowed = {
  /** Whether this IP address may be dialled. An invalid one may not. */
  allows: (address: string) => boolean;
  /** Whether a URL shows by itself that it may not be called: by an address, or this machine's name. */
  refusesUrl: (url: URL) => boolean;
};

/** The settings it is made of. */
export const addressSettings = {
  WEBHOOK_ALLOW_PRIVATE: Type.Boolean({ default: false }),
  WEBHOOK_ALLOW: Type.String({ default: '' }),
};

/** IANA's special-purpose blocks, and the addresses of clouds' metadata services. */
const refusedV4 = [
  '0.0.0.0/8', // this network, unspecified
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's host
  '169.254.0.0/16', // link-local, metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, metadata of Oracle
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/**
 * Only global unicast is allowed at all, which leaves out `::`, `::1`, `::/96`, NAT64, unique local,
 * link-local, site-local and multicast. These lie within it.
 */
const globalV6 = '2000::/3';
const refusedV6 = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: holds any IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

/**
 * Reads `WEBHOOK_ALLOW_PRIVATE` (everything is allowed) and `WEBHOOK_ALLOW` (blocks that are allowed though
 * private, comma-separated).
 *
 * @throws ConfigError with the invalid block.
 */
export function readAddressesAllowed(settings: {
  WEBHOOK_ALLOW_PRIVATE: boolean;
  WEBHOOK_ALLOW: string;
}): AddressesAllowed {
  const named = settings.WEBHOOK_ALLOW.split(',').map((block) => block.trim());
  const allowed = blocks(named.filter((block) => block !== ''));
  const refused = { v4: blocks(refusedV4), v6: blocks(refusedV6) };
  const global = blocks([globalV6]);

  function allows(address: string): boolean {
    const plain = withoutMapping(address);
    if (isIP(plain) === 0) return false;
    if (settings.WEBHOOK_ALLOW_PRIVATE) return true;
    const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
    if (allowed[family].check(plain, family)) return true;
    return family === 'ipv4'
      ? !refused.v4.ipv4.check(plain, family)
      : global.ipv6.check(plain, family) && !refused.v6.ipv6.check(plain, family);
  }

  return {
    allows,
    refusesUrl({ hostname }) {
      const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
      const here = host === 'localhost' || host.endsWith('.localhost');
      return here ? !allows('127.0.0.1') : isIP(host) !== 0 && !allows(host);
    },
  };
}

/** One list for each family: an entry of one must not answer for the other. */
function blocks(cidrs: readonly string[]): { ipv4: BlockList; ipv6: BlockList } {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const [address = '', bits = ''] = cidr.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const bitsMax = family === 'ipv4' ? 32 : 128;
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > bitsMax) {
      throw new ConfigError(`WEBHOOK_ALLOW: ${cidr} is no block of addresses, such as 10.0.0.0/8`);
    }
    lists[family].addSubnet(address, Number(bits), family);
  }
  return lists;
}

/** An IPv4 address that came as IPv6 (`::ffff:a.b.c.d`) is dialled as what it is. A zone says no more. */
function withoutMapping(address: string): string {
  const plain = address.split('%')[0] ?? '';
  if (!plain.includes(':') || isIP(plain) === 0) return plain;
  // A URL writes an address in one way only.
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}
