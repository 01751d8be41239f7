import { Calls } from '../infra/runtime/observability/calls.ts';
import { openClickHouse } from '../infra/runtime/stores/clickhouse.ts';
import { probe } from '../infra/runtime/observability/health.ts';
import { createLifecycle, run } from '../infra/runtime/process/lifecycle.ts';
import { createLog } from '../infra/runtime/process/logger.ts';
import { createMetrics, measureCalls } from '../infra/runtime/observability/metrics.ts';
import { openPostgres } from '../infra/runtime/stores/postgres.ts';
import { openQueueRedis, openRedis } from '../infra/runtime/stores/redis.ts';
import { createKeyVault } from '../infra/runtime/process/secrets.ts';
import { startTracing } from '../infra/runtime/observability/tracing.ts';
import { startWatchServer } from '../infra/runtime/observability/operator-server.ts';
import { readWorkersConfig } from './config.ts';
import { startErasing } from './erase/erase.ts';
import {
  clickhouseTimeoutMs,
  postgresConnectionsMax,
  postgresQueryMsMax,
  redisCommandMsMax,
  stopMsMax,
} from './limits.ts';
import { registerMailMetrics } from './mail/metrics.ts';
import { startMailRelay } from './mail/relay.ts';
import { createSender } from './mail/send.ts';
import { startMailWorker } from './mail/worker.ts';
import { startRetention } from './retention/retention.ts';
import { startCleaning } from './webhooks/record/clean.ts';
import { startWebhooks } from './webhooks/start.ts';

await run(createLog('workers', 'info'), async () => {
  const config = readWorkersConfig(process.env);
  const log = createLog('workers', config.logLevel);
  const lifecycle = createLifecycle(log, stopMsMax);

  const tracing = await startTracing(config.tracing);
  if (tracing !== undefined) lifecycle.closing('tracing', () => tracing.stop());
  const calls = new Calls();
  const pool = openPostgres(
    config.databaseUrl,
    postgresConnectionsMax,
    postgresQueryMsMax,
    log,
    calls,
  );
  lifecycle.closing('postgres', () => pool.end());
  const redis = openRedis(config.redisUrl, log, redisCommandMsMax, calls);
  lifecycle.closing('redis', () => redis.disconnect());
  const queueRedis = openQueueRedis(config.redisUrl, calls);
  lifecycle.closing('redis of the queues', () => queueRedis.disconnect());

  const clickhouse = openClickHouse(
    config.clickhouseUrl,
    'millrace-workers',
    clickhouseTimeoutMs,
    calls,
  );
  lifecycle.closing('clickhouse', () => clickhouse.close());

  const { about } = config;
  const metrics = createMetrics(about);
  measureCalls(metrics, [calls]);
  const mailMetrics = registerMailMetrics(metrics);
  const send = createSender(config.mail);
  lifecycle.closing('mail', startMailWorker({ redis: queueRedis, send }, log, mailMetrics));
  const queued = (count: number) => mailMetrics.queued.inc(count);
  lifecycle.closing('mail relay', startMailRelay({ pool, redis }, log, queued));
  lifecycle.closing('erasing', startErasing({ pool, redis, clickhouse, log }));
  lifecycle.closing('retention', startRetention({ pool, clickhouse, log }));
  const vault = createKeyVault(config.secretKey);
  const { addressesAllowed: allowed, webhookShares: shares } = config;
  startWebhooks(lifecycle, {
    pool,
    redis,
    queueRedis,
    vault,
    allowed,
    shares,
    tracing,
    registry: metrics,
    log,
  });
  lifecycle.closing('cleaning', startCleaning(pool, log));

  const checkHealth = async () => ({
    postgres: await probe(() => pool.query('SELECT 1'), 'fail'),
    redis: await probe(() => redis.ping(), 'fail'),
    clickhouse: await probe(() => clickhouse.command({ query: 'SELECT 1' }), 'warn'),
  });
  const server = await startWatchServer(
    { host: config.host, port: config.port, setting: 'WORKERS_PORT' },
    { about, metrics, checkHealth },
  );
  lifecycle.closing('listener', () => server.close());
  log.info({ port: server.port }, 'ready');
  await lifecycle.stopped;
});
