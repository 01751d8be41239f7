import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { Type } from 'typebox';
import { ConfigError } from '../process/config.ts';

/** The setting that names the proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` count. */
export const proxySettings = { TRUST_PROXY: Type.String({ default: '' }) };

/** The address of a client: that of the connection, or the one that trusted proxies have added. */
export type ClientAddress = {
  (peer: string, forwardedFor: string | undefined): string;
  /** True for the address of a trusted proxy, whose connections are those of many clients. */
  isProxy: (address: string) => boolean;
};

/**
 * Reads `TRUST_PROXY`: networks such as `10.0.0.0/8, ::1`. Each proxy adds the address of its caller at the right end
 * of `X-Forwarded-For`. So the client is the first address from the right that is no trusted proxy; the client may have
 * written everything to the left of it.
 *
 * @throws ConfigError with the invalid network.
 */
export function readClientAddress(settings: { TRUST_PROXY: string }): ClientAddress {
  if (settings.TRUST_PROXY.trim() === '') {
    return Object.assign((peer: string) => peer, { isProxy: () => false });
  }
  const trusts = readTrusted(settings);
  const find = (peer: string, forwardedFor: string | undefined): string => {
    let client = unmapped(peer);
    if (forwardedFor === undefined || forwardedFor === '') return client;
    for (const hop of forwardedFor.split(',').toReversed()) {
      if (!trusts(client)) break;
      const address = unmapped(hop.trim());
      // Without a valid address the caller of the proxy is unknown.
      if (isIP(address) === 0) break;
      client = address;
    }
    return client;
  };
  return Object.assign(find, { isProxy: (address: string) => trusts(unmapped(address)) });
}

/** The scheme by which a client came to the first proxy; undefined if no trusted proxy tells it. */
export type ClientScheme = (peer: string, forwardedProto: string) => 'http' | 'https' | undefined;

/**
 * Reads `TRUST_PROXY`. Of several proxies the first one's word counts, which is on the left.
 *
 * @throws ConfigError with the invalid network.
 */
export function readClientScheme(settings: { TRUST_PROXY: string }): ClientScheme {
  const trusts = readTrusted(settings);
  return (peer, forwardedProto) => {
    const scheme = forwardedProto.split(',')[0]?.trim();
    const isScheme = scheme === 'http' || scheme === 'https';
    return isScheme && trusts(unmapped(peer)) ? scheme : undefined;
  };
}

function readTrusted({ TRUST_PROXY }: { TRUST_PROXY: string }): (address: string) => boolean {
  if (TRUST_PROXY.trim() === '') return () => false;
  const networks = parseNetworks(TRUST_PROXY);
  if (networks === undefined) {
    throw new ConfigError('TRUST_PROXY: must be networks such as 10.0.0.0/8, 192.0.2.1');
  }
  return (address) => networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Networks such as `10.0.0.0/8, ::1`; undefined if one of them is invalid. */
export function parseNetworks(text: string): BlockList | undefined {
  const networks = new BlockList();
  try {
    for (const one of text.split(',').map((part) => part.trim())) {
      const [address = '', bits] = one.split('/');
      const type = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) networks.addAddress(address, type);
      else if (/^\d{1,3}$/.test(bits)) networks.addSubnet(address, Number(bits), type);
      else return undefined;
    }
    return networks;
  } catch {
    return undefined;
  }
}

/** The network of one household or host: an IPv4 address, or the /64 of an IPv6 one. */
export function networkOf(address: string): string {
  const plain = unmapped(address);
  if (!isIPv6(plain)) return plain;
  const [left = '', right] = plain.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** An IPv4 address that came as IPv6 (`::ffff:192.0.2.1`) is that IPv4 address. A zone says no more. */
export function unmapped(address: string): string {
  const plain = address.split('%')[0] ?? '';
  const v4 = /^(?:0{0,4}:){0,5}:?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  return v4 !== undefined && isIPv4(v4) ? v4 : plain;
}
