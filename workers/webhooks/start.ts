import type { Queue } from 'bullmq';
import type { AddressesAllowed } from '../../infra/runtime/network/addresses-allowed.ts';
import type { Registry } from '../../infra/runtime/observability/metrics.ts';
import type { Tracing } from '../../infra/runtime/observability/tracing.ts';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { KeyVault } from '../../infra/runtime/process/secrets.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { openQueue } from '../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { webhookQueue } from '../../schemas/internal/webhook-job.ts';
import { Admission } from './admission/admission.ts';
import { type HttpClient, createHttpClient, traceCalls } from './call/call.ts';
import { createAgent, rotateAgents } from './call/dial.ts';
import { createResolve } from './call/resolve.ts';
import { Deliverer } from './delivery/deliver.ts';
import { registerWebhookGauges, registerWebhookMetrics, type WebhookMetrics } from './metrics.ts';
import { createBundleReader, createWebhookReader } from './prepare/readers.ts';
import { type RedisLook, watchRedis } from './queue/redis-look.ts';
import { startRefilling } from './queue/refill.ts';
import { Requeue } from './queue/requeue.ts';
import { startCleaning } from './record/clean.ts';
import { Recorder } from './record/recorder.ts';
import { WebhookWorker } from './worker.ts';

/** How much the queue may hold: of all orgs, and of each. */
type WebhookShares = { queueJobsMax: number; deliveriesPerOrgMax: number };

/** `redis` fails fast, `queueRedis` waits. */
type WebhookParts = {
  pool: Pool;
  redis: Redis;
  queueRedis: Redis;
  vault: KeyVault;
  allowed: AddressesAllowed;
  shares: WebhookShares;
  tracing: Tracing | undefined;
  registry: Registry;
  logger: Logger;
};

/** Delivers the jobs of the queue of webhooks. `lifecycle` closes what is opened here, in reverse order. */
export function startWebhooks(lifecycle: Lifecycle, parts: WebhookParts): void {
  const { pool, redis, queueRedis, allowed, shares, tracing, registry, logger } = parts;
  const queue = openQueue(webhookQueue, redis);
  lifecycle.closing('queue of webhooks', () => queue.close());
  const waitingQueue = openQueue(webhookQueue, queueRedis);
  lifecycle.closing('waiting queue of webhooks', () => waitingQueue.close());
  const resolve = createResolve();
  const agents = rotateAgents(() => createAgent(allowed, resolve));
  lifecycle.closing('connections to webhooks', () => agents.destroy());
  const recorder = new Recorder(pool, logger);
  lifecycle.closing('attempts at webhooks', () => recorder.close());
  const look = watchRedis(redis);
  const metrics = registerWebhookMetrics(registry);

  const client = traceCalls(createHttpClient(agents), tracing);
  const admission = new Admission(recorder);
  const openCircuits = () => admission.openCircuits();
  registerWebhookGauges(registry, { pool, queue, redis, openCircuits });
  const opened = { client, admission, recorder, waitingQueue, look, metrics };
  lifecycle.closing('webhooks', startWorker(parts, opened));
  const refillParts = { pool, redis, queue, look, lost: metrics.lost, ...shares };
  lifecycle.closing('refill of the queue of webhooks', startRefilling(refillParts, logger));
  lifecycle.closing('cleaning', startCleaning(pool, logger));
}

/** Returns how to stop it. */
function startWorker(
  { pool, queueRedis, vault, shares, logger }: WebhookParts,
  opened: {
    client: HttpClient;
    admission: Admission;
    recorder: Recorder;
    waitingQueue: Queue;
    look: () => Promise<RedisLook>;
    metrics: WebhookMetrics;
  },
): () => Promise<void> {
  const { client, admission, recorder, waitingQueue: queue, look, metrics } = opened;
  const { deliveriesPerOrgMax } = shares;
  const breakingOff = new AbortController();
  const stopping = breakingOff.signal;
  const worker = new WebhookWorker({
    pool,
    redis: queueRedis,
    bundles: createBundleReader(pool, logger, stopping),
    admission,
    deliverer: new Deliverer({
      pool,
      webhooks: createWebhookReader({ pool, vault }, logger, stopping),
      admission,
      client,
      recorder,
      logger,
      metrics,
      stopping,
    }),
    recorder,
    requeue: new Requeue({ pool, queue, look, deliveriesPerOrgMax }, logger, stopping),
    logger,
    metrics,
    stopping,
  });
  return () =>
    worker.stop(() => {
      breakingOff.abort();
      client.breakOff();
      recorder.leave();
    });
}
