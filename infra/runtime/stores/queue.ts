import { setTimeout as delay } from 'node:timers/promises';
import { type Job, Queue, Worker, type WorkerOptions } from 'bullmq';
import type { Logger } from '../process/logger.ts';
import type { Redis } from './redis.ts';

/** A queue, to add jobs to and to look at. The connection itself tells when Redis is away. */
export function openQueue<Data = unknown>(name: string, redis: Redis): Queue<Data> {
  // The check asks Redis once, at the start, and would end the queue if the response were lost.
  const queue = new Queue<Data>(name, { connection: redis, skipVersionCheck: true });
  queue.on('error', () => undefined);
  return queue;
}

/** Jobs that wait for a worker or are with one. */
export async function countPendingJobs(queue: Queue): Promise<number> {
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'active');
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** A job whose process was killed is taken again after at most the sum of this and `lockDuration`. */
const lookForStalledMs = 5_000;

/** Takes jobs from a queue. `redis` must be a connection that waits while Redis is away. */
export function openQueueWorker(
  name: string,
  redis: Redis,
  work: (job: Job<unknown>, token?: string) => Promise<void>,
  options: Pick<WorkerOptions, 'concurrency' | 'lockDuration' | 'maxStalledCount' | 'settings'>,
  logger: Logger,
): Worker<unknown, void> {
  const worker = new Worker<unknown, void>(name, work, {
    connection: redis,
    stalledInterval: lookForStalledMs,
    ...options,
  });
  const lostLocks = new LostLocks(name, logger);
  worker.on('error', (error) => {
    if (isOfLostLock(error)) return lostLocks.count();
    // While Redis is away each attempt to reach it fails; the connection logs that once.
    if (redis.status === 'ready')
      logger.error({ error: error.message, queue: name }, 'a queue failed');
  });
  return worker;
}

/** BullMQ's messages about a lock that could not be renewed, and one that could not be released. */
const isOfLostLock = ({ message }: Error): boolean =>
  /^(could not renew lock|Missing lock|Lock mismatch) for job/.test(message);

const lostLocksEveryMs = 1_000;

/** Locks expire together, when Redis or this process stood still for longer than they last: one log line for all. */
class LostLocks {
  readonly #queue: string;
  readonly #logger: Logger;
  #errors = 0;

  constructor(queue: string, logger: Logger) {
    this.#queue = queue;
    this.#logger = logger;
  }

  count(): void {
    this.#errors += 1;
    if (this.#errors === 1) setTimeout(() => this.#tell(), lostLocksEveryMs).unref();
  }

  #tell(): void {
    this.#logger.warn(
      { queue: this.#queue, errors: this.#errors },
      'the locks of jobs ran out, because Redis or this process stood still: the queue gives the jobs again',
    );
    this.#errors = 0;
  }
}

/** Takes no more jobs. Those under way have `graceMs` to end; `breakOff` must end the others. */
export async function closeQueueWorker(
  worker: Worker<unknown, void>,
  graceMs: number,
  breakOff: () => void,
): Promise<void> {
  const closed = worker.close();
  await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
  breakOff();
  await closed;
}
