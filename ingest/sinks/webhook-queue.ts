import { Queue } from 'bullmq';
import type { Redis } from '../../infra/redis.ts';
import {
  type WebhookPack,
  webhookJobOptions,
  webhookPackId,
  webhookQueue,
} from '../../schemas/webhook-job.ts';

/** `run`: the id Redis gave itself at its start. */
export type QueueLook = { run: string; isMemoryLow: boolean };

export type WebhookQueueLimits = {
  /** Jobs that wait for a worker or are with one. */
  jobsMax: number;
  /** Jobs that wait for their next try. */
  delayedMax: number;
};

/** The queue of webhooks, from the side of who fills it. Each call throws while Redis is away. */
export class WebhookQueue {
  readonly #redis: Redis;
  readonly #queue: Queue<WebhookPack>;
  readonly #limits: WebhookQueueLimits;

  constructor(redis: Redis, limits: WebhookQueueLimits) {
    this.#redis = redis;
    this.#limits = limits;
    // The check asks Redis once, at the start, and an answer that is lost then would end the queue.
    this.#queue = new Queue(webhookQueue, { connection: redis, skipVersionCheck: true });
    this.#queue.on('error', () => undefined);
  }

  async look(): Promise<QueueLook> {
    this.#mustBeReady();
    const text = await this.#redis.info();
    const number = (name: string) => Number(field(text, name) ?? 0);
    // With a limit of its own Redis refuses what is beyond it, also to who takes jobs out.
    const [limit, share] =
      number('maxmemory') > 0 ? [number('maxmemory'), 0.75] : [number('total_system_memory'), 0.5];
    return {
      run: field(text, 'run_id') ?? '',
      isMemoryLow: limit > 0 && number('used_memory') > limit * share,
    };
  }

  async isFull(): Promise<boolean> {
    this.#mustBeReady();
    const { delayed = 0, ...others } = await this.#queue.getJobCounts(
      'waiting',
      'prioritized',
      'active',
      'delayed',
    );
    const jobs = Object.values(others).reduce((sum, count) => sum + count, 0);
    return jobs >= this.#limits.jobsMax || delayed >= this.#limits.delayedMax;
  }

  /** A pack that is there already stays as it is. */
  async add(packs: readonly WebhookPack[]): Promise<void> {
    this.#mustBeReady();
    await this.#queue.addBulk(
      packs.map((data) => ({
        name: 'messages',
        data,
        opts: { ...webhookJobOptions, jobId: webhookPackId(data.pack) },
      })),
    );
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #mustBeReady(): void {
    if (this.#redis.status !== 'ready') throw new Error('Redis is away');
  }
}

/** One field of the answer to INFO. */
function field(text: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1];
}
