import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';

/** A way to ClickHouse on which something may happen before a statement passes. */
export type Gate = {
  /** As the store's own URL, by way of the gate. */
  url: string;
  /** `happening` runs once, before the statement that this many others came before. Returns whether it has run. */
  before: (others: number, happening: () => Promise<void>) => () => boolean;
  close: () => Promise<void>;
};

export async function openGate(storeUrl: string): Promise<Gate> {
  const target = new URL(storeUrl);
  let passed = 0;
  let waiting: { others: number; happening: () => Promise<void> } | undefined;

  // A file's statement stands in its URL.
  const maxHeaderSize = 16 * 1024 * 1024;
  const server = createServer({ maxHeaderSize }, (incoming, outgoing) => {
    void (async () => {
      const next = waiting;
      if (next !== undefined && next.others === passed) {
        waiting = undefined;
        await next.happening();
      }
      passed += 1;
      const { method, headers, url: path } = incoming;
      const { hostname, port } = target;
      const forwarded = request({ hostname, port, method, headers, path });
      outgoing.once('close', () => forwarded.destroy());
      forwarded.once('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, outgoing).catch(() => undefined);
      });
      await pipeline(incoming, forwarded);
    })().catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const address = server.address();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = typeof address === 'object' ? String(address?.port) : '';
  return {
    url: url.href,
    before(others, happening) {
      passed = 0;
      const own = { others, happening };
      waiting = own;
      return () => waiting !== own;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
