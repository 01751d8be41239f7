import type { Queue } from 'bullmq';
import { openQueue } from '../../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../../infra/runtime/stores/redis.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { mailQueue } from '../../../schemas/internal/mail.ts';
import { webhookQueue } from '../../../schemas/internal/webhook-job.ts';
import { limits } from '../../limits.ts';

/** The queues of the workers, to look at. */
export type Queues = {
  webhooks: Queue;
  mail: Queue;
  /** Asks a queue. @throws DomainError `unavailable` while Redis is away. */
  ask<Answer>(question: () => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
};

export function openQueues(redis: Redis): Queues {
  const webhooks = openQueue(webhookQueue, redis);
  const mail = openQueue(mailQueue, redis);
  return {
    webhooks,
    mail,
    async ask(question) {
      const unavailable = new DomainError('unavailable', undefined, limits.awayRetrySeconds);
      // A queue that was never connected would wait for it.
      if (redis.status !== 'ready') throw unavailable;
      try {
        return await question();
      } catch {
        // The cause is not passed on: Redis' errors hold the command, and so what a customer sent.
        throw unavailable;
      }
    },
    async close() {
      await Promise.all([webhooks.close(), mail.close()]);
    },
  };
}
