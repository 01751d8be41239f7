import { Queue } from 'bullmq';
import { lookAtRedis, type Redis, type RedisLook } from '../../../infra/runtime/stores/redis.ts';
import {
  type WebhookJob,
  webhookJobNames,
  webhookJobOptions,
  webhookPackId,
  webhookQueue,
} from '../../../schemas/internal/webhook-job.ts';

/** The queue of webhooks, from the side of who fills it. Each call throws while Redis is away. */
export class WebhookQueue {
  readonly #redis: Redis;
  readonly #queue: Queue<WebhookJob>;
  readonly #jobsMax: number;

  /** `jobsMax`: jobs that wait for a worker or are with one. */
  constructor(redis: Redis, jobsMax: number) {
    this.#redis = redis;
    this.#jobsMax = jobsMax;
    // The check asks Redis once, at the start, and an answer that is lost then would end the queue.
    this.#queue = new Queue(webhookQueue, { connection: redis, skipVersionCheck: true });
    this.#queue.on('error', () => undefined);
  }

  async look(): Promise<RedisLook> {
    this.#mustBeReady();
    return lookAtRedis(this.#redis);
  }

  async isFull(): Promise<boolean> {
    this.#mustBeReady();
    const counts = await this.#queue.getJobCounts('waiting', 'prioritized', 'active');
    return Object.values(counts).reduce((sum, count) => sum + count, 0) >= this.#jobsMax;
  }

  /** A pack that is there already stays as it is. */
  async add(packs: readonly WebhookJob[]): Promise<void> {
    this.#mustBeReady();
    await this.#queue.addBulk(
      packs.map((data) => ({
        name: webhookJobNames.pack,
        data,
        opts: { ...webhookJobOptions, jobId: webhookPackId(data.pack) },
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
