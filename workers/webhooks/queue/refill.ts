import type { Queue } from 'bullmq';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../../infra/runtime/process/poll.ts';
import {
  type Pool,
  type PoolClient,
  rowsOf,
  transaction,
} from '../../../infra/runtime/stores/postgres.ts';
import type { Counter } from '../../../infra/runtime/observability/metrics.ts';
import { countPendingJobs } from '../../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../../infra/runtime/stores/redis.ts';
import {
  groupJobOf,
  halfShare,
  insertJobs,
  quarterShare,
  queueJobOf,
} from '../../../infra/runtime/webhooks/jobs.ts';
import { limits } from '../../limits.ts';
import {
  countFresh,
  countQueued,
  deleteJobs,
  findDue,
  findJobs,
  findNew,
  findWaiting,
  noteQueued,
  noteQueuedBundles,
  tryLockJobs,
} from '../record/jobs-sql.ts';
import { LostJobs } from './lost-jobs.ts';
import { bundleQueueJobOf, splitBundles } from './new-bundles.ts';
import type { RedisLook } from './redis-look.ts';
import { roomsOf, Turns } from './shares.ts';

type RefillParts = {
  pool: Pool;
  redis: Redis;
  queue: Queue;
  look: () => Promise<RedisLook>;
  /** Counts jobs that Redis lost. */
  lost: Counter;
  queueJobsMax: number;
  deliveriesPerOrgMax: number;
};

/**
 * Puts jobs that wait in Postgres into the queue as there is room, in the queue and in the share of their org, and those
 * again that Redis lost. One of several workers does it at a time.
 *
 * @returns how to stop.
 */
export function startRefilling(parts: RefillParts, logger: Logger): () => Promise<void> {
  const refill = new Refill(parts, logger);
  return startPolling(() => refill.step(), {
    everyMs: limits.refillEveryMs,
    restMs: limits.refillRestMs,
    retryMs: limits.refillRetryMs,
    onFailure(error) {
      // Only the text: Redis' errors hold the command.
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn({ error: reason }, 'webhooks wait: their jobs can not be put into the queue');
    },
  });
}

class Refill {
  readonly #parts: RefillParts;
  readonly #turns = new Turns();
  readonly #lost: LostJobs;
  readonly #logger: Logger;
  #servedAtMs = Number.NEGATIVE_INFINITY;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #hasRoom = true;

  constructor(parts: RefillParts, logger: Logger) {
    this.#parts = parts;
    this.#logger = logger;
    this.#lost = new LostJobs(parts, logger);
  }

  async step(): Promise<Polled> {
    const { pool, redis, queue, queueJobsMax, look } = this.#parts;
    if (redis.status !== 'ready') return 'some';
    const { areNew, areWaiting, areQueued } = await findJobs(pool);
    if (!areNew && !areWaiting && !areQueued) return 'nothing';
    const { run, isMemoryLow } = await look();
    const nowMs = performance.now();
    if (areQueued && nowMs - this.#checkedAtMs > limits.checkEveryMs) {
      await this.#lost.check(run);
      this.#checkedAtMs = nowMs;
    }
    if (!areNew && !areWaiting) return 'some';
    const free = isMemoryLow ? 0 : queueJobsMax - (await countPendingJobs(queue));
    this.#noteRoom(free > 0);
    if (isMemoryLow) return 'some';
    let isMore = false;
    if (areWaiting && nowMs - this.#servedAtMs > limits.waitingEveryMs) {
      const served = await this.#locked((client) => this.#queueDue(client, free));
      isMore = served >= limits.refillAtOnceMax;
      this.#servedAtMs = isMore ? Number.NEGATIVE_INFINITY : nowMs;
    }
    if (areNew) {
      // More may have come meanwhile.
      isMore ||= (await this.#locked((client) => this.#queueNew(client, free))) > 0;
    }
    return isMore ? 'more' : 'some';
  }

  #noteRoom(hasRoom: boolean): void {
    if (hasRoom && !this.#hasRoom) this.#logger.info('the queue of webhooks has room again');
    if (!hasRoom && this.#hasRoom) {
      this.#logger.warn('the queue of webhooks is full: deliveries wait in Postgres');
    }
    this.#hasRoom = hasRoom;
  }

  /** How many jobs were moved. */
  #locked(move: (client: PoolClient) => Promise<number>): Promise<number> {
    return transaction(this.#parts.pool, async (client) =>
      (await tryLockJobs(client)) ? move(client) : 0,
    );
  }

  /** The oldest bundles, for which no worker has decided yet what goes to the queue and what waits. */
  async #queueNew(client: PoolClient, free: number): Promise<number> {
    const { queue, deliveriesPerOrgMax } = this.#parts;
    const rows = rowsOf(client);
    const bundles = await findNew(rows, limits.bundlesAtOnceMax);
    const orgIds = new Set(bundles.flatMap(({ orgs }) => orgs.map(({ org_id: id }) => id)));
    const { queued, waiting } = splitBundles(bundles, await countFresh(rows, [...orgIds]), {
      jobsMax: free,
      share: halfShare(deliveriesPerOrgMax),
    });
    const dueMs = Date.now();
    await insertJobs(
      rows,
      waiting.map((group) => ({ ...groupJobOf(group), dueMs })),
      false,
    );
    const goes = new Set(queued.map(({ id }) => id));
    await deleteJobs(
      rows,
      bundles.flatMap(({ id }) => (goes.has(id) ? [] : [id])),
    );
    await queue.addBulk(queued.map(bundleQueueJobOf));
    // After the queue has them: nobody waits for locks of this transaction while Redis does not answer.
    await noteQueuedBundles(rows, queued);
    return bundles.length;
  }

  /** Other jobs that are due, of all webhooks in turns. */
  async #queueDue(client: PoolClient, free: number): Promise<number> {
    if (free <= 0) return 0;
    const { queue, deliveriesPerOrgMax } = this.#parts;
    const webhooks = await findWaiting(client, limits.waitingWebhooksMax);
    if (webhooks.length === 0) return 0;
    const orgIds = [...new Set(webhooks.map(({ orgId }) => orgId))];
    const queued = await countQueued(rowsOf(client), orgIds, 'group');
    const rooms = roomsOf(this.#turns.order(webhooks), queued, quarterShare(deliveriesPerOrgMax));
    this.#turns.serve(rooms);
    // Each webhook gets some, however many webhooks there are.
    const jobsPerWebhook = Math.ceil(
      Math.min(free, limits.refillAtOnceMax) / Math.max(1, rooms.length),
    );
    const jobs = await findDue(client, rooms, jobsPerWebhook);
    if (jobs.length === 0) return 0;
    await queue.addBulk(jobs.map((job) => queueJobOf(job, 0)));
    await noteQueued(
      client,
      jobs.map(({ id }) => id),
    );
    return jobs.length;
  }
}
