import { hash, timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { Type } from 'typebox';
import { parseNetworks, unmapped } from '../network/client-address.ts';

/** `METRICS_TOKEN`: with it, metrics are for whoever shows it, wherever they are. */
export const metricsSettings = { METRICS_TOKEN: Type.Optional(Type.String({ minLength: 16 })) };

/** The client that asks for metrics. A header that is absent is ''. */
export type Asker = {
  peer: string;
  forwardedFor: string;
  /** True if another header says that a proxy passed the request on, without saying for whom. */
  isForwarded: boolean;
  authorization: string;
};

export type MetricsAccess = (asker: Asker) => boolean;

/** Headers that proxies add, beside `X-Forwarded-For`. */
export const proxyHeaders = ['forwarded', 'via', 'x-real-ip'] as const;

export const metricsRefused = 'metrics are for this network, or for a token (METRICS_TOKEN)';

/** Loopback, link-local and private networks. */
const ofOurs =
  '127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, ::1, fc00::/7, fe80::/10';

/**
 * Decides who may read metrics. Without a token: whoever asks from a network that the internet does not lead into. A
 * proxy is in such a network, and its clients need not be. So every address in `X-Forwarded-For` must be in one too,
 * whether the proxy is trusted or not; a request that was passed on without that header is refused.
 */
export function readMetricsAccess(settings: { METRICS_TOKEN?: string | undefined }): MetricsAccess {
  const { METRICS_TOKEN: token } = settings;
  if (token !== undefined) {
    const digest = digestOf(`Bearer ${token}`);
    return ({ authorization }) => timingSafeEqual(digestOf(authorization), digest);
  }
  const networks = parseNetworks(ofOurs);
  const isOurs = (address: string) => {
    const plain = unmapped(address.trim());
    return networks?.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4') === true;
  };
  return ({ peer, forwardedFor, isForwarded }) => {
    if (forwardedFor === '') return !isForwarded && isOurs(peer);
    return isOurs(peer) && forwardedFor.split(',').every(isOurs);
  };
}

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
