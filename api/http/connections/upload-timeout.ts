import type { IncomingMessage } from 'node:http';
import { limits } from '../../limits.ts';
import type { Api } from '../schemas.ts';

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Closes the connection of a body that takes too long. Node's own limit would hold for uploads as well. */
export function boundArrival(api: Api): void {
  api.addHook('onRequest', async ({ raw, routeOptions }) => {
    if (!hasBody(raw) || routeOptions.config.operation?.anyLength) return;
    const timer = setTimeout(() => raw.destroy(), limits.requestTimeoutMs);
    const arrived = () => clearTimeout(timer);
    raw.once('end', arrived).once('close', arrived);
  });
}
