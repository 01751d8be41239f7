import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that stay the same when everything is started again. */
export async function fixedPorts(): Promise<Record<'API_PORT' | 'INGEST_PORT', string>> {
  const [api, ingest] = [await freePort(), await freePort()];
  return { API_PORT: String(api), INGEST_PORT: String(ingest) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
