import type { AddressesAllowed } from '../../infra/runtime/network/addresses-allowed.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Registry } from '../../infra/runtime/observability/metrics.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { openQueue } from '../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import type { KeyVault } from '../../infra/runtime/process/secrets.ts';
import type { Tracing } from '../../infra/runtime/observability/tracing.ts';
import { webhookQueue } from '../../schemas/internal/webhook-job.ts';
import { startAdmitting } from './admission/admit.ts';
import { createCaller } from './call/call.ts';
import { startDeliveries } from './record/deliveries.ts';
import { createAgent, rotateAgents } from './call/dial.ts';
import { createEndpoints } from './admission/endpoints.ts';
import { watchMemory } from './admission/redis-memory.ts';
import { registerWebhookGauges, registerWebhookMetrics } from './metrics.ts';
import { createResolve } from './call/resolve.ts';
import { createTargets } from './call/targets.ts';
import { traceCalls } from './call/traced-caller.ts';
import { startWebhookWorker } from './worker.ts';

/** What the queue holds: of all orgs, and of each. */
export type WebhookShares = { queueJobsMax: number; deliveriesPerOrgMax: number };

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
    shares: WebhookShares;
    tracing: Tracing | undefined;
  },
  registry: Registry,
  log: Logger,
): () => Promise<void> {
  const { pool, redis, queueRedis, vault, allowed, shares, tracing } = parts;
  const stopping = new AbortController();
  const resolve = createResolve();
  const agents = rotateAgents(() => createAgent(allowed, resolve));
  const deliveries = startDeliveries(pool, log);
  const endpoints = createEndpoints(Date.now);
  const queue = openQueue(webhookQueue, redis);
  const memory = watchMemory(redis);
  const isMemoryLow = () => memory.isLow();
  registerWebhookGauges(registry, { pool, queue, redis, shut: () => endpoints.shut() });
  const stopAdmitting = startAdmitting({ pool, redis, queue, isMemoryLow, ...shares }, log);
  const stopWorker = startWebhookWorker(
    {
      redis: queueRedis,
      pool,
      targets: createTargets({ pool, vault }, log, stopping.signal),
      endpoints,
      caller: traceCalls(createCaller(agents), tracing),
      deliveries,
      isMemoryLow,
      deliveriesPerOrgMax: shares.deliveriesPerOrgMax,
    },
    log,
    registerWebhookMetrics(registry),
    stopping,
  );
  return async () => {
    await stopAdmitting();
    await stopWorker();
    memory.stop();
    await deliveries.close();
    await agents.destroy();
    await queue.close();
  };
}
