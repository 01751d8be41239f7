import type { Queue } from 'bullmq';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { startPolling } from '../../../infra/runtime/process/poll.ts';
import { type Pool, transaction } from '../../../infra/runtime/stores/postgres.ts';
import { countPendingJobs } from '../../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../../infra/runtime/stores/redis.ts';
import {
  type DeliveryJob,
  quarterShare,
  queueJobOf,
} from '../../../infra/runtime/webhooks/jobs.ts';
import {
  countQueued,
  deleteJobs,
  findDue,
  findQueued,
  findWaiting,
  hasWaiting,
  noteQueued,
  putBack,
  tryLockJobs,
} from '../record/jobs-sql.ts';
import {
  admitEveryMs,
  admittedAtOnceMax,
  checkedAtOnceMax,
  queuedBeforeCheckMs,
  waitingWebhooksMax,
} from '../limits.ts';
import { Shares, Turns } from './shares.ts';
import { settleBundles } from '../record/sql.ts';

export type AdmitParts = {
  pool: Pool;
  redis: Redis;
  queue: Queue;
  isMemoryLow: () => boolean;
  queueJobsMax: number;
  deliveriesPerOrgMax: number;
};

const checkEveryMs = 1_000;
const start = { orgId: '00000000-0000-0000-0000-000000000000', id: '' };

/**
 * Puts jobs that wait in Postgres into the queue as the copies of their org end, and again those that Redis
 * lost. Several workers share the work: one of them at a time does it.
 */
export function startAdmitting(parts: AdmitParts, log: Logger): () => Promise<void> {
  const { pool, redis, queue, isMemoryLow, queueJobsMax, deliveriesPerOrgMax } = parts;
  let checkedAt = 0;
  let checked = start;
  const turns = new Turns();

  /** How many jobs were put into the queue. */
  async function admit(): Promise<number> {
    if (!(await hasWaiting(pool))) return 0;
    return transaction(pool, async (client) => {
      if (!(await tryLockJobs(client))) return 0;
      const webhooks = await findWaiting(client, waitingWebhooksMax);
      if (webhooks.length === 0) return 0;
      const free = queueJobsMax - (await countPendingJobs(queue));
      if (free <= 0) return 0;
      const orgIds = [...new Set(webhooks.map(({ orgId }) => orgId))];
      const queued = await countQueued(
        async (text, values) => (await client.query(text, values)).rows,
        orgIds,
        'group',
      );
      // A part for those that fail, and one for the others, which a large group for a dead one can't overfill.
      const part = Math.floor(quarterShare(deliveriesPerOrgMax) / 2);
      const sharesOf = (failing: boolean) =>
        new Shares(
          part,
          queued.filter(({ isFailing }) => isFailing === failing),
        );
      const [well, failing] = [sharesOf(false), sharesOf(true)];
      const rooms = turns.order(webhooks).flatMap(({ orgId, webhookId, isFailing }) => {
        const shares = isFailing ? failing : well;
        const room = shares.room(orgId, webhookId);
        if (room > 0) shares.take(orgId, webhookId, room);
        return room > 0 ? [{ webhookId, room }] : [];
      });
      turns.had(rooms);
      // Each gets some, however many there are.
      const each = Math.ceil(Math.min(free, admittedAtOnceMax) / Math.max(1, rooms.length));
      const jobs = await findDue(client, rooms, each);
      if (jobs.length === 0) return 0;
      await queue.addBulk(jobs.map((job) => queueJobOf(job, 0)));
      await noteQueued(
        client,
        jobs.map(({ id }) => id),
      );
      return jobs.length;
    });
  }

  /** A job that is noted and that Redis does not know was lost with its last second. */
  async function checkSome(): Promise<void> {
    const page = await transaction(pool, async (client) => {
      if (!(await tryLockJobs(client))) return [];
      const found = await findQueued(client, checked, queuedBeforeCheckMs, checkedAtOnceMax);
      const states = await statesOf(found);
      const lost = found.filter((_, at) => states[at] === 'unknown').map(({ id }) => id);
      if (lost.length > 0) {
        await putBack(client, lost);
        log.warn({ jobs: lost.length }, 'Redis lost jobs of webhooks: they are added again');
      }
      return found.map((job, at) => ({ job, isOver: states[at] === 'over' }));
    });
    const last = page.at(-1)?.job;
    checked = last === undefined || page.length < checkedAtOnceMax ? start : last;
    const over = page.filter(({ isOver }) => isOver).map(({ job }) => job);
    if (over.length === 0) return;
    await deleteJobs(
      pool,
      over.map(({ id }) => id),
    );
    await settleBundles(
      pool,
      over.map(({ bundle }) => bundle),
    );
  }

  async function statesOf(
    jobs: readonly DeliveryJob[],
  ): Promise<('unknown' | 'over' | 'under way')[]> {
    if (jobs.length === 0) return [];
    const asking = redis.pipeline();
    for (const { id } of jobs) asking.hmget(queue.toKey(id), 'timestamp', 'finishedOn');
    const answers = (await asking.exec()) ?? [];
    return jobs.map((_, at) => {
      const [error, fields] = answers[at] ?? [];
      if (error !== null || !Array.isArray(fields)) return 'under way';
      if (fields[0] === null) return 'unknown';
      return fields[1] === null ? 'under way' : 'over';
    });
  }

  /** Whether there may be more to put into the queue. */
  async function step(): Promise<boolean> {
    if (redis.status !== 'ready') return false;
    const isBusy = !isMemoryLow() && (await admit()) >= admittedAtOnceMax;
    if (performance.now() - checkedAt > checkEveryMs) {
      await checkSome();
      checkedAt = performance.now();
    }
    return isBusy;
  }

  return startPolling(step, {
    everyMs: admitEveryMs,
    retryMs: 4 * admitEveryMs,
    onFailure(error) {
      // Not the error whole: Redis' errors hold the command.
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ error: reason }, 'webhooks wait: their jobs can not be put into the queue');
    },
  });
}
