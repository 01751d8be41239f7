import type { Registry } from '../../infra/runtime/observability/metrics.ts';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import type { MailConfig } from '../config.ts';
import { startMailRelay } from './relay.ts';
import { createSender } from './send.ts';
import { registerMailMetrics, startMailWorker } from './worker.ts';

/** Brings mails from the outbox in Postgres to the queue, and sends them from there. */
export function startMail(
  lifecycle: Lifecycle,
  parts: {
    config: MailConfig;
    pool: Pool;
    /** Fails fast. */
    redis: Redis;
    /** Waits while Redis is away. */
    queueRedis: Redis;
    registry: Registry;
    logger: Logger;
  },
): void {
  const { config, pool, redis, queueRedis, registry, logger } = parts;
  const metrics = registerMailMetrics(registry);
  const send = createSender(config);
  lifecycle.closing('mail', startMailWorker({ redis: queueRedis, send }, logger, metrics));
  const queued = (count: number) => metrics.queued.inc(count);
  lifecycle.closing('mail relay', startMailRelay({ pool, redis }, logger, queued));
}
