import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The addresses of a host. Throws where there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

const askMs = 1_500;
const asksMax = 2;

/** The system's own look-up holds one of four threads while a name server is silent. */
const systemLookupsMax = 2;

/**
 * Asks the name servers, and then the system (its hosts file, its search domains) for names they do not know. A
 * silent name server can hold up only the system's look-up, so the system is asked only when all have answered.
 *
 * @param nameServers Others than those of the system.
 */
export function createResolve(nameServers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: askMs, tries: asksMax });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  let systemLookups = 0;

  async function askSystem(hostname: string): Promise<string[]> {
    if (systemLookups >= systemLookupsMax) throw notFound(hostname);
    systemLookups += 1;
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    } finally {
      systemLookups -= 1;
    }
  }

  return async (hostname) => {
    // A name without a dot is never public.
    if (!hostname.includes('.')) return askSystem(hostname);
    const asked = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = asked.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value.filter((one) => isIP(one) !== 0) : [],
    );
    if (addresses.length > 0) return addresses;
    const silent = asked.some((answer) => answer.status === 'rejected' && isSilence(answer.reason));
    if (silent) throw notFound(hostname);
    return askSystem(hostname);
  };
}

function isSilence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEOUT';
}

function notFound(hostname: string): Error {
  return Object.assign(new Error(`${hostname} was not found`), { code: 'ENOTFOUND' });
}
