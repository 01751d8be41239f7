import { freePort } from '../../support/services/free-port.ts';

/** Ports that stay the same when everything is started again. */
export async function fixedPorts(): Promise<Record<'API_PORT' | 'INGEST_PORT', string>> {
  const [api, ingest] = [await freePort(), await freePort()];
  return { API_PORT: String(api), INGEST_PORT: String(ingest) };
}
