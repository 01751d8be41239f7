/** The edge without its promise: the same in all but the sync. It shows what the sync costs. */
import { createLifecycle, run } from '../../infra/runtime/process/lifecycle.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { readIngestConfig } from '../../ingest/config.ts';
import { startEdge } from '../../ingest/edge.ts';
import { limits } from '../../ingest/limits.ts';
import { createDisk } from '../../ingest/log/disk.ts';

await run(createLog('ingest', 'info'), async () => {
  const config = readIngestConfig(process.env);
  const logger = createLog('ingest', config.LOG_LEVEL);
  const lifecycle = createLifecycle(logger, limits.shutdownMsMax);
  const server = await startEdge(config, createDisk({ dataSync: false }), logger, lifecycle);
  logger.info({ port: server.port }, 'ready');
  await lifecycle.stopped;
});
