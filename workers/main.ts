import { startHistory } from '../infra/runtime/history/report.ts';
import { Calls } from '../infra/runtime/observability/calls.ts';
import { openClickHouse } from '../infra/runtime/stores/clickhouse.ts';
import { probe } from '../infra/runtime/observability/health.ts';
import { createLifecycle, type Lifecycle, run } from '../infra/runtime/process/lifecycle.ts';
import { createLog, type Logger } from '../infra/runtime/process/logger.ts';
import {
  createMetrics,
  measureCalls,
  type Registry,
} from '../infra/runtime/observability/metrics.ts';
import { openPostgres } from '../infra/runtime/stores/postgres.ts';
import { openQueueRedis, openRedis } from '../infra/runtime/stores/redis.ts';
import { mustBeRecent } from '../infra/runtime/stores/versions.ts';
import { createKeyVault } from '../infra/runtime/process/secrets.ts';
import { startTracing } from '../infra/runtime/observability/tracing.ts';
import { startOperatorServer } from '../infra/runtime/observability/operator-server.ts';
import { startAlarms } from './alarms/start.ts';
import { readWorkersConfig, type WorkersConfig } from './config.ts';
import { startErasing } from './erase/erase.ts';
import { limits } from './limits.ts';
import { startMail } from './mail/start.ts';
import { startForgettingAlarms } from './retention/alarms.ts';
import { startRetention } from './retention/retention.ts';
import { startWebhooks } from './webhooks/start.ts';

await run(createLog('workers', 'info'), async () => {
  const config = readWorkersConfig(process.env);
  const logger = createLog('workers', config.logLevel);
  const lifecycle = createLifecycle(logger, limits.stopMsMax);
  const registry = createMetrics(config.about);
  const tracing = await startTracing(config.tracing);
  if (tracing !== undefined) lifecycle.closing('tracing', () => tracing.stop());

  await mustBeRecent(config);
  const stores = openStores(lifecycle, config, registry, logger);
  const { pool, redis, queueRedis, clickhouse } = stores;

  startMail(lifecycle, { config: config.mail, pool, redis, queueRedis, registry, logger });
  lifecycle.closing('erasing', startErasing({ pool, redis, clickhouse, logger }));
  lifecycle.closing('retention', startRetention({ pool, clickhouse, logger }));
  lifecycle.closing('retention of alarms', startForgettingAlarms({ pool, logger }));
  startWebhooks(lifecycle, {
    pool,
    redis,
    queueRedis,
    vault: createKeyVault(config.secretKey),
    allowed: config.addressesAllowed,
    shares: config.webhookShares,
    tracing,
    registry,
    logger,
  });
  startAlarms(lifecycle, { pool, clickhouse, publicUrl: config.publicUrl, registry, logger });

  const { about, metricsAccess } = config;
  const operations = {
    about,
    metricsAccess,
    metrics: registry,
    checkHealth: () => checkStores(stores),
  };
  const server = await startOperatorServer(
    { host: config.host, port: config.port, setting: 'WORKERS_PORT', logger },
    operations,
  );
  lifecycle.closing('listener', () => server.close());
  const { port } = server;
  lifecycle.closing(
    'history',
    startHistory({ ...operations, kind: 'workers', port, pool, logger }),
  );
  logger.info({ port }, 'ready');
  await lifecycle.stopped;
});

type Stores = ReturnType<typeof openStores>;

/** `redis` fails fast, `queueRedis` waits while Redis is away. */
function openStores(
  lifecycle: Lifecycle,
  { databaseUrl, redisUrl, clickhouseUrl }: WorkersConfig,
  registry: Registry,
  logger: Logger,
) {
  const calls = new Calls();
  measureCalls(registry, [calls]);
  const pool = openPostgres(
    databaseUrl,
    limits.postgresConnectionsMax,
    limits.postgresQueryMsMax,
    logger,
    calls,
  );
  lifecycle.closing('postgres', () => pool.end());
  const redis = openRedis(redisUrl, logger, limits.redisCommandMsMax, calls);
  lifecycle.closing('redis', () => redis.disconnect());
  const queueRedis = openQueueRedis(redisUrl, calls);
  lifecycle.closing('redis of the queues', () => queueRedis.disconnect());
  const clickhouse = openClickHouse(
    clickhouseUrl,
    'millrace-workers',
    limits.clickhouseTimeoutMs,
    calls,
  );
  lifecycle.closing('clickhouse', () => clickhouse.close());
  return { pool, redis, queueRedis, clickhouse };
}

async function checkStores({ pool, redis, clickhouse }: Stores) {
  return {
    postgres: await probe(() => pool.query('SELECT 1'), 'fail'),
    redis: await probe(() => redis.ping(), 'fail'),
    clickhouse: await probe(() => clickhouse.command({ query: 'SELECT 1' }), 'warn'),
  };
}
