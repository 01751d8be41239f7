import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Where ports are picked from. They lie below the ports that systems give to outgoing connections: a
 * client that reconnects to a service that is down could otherwise be given the service's own port,
 * connect to itself, and keep the service from coming back.
 */
const pickFrom = 20_000;
const pickBelow = 32_768;
const picksMax = 200;

/** Whether a server may listen on this port of every address: null, or the reason why not. */
export async function whyNotFree(port: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const server = createServer();
  server.once('error', (error: NodeJS.ErrnoException) =>
    resolve(
      error.code === 'EADDRINUSE'
        ? `port ${port} is taken by another process`
        : `port ${port} can't be opened (${error.code})`,
    ),
  );
  server.listen({ port, exclusive: true }, () => server.close(() => resolve(null)));
  return promise;
}

/** Picks free ports, all different, for services that have no port of their own. */
export async function pickPorts(count: number): Promise<number[]> {
  const picked = new Set<number>();
  for (let tries = 0; tries < picksMax && picked.size < count; tries++) {
    const port = randomInt(pickFrom, pickBelow);
    if (!picked.has(port) && (await whyNotFree(port)) === null) picked.add(port);
  }
  if (picked.size < count) throw new Error('no free ports found');
  return [...picked];
}

/** Picks the first of so many free ports that follow each other. */
export async function pickPortsInRow(count: number): Promise<number> {
  for (let tries = 0; tries < picksMax; tries++) {
    const first = randomInt(pickFrom, pickBelow - count);
    const row = Array.from({ length: count }, (_, index) => first + index);
    const reasons = await Promise.all(row.map(whyNotFree));
    if (reasons.every((reason) => reason === null)) return first;
  }
  throw new Error('no free ports found');
}
