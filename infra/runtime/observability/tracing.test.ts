import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { startTracing } from './tracing.ts';

afterEach(() => vi.unstubAllEnvs());

it('a collector that never answers does not keep a process from its end', async () => {
  const collector = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const address = collector.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
  const tracing = await startTracing({ serviceName: 'test', version: '0', sampled: 1 });
  const asked: Promise<IncomingMessage[]> = once(collector, 'request');
  tracing?.begin('one', 'internal', {})?.end();
  const [request] = await asked;
  tracing?.begin('another', 'internal', {})?.end();
  await tracing?.stop();
  // The library's own wait ends when it gives the request up.
  expect(request?.socket.destroyed).toBe(false);
  collector.closeAllConnections();
  collector.close();
});
