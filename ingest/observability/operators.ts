import { startHistory } from '../../infra/runtime/history/report.ts';
import { createMetrics } from '../../infra/runtime/observability/metrics.ts';
import {
  type OperatorView,
  startOperatorServer,
} from '../../infra/runtime/observability/operator-server.ts';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Keys, KeyStores } from '../auth/keys.ts';
import type { IngestConfig } from '../config.ts';
import { checkEdge } from './health.ts';
import { type Measured, registerMetrics } from './metrics.ts';
import { followQuarantine } from './quarantined.ts';

/** The health and the metrics of an edge. */
export function viewOf(
  { about, metricsAccess }: IngestConfig,
  measured: Measured,
  { journal }: Keys,
  { redis }: KeyStores,
): OperatorView {
  const metrics = createMetrics(about);
  registerMetrics(metrics, measured);
  const { log, sinks } = measured;
  return {
    about,
    metricsAccess,
    metrics,
    checkHealth: async () => checkEdge(log.stats(), sinks, journal, redis),
  };
}

/** Shows it on a port for operators, if they have one of their own beside `port`, and keeps its history. */
export async function startOperators(
  view: OperatorView,
  { port: doorsPort, log }: { port: number; log: Measured['log'] },
  { operatorPort, listen }: IngestConfig,
  { pool }: KeyStores,
  lifecycle: Lifecycle,
  logger: Logger,
): Promise<void> {
  let port = doorsPort;
  if (operatorPort !== undefined) {
    const operators = await startOperatorServer(
      { host: listen.host, port: operatorPort, setting: 'INGEST_OPERATOR_PORT', logger },
      view,
    );
    lifecycle.closing('operators', () => operators.close());
    logger.info({ port: operators.port }, 'ready for operators');
    port = operators.port;
  }
  const quarantine = followQuarantine(log.directory);
  const reported = { ...view, kind: 'edge' as const, id: log.id, port, pool, quarantine };
  lifecycle.closing('history', startHistory({ ...reported, logger }));
}
