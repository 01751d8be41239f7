import type { Queue } from 'bullmq';
import { countPendingJobs, openQueue } from '../../../infra/runtime/stores/queue.ts';
import {
  lookAtRedis,
  type Redis,
  redisFailure,
  type RedisLook,
} from '../../../infra/runtime/stores/redis.ts';
import { NotReached } from '../../../infra/runtime/network/failure.ts';
import {
  type WebhookJob,
  webhookJobNames,
  webhookJobOptions,
  webhookBundleId,
  webhookQueue,
} from '../../../schemas/internal/webhook-job.ts';

/** The queue of webhooks, as the edge fills it. Each call throws `NotReached` while Redis is away. */
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
    return this.#ask(() => lookAtRedis(this.#redis));
  }

  async isFull(): Promise<boolean> {
    return (await this.#ask(() => countPendingJobs(this.#queue))) >= this.#jobsMax;
  }

  /** A bundle that is there already stays as it is. */
  async add(bundles: readonly WebhookJob[]): Promise<void> {
    const jobs = bundles.map((data) => ({
      name: webhookJobNames.bundle,
      data,
      opts: { ...webhookJobOptions, jobId: webhookBundleId(data.bundle) },
    }));
    await this.#ask(() => this.#queue.addBulk(jobs));
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  async #ask<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#redis.status !== 'ready') throw new NotReached('Redis is away');
    try {
      return await ask();
    } catch (error) {
      throw redisFailure(error);
    }
  }
}
