import { requestTimeoutMs } from './limits.ts';
import type { Api } from './shapes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take as long as it goes on arriving; the route sees to that. */
    anyLength?: boolean;
  }
}

/** Closes the connection of a body that takes too long. Node's own limit would hold for uploads as well. */
export function boundArrival(api: Api): void {
  api.addHook('onRequest', async ({ raw, routeOptions }) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    if (!hasBody || routeOptions.config.anyLength === true) return;
    const timer = setTimeout(() => raw.destroy(), requestTimeoutMs);
    const arrived = () => clearTimeout(timer);
    raw.once('end', arrived).once('close', arrived);
  });
}
