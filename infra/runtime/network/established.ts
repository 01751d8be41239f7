import { createReadStream, existsSync } from 'node:fs';
import { networkOf } from './client-address.ts';

/** As the kernel writes them: established, and closed by the other side alone. */
const openStates = new Set(['01', '08']);

/** IPv4's is always there. A kernel that was started without IPv6 does not have the other. */
const kernelFiles = { ipv4: '/proc/self/net/tcp', ipv6: '/proc/self/net/tcp6' };

/** Counts the connections that each network has to these ports of this machine, as Linux tells it (proc_net(5)). */
export async function establishedByNetwork(
  ports: ReadonlySet<number>,
  { ipv4, ipv6 } = kernelFiles,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const file of existsSync(ipv6) ? [ipv4, ipv6] : [ipv4]) {
    let rest = '';
    // In pieces: there may be a hundred thousand lines, and messages are read in between.
    for await (const piece of createReadStream(file, { encoding: 'latin1' })) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) countLine(line, ports, counts);
    }
  }
  return counts;
}

/** The part of these that each of several processes has which share a port: the kernel spreads them evenly. */
export function shareOf(
  counts: ReadonlyMap<string, number>,
  processes: number,
): ReadonlyMap<string, number> {
  return new Map([...counts].map(([network, count]) => [network, Math.ceil(count / processes)]));
}

/** One line: number, local address and port, remote ones, state. What is not like that is left out. */
export function countLine(
  line: string,
  ports: ReadonlySet<number>,
  counts: Map<string, number>,
): void {
  const [, local = '', remote = '', state = ''] = line.trim().split(/\s+/, 4);
  if (!openStates.has(state) || !ports.has(Number.parseInt(local.split(':')[1] ?? '', 16))) return;
  const network = networkOf(addressOf(remote.split(':')[0] ?? ''));
  counts.set(network, (counts.get(network) ?? 0) + 1);
}

/** The kernel writes an address as words of four bytes, each with its last byte first. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length % 4 === 0) bytes.swap32();
  if (bytes.length === 4) return bytes.join('.');
  const mapped = bytes.subarray(0, 12).toString('hex') === '00000000000000000000ffff';
  if (mapped) return bytes.subarray(12).join('.');
  return (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
}
