import type { Queue } from 'bullmq';
import type { Counter } from '../../../infra/runtime/observability/metrics.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import {
  type Pool,
  type PoolClient,
  rowsOf,
  transaction,
} from '../../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../../infra/runtime/stores/redis.ts';
import { limits } from '../../limits.ts';
import {
  deleteJobs,
  findQueued,
  lockJobs,
  noteLost,
  type QueuedJob,
  tryLockJobs,
} from '../record/jobs-sql.ts';
import { settleBundles } from '../record/sql.ts';

type JobState = 'unknown' | 'done' | 'underWay';

const start = { queuedAt: '-infinity', id: '' };

/** `lost` counts the jobs. */
type LostJobsParts = { pool: Pool; redis: Redis; queue: Queue; lost: Counter };

/**
 * Finds jobs that Postgres has as queued, and that Redis does not know, because it was killed, emptied or replaced: they
 * wait for the queue again. Those that Redis has as done are ended.
 */
export class LostJobs {
  readonly #parts: LostJobsParts;
  readonly #logger: Logger;
  #run: string | undefined;
  #after = start;

  constructor(parts: LostJobsParts, logger: Logger) {
    this.#parts = parts;
    this.#logger = logger;
  }

  /**
   * Checks one page of the jobs that have been in the queue for a while; and all jobs at once if Redis is another than
   * it was. `run`: the id that Redis gave itself at its start.
   */
  async check(run: string): Promise<void> {
    const isOther = this.#run !== undefined && this.#run !== run;
    if (isOther) {
      this.#after = start;
      do await this.#checkPage(0, lockJobs);
      while (this.#after !== start);
    } else {
      await this.#checkPage(limits.queuedBeforeCheckMs, tryLockJobs);
    }
    this.#run = run;
  }

  async #checkPage(
    queuedBeforeMs: number,
    lock: (client: PoolClient) => Promise<boolean>,
  ): Promise<void> {
    const page = await transaction(this.#parts.pool, async (client) => {
      if (!(await lock(client))) return [];
      const jobs = await findQueued(client, this.#after, queuedBeforeMs, limits.checkedAtOnceMax);
      const states = await this.#statesOf(jobs);
      const checked = jobs.map((job, at) => ({ job, state: states[at] ?? 'underWay' }));
      const lost = checked.filter(({ state }) => state === 'unknown').map(({ job }) => job.id);
      if (lost.length > 0) {
        await noteLost(client, lost);
        this.#parts.lost.inc(lost.length);
        this.#logger.warn(
          { jobs: lost.length },
          'Redis lost jobs of webhooks: they are added again',
        );
      }
      return checked;
    });
    const last = page.at(-1)?.job;
    this.#after = last === undefined || page.length < limits.checkedAtOnceMax ? start : last;
    await this.#end(page.filter(({ state }) => state === 'done').map(({ job }) => job));
  }

  /** These jobs were done, and that could not be written to Postgres then. */
  async #end(done: readonly QueuedJob[]): Promise<void> {
    const { pool } = this.#parts;
    await deleteJobs(
      rowsOf(pool),
      done.map(({ id }) => id),
    );
    await settleBundles(
      pool,
      done.map(({ bundle }) => bundle),
    );
  }

  async #statesOf(jobs: readonly QueuedJob[]): Promise<JobState[]> {
    if (jobs.length === 0) return [];
    const { redis, queue } = this.#parts;
    const asking = redis.pipeline();
    for (const { id } of jobs) asking.hmget(queue.toKey(id), 'timestamp', 'finishedOn');
    const replies = (await asking.exec()) ?? [];
    return jobs.map((_, at) => {
      const [error, fields] = replies[at] ?? [];
      if (error !== null || !Array.isArray(fields)) return 'underWay';
      const [timestamp, finishedOn] = fields;
      if (timestamp === null) return 'unknown';
      return finishedOn === null ? 'underWay' : 'done';
    });
  }
}
