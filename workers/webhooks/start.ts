import { Queue } from 'bullmq';
import type { AddressesAllowed } from '../../infra/addresses-allowed.ts';
import type { Logger } from '../../infra/log.ts';
import type { Registry } from '../../infra/metrics.ts';
import type { Pool } from '../../infra/postgres.ts';
import type { Redis } from '../../infra/redis.ts';
import type { KeyVault } from '../../infra/secrets.ts';
import { webhookQueue } from '../../schemas/webhook-job.ts';
import { createCaller } from './call.ts';
import { startDeliveries } from './deliveries.ts';
import { createAgent, rotateAgents } from './dial.ts';
import { createEndpoints } from './endpoints.ts';
import { registerWebhookGauges, registerWebhookMetrics } from './metrics.ts';
import { createResolve } from './resolve.ts';
import { createTargets } from './targets.ts';
import { startWebhookWorker } from './worker.ts';

/**
 * Delivers what is in the queue of webhooks. `redis` fails fast, `queueRedis` waits.
 *
 * @returns how to stop it: the tries first, then what they still have to write.
 */
export function startWebhooks(
  parts: {
    pool: Pool;
    redis: Redis;
    queueRedis: Redis;
    vault: KeyVault;
    allowed: AddressesAllowed;
  },
  registry: Registry,
  log: Logger,
): () => Promise<void> {
  const { pool, redis, queueRedis, vault, allowed } = parts;
  const stopping = new AbortController();
  const resolve = createResolve();
  const agents = rotateAgents(() => createAgent(allowed, resolve));
  const deliveries = startDeliveries(pool, log);
  const endpoints = createEndpoints(Date.now);
  const queue = new Queue(webhookQueue, { connection: redis, skipVersionCheck: true });
  queue.on('error', () => undefined);
  registerWebhookGauges(registry, { queue, redis, shut: () => endpoints.shut() });
  const stopWorker = startWebhookWorker(
    {
      redis: queueRedis,
      pool,
      targets: createTargets({ pool, vault }, log, stopping.signal),
      endpoints,
      caller: createCaller(agents),
      deliveries,
    },
    log,
    registerWebhookMetrics(registry),
    stopping,
  );
  return async () => {
    await stopWorker();
    await deliveries.close();
    await agents.destroy();
    await queue.close();
  };
}
