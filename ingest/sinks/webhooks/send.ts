import type { Queue } from 'bullmq';
import { countPendingJobs, openQueue } from '../../../infra/runtime/stores/queue.ts';
import { lookAtRedis, type Redis, type RedisLook } from '../../../infra/runtime/stores/redis.ts';
import {
  type WebhookJob,
  webhookJobNames,
  webhookJobOptions,
  webhookBundleId,
  webhookQueue,
} from '../../../schemas/internal/webhook-job.ts';

/** The queue of webhooks, as the edge fills it. Each call throws while Redis is away. */
export class WebhookQueue {
  readonly #redis: Redis;
  readonly #queue: Queue<WebhookJob>;
  readonly #jobsMax: number;

  /** `jobsMax`: jobs that wait for a worker or are with one. */
  constructor(redis: Redis, jobsMax: number) {
    this.#redis = redis;
    this.#jobsMax = jobsMax;
    this.#queue = openQueue(webhookQueue, redis);
  }

  async look(): Promise<RedisLook> {
    this.#mustBeReady();
    return lookAtRedis(this.#redis);
  }

  async isFull(): Promise<boolean> {
    this.#mustBeReady();
    return (await countPendingJobs(this.#queue)) >= this.#jobsMax;
  }

  /** A bundle that is there already stays as it is. */
  async add(bundles: readonly WebhookJob[]): Promise<void> {
    this.#mustBeReady();
    await this.#queue.addBulk(
      bundles.map((data) => ({
        name: webhookJobNames.bundle,
        data,
        opts: { ...webhookJobOptions, jobId: webhookBundleId(data.bundle) },
      })),
    );
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #mustBeReady(): void {
    if (this.#redis.status !== 'ready') throw new RedisAway();
  }
}

export class RedisAway extends Error {
  override readonly name = 'RedisAway';

  constructor() {
    super('Redis is away');
  }
}
