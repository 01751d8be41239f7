import type { Queue } from 'bullmq';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Pool, transaction } from '../../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../../infra/runtime/stores/redis.ts';
import type { DeliveryJob } from '../../../infra/runtime/webhooks/jobs.ts';
import { checkedAtOnceMax, queuedBeforeCheckMs } from '../../limits.ts';
import { deleteJobs, findQueued, noteLost, tryLockJobs } from '../record/jobs-sql.ts';
import { settleBundles } from '../record/sql.ts';

type JobState = 'unknown' | 'done' | 'under way';

const start = { orgId: '00000000-0000-0000-0000-000000000000', id: '' };

/** Checks, one page after the other, that jobs which Postgres notes as queued are in Redis and not yet done there. */
export class LostJobs {
  readonly #pool: Pool;
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #log: Logger;
  #after = start;

  constructor({ pool, redis, queue }: { pool: Pool; redis: Redis; queue: Queue }, log: Logger) {
    this.#pool = pool;
    this.#redis = redis;
    this.#queue = queue;
    this.#log = log;
  }

  /** Checks one page. A noted job that Redis does not know was lost when Redis was killed. */
  async check(): Promise<void> {
    const page = await transaction(this.#pool, async (client) => {
      if (!(await tryLockJobs(client))) return [];
      const jobs = await findQueued(client, this.#after, queuedBeforeCheckMs, checkedAtOnceMax);
      const states = await this.#statesOf(jobs);
      const checked = jobs.map((job, at) => ({ job, state: states[at] ?? 'under way' }));
      const lost = checked.filter(({ state }) => state === 'unknown').map(({ job }) => job.id);
      if (lost.length > 0) {
        await noteLost(client, lost);
        this.#log.warn({ jobs: lost.length }, 'Redis lost jobs of webhooks: they are added again');
      }
      return checked;
    });
    const last = page.at(-1)?.job;
    this.#after = last === undefined || page.length < checkedAtOnceMax ? start : last;
    await this.#forget(page.filter(({ state }) => state === 'done').map(({ job }) => job));
  }

  /** These jobs were done, and that could not be written to Postgres then. */
  async #forget(done: readonly DeliveryJob[]): Promise<void> {
    if (done.length === 0) return;
    await deleteJobs(
      this.#pool,
      done.map(({ id }) => id),
    );
    await settleBundles(
      this.#pool,
      done.map(({ bundle }) => bundle),
    );
  }

  async #statesOf(jobs: readonly DeliveryJob[]): Promise<JobState[]> {
    if (jobs.length === 0) return [];
    const asking = this.#redis.pipeline();
    for (const { id } of jobs) asking.hmget(this.#queue.toKey(id), 'timestamp', 'finishedOn');
    const replies = (await asking.exec()) ?? [];
    return jobs.map((_, at) => {
      const [error, fields] = replies[at] ?? [];
      if (error !== null || !Array.isArray(fields)) return 'under way';
      const [timestamp, finishedOn] = fields;
      if (timestamp === null) return 'unknown';
      return finishedOn === null ? 'under way' : 'done';
    });
  }
}
