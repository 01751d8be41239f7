import type { Queue } from 'bullmq';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../../infra/runtime/process/poll.ts';
import {
  type Pool,
  type PoolClient,
  rowsOf,
  transaction,
} from '../../../infra/runtime/stores/postgres.ts';
import { countPendingJobs } from '../../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../../infra/runtime/stores/redis.ts';
import { quarterShare, queueJobOf } from '../../../infra/runtime/webhooks/jobs.ts';
import { refillAtOnceMax, refillEveryMs, refillRestMs, waitingWebhooksMax } from '../../limits.ts';
import {
  countQueued,
  findDue,
  findWaiting,
  findJobs,
  noteQueued,
  tryLockJobs,
} from '../record/jobs-sql.ts';
import { LostJobs } from './lost-jobs.ts';
import { roomsOf, Turns } from './shares.ts';

export type RefillParts = {
  pool: Pool;
  redis: Redis;
  queue: Queue;
  isMemoryLow: () => Promise<boolean>;
  queueJobsMax: number;
  deliveriesPerOrgMax: number;
};

const checkEveryMs = 1_000;

/**
 * Puts jobs that wait in Postgres into the queue as there is room in the share of their org, and those again that
 * Redis lost. One of several workers does it at a time.
 *
 * @returns how to stop.
 */
export function startRefilling(parts: RefillParts, log: Logger): () => Promise<void> {
  const { redis, isMemoryLow } = parts;
  const turns = new Turns();
  const lost = new LostJobs(parts, log);
  let checkedAtMs = 0;

  async function step(): Promise<Polled> {
    if (redis.status !== 'ready') return 'some';
    const { areWaiting, areQueued } = await findJobs(parts.pool);
    if (!areWaiting && !areQueued) return 'nothing';
    const moved = areWaiting && !(await isMemoryLow()) ? await refill(parts, turns) : 0;
    if (areQueued && performance.now() - checkedAtMs > checkEveryMs) {
      await lost.check();
      checkedAtMs = performance.now();
    }
    return moved >= refillAtOnceMax ? 'more' : 'some';
  }

  return startPolling(step, {
    everyMs: refillEveryMs,
    restMs: refillRestMs,
    retryMs: 4 * refillEveryMs,
    onFailure(error) {
      // Only the text: Redis' errors hold the command.
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ error: reason }, 'webhooks wait: their jobs can not be put into the queue');
    },
  });
}

/** How many jobs were put into the queue. */
function refill(parts: RefillParts, turns: Turns): Promise<number> {
  return transaction(parts.pool, async (client) =>
    (await tryLockJobs(client)) ? queueDue(client, parts, turns) : 0,
  );
}

async function queueDue(
  client: PoolClient,
  { queue, queueJobsMax, deliveriesPerOrgMax }: RefillParts,
  turns: Turns,
): Promise<number> {
  const webhooks = await findWaiting(client, waitingWebhooksMax);
  if (webhooks.length === 0) return 0;
  const free = queueJobsMax - (await countPendingJobs(queue));
  if (free <= 0) return 0;
  const queued = await countQueued(
    rowsOf(client),
    [...new Set(webhooks.map(({ orgId }) => orgId))],
    'group',
  );
  const rooms = roomsOf(turns.order(webhooks), queued, quarterShare(deliveriesPerOrgMax));
  turns.serve(rooms);
  // Each webhook gets some, however many webhooks there are.
  const jobsPerWebhook = Math.ceil(Math.min(free, refillAtOnceMax) / Math.max(1, rooms.length));
  const jobs = await findDue(client, rooms, jobsPerWebhook);
  if (jobs.length === 0) return 0;
  await queue.addBulk(jobs.map((job) => queueJobOf(job, 0)));
  await noteQueued(
    client,
    jobs.map(({ id }) => id),
  );
  return jobs.length;
}
