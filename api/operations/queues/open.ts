import type { Job, Queue } from 'bullmq';
import { openQueue } from '../../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../../infra/runtime/stores/redis.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { mailQueue } from '../../../schemas/internal/mail.ts';
import { webhookQueue } from '../../../schemas/internal/webhook-job.ts';
import type { QueueName } from '../../../schemas/resources/queue.ts';
import { limits } from '../../limits.ts';

/** The queues of the workers, to look at. */
export type Queues = {
  /** Asks a queue. @throws DomainError `unavailable` while Redis is away; what `question` throws of the domain. */
  ask<Answer>(name: QueueName, question: (queue: Queue) => Promise<Answer>): Promise<Answer>;
  /** When each of these delayed jobs is due. */
  dueMs(name: QueueName, jobs: readonly Job[]): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
};

/** BullMQ keeps the time of a delayed job in milliseconds, and its place among those of the same in the last 12 bits. */
const placesOfMs = 4_096;

export function openQueues(redis: Redis): Queues {
  const queues: Readonly<Record<QueueName, Queue>> = {
    webhooks: openQueue(webhookQueue, redis),
    mail: openQueue(mailQueue, redis),
  };
  return {
    async ask(name, question) {
      const unavailable = new DomainError('unavailable', undefined, limits.awayRetrySeconds);
      // A queue that was never connected would wait for it.
      if (redis.status !== 'ready') throw unavailable;
      try {
        return await question(queues[name]);
      } catch (error) {
        if (error instanceof DomainError) throw error;
        // The cause is not passed on: Redis' errors hold the command, and so what a customer sent.
        throw unavailable;
      }
    },
    async dueMs(name, jobs) {
      const ids = jobs.map(({ id = '' }) => id);
      if (ids.length === 0) return new Map();
      const scores = await redis.zmscore(queues[name].toKey('delayed'), ...ids);
      return new Map(
        ids.flatMap((id, at) => {
          const score = scores[at] ?? null;
          return score === null ? [] : [[id, Math.floor(Number(score) / placesOfMs)]];
        }),
      );
    },
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}
