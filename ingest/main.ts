import { createLifecycle, run } from '../infra/runtime/process/lifecycle.ts';
import { createLog } from '../infra/runtime/process/logger.ts';
import { readIngestConfig } from './config.ts';
import { startEdge } from './edge.ts';
import { limits } from './limits.ts';
import { createDisk } from './log/disk.ts';

await run(createLog('ingest', 'info'), async () => {
  const config = readIngestConfig(process.env);
  const logger = createLog('ingest', config.LOG_LEVEL);
  const lifecycle = createLifecycle(logger, limits.shutdownMsMax);
  const server = await startEdge(config, createDisk({ dataSync: true }), logger, lifecycle);
  logger.info({ port: server.port }, 'ready');
  await lifecycle.stopped;
});
