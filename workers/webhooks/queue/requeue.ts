import type { Queue } from 'bullmq';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Pool, rowsOf, transaction } from '../../../infra/runtime/stores/postgres.ts';
import {
  type DeliveryGroup,
  type DeliveryJob,
  groupJobOf,
  insertJobs,
  quarterShare,
  queueJobOf,
  singleJobId,
} from '../../../infra/runtime/webhooks/jobs.ts';
import { webhookBundleId } from '../../../schemas/internal/webhook-job.ts';
import { limits } from '../../limits.ts';
import { countQueued, lockJobs } from '../record/jobs-sql.ts';
import { retryUntilBack } from '../retry-until-back.ts';
import type { RedisLook } from './redis-look.ts';
import { Shares } from './shares.ts';

/** A delivery that becomes a job of its own; it has one offset. */
export type LateDelivery = { job: DeliveryJob; dueMs: number };

type Waiting = PromiseWithResolvers<boolean> & LateDelivery;

type RequeueParts = {
  pool: Pool;
  queue: Queue;
  look: () => Promise<RedisLook>;
  deliveriesPerOrgMax: number;
};

/**
 * Makes jobs of deliveries that failed or were deferred in the bundle they came in. Those over their org's share
 * wait in Postgres, until there is room in the queue again.
 */
export class Requeue {
  readonly #parts: RequeueParts;
  readonly #logger: Logger;
  readonly #stopping: AbortSignal;
  #waiting: Waiting[] = [];

  constructor(parts: RequeueParts, logger: Logger, stopping: AbortSignal) {
    this.#parts = parts;
    this.#logger = logger;
    this.#stopping = stopping;
  }

  /** False if it could not be noted before the stop. */
  add(delivery: DeliveryGroup, delayMs: number): Promise<boolean> {
    const dueMs = Date.now() + delayMs;
    const job: DeliveryJob = { ...delivery, kind: 'single', id: singleJobId(delivery) };
    const waiting: Waiting = { ...Promise.withResolvers<boolean>(), job, dueMs };
    this.#waiting.push(waiting);
    if (this.#waiting.length === 1) setTimeout(() => void this.#write(), limits.requeueEveryMs);
    return waiting.promise;
  }

  async #write(): Promise<void> {
    const late = this.#waiting;
    this.#waiting = [];
    try {
      const queued = await retryUntilBack(() => this.#note(late), this.#logger, this.#stopping);
      const nowMs = Date.now();
      const jobs = (queued ?? []).map(({ job, dueMs }) => queueJobOf(job, dueMs - nowMs));
      if (jobs.length > 0) await this.#parts.queue.addBulk(jobs);
      for (const { resolve } of late) resolve(queued !== undefined);
    } catch (error) {
      for (const { reject } of late) reject(error);
    }
  }

  /**
   * Returns those that go to the queue. No other process counts or moves jobs meanwhile, so no share is given twice.
   */
  async #note(late: readonly LateDelivery[]): Promise<readonly LateDelivery[]> {
    const { pool, look, deliveriesPerOrgMax } = this.#parts;
    const { isMemoryLow } = await look();
    return transaction(pool, async (client) => {
      const rows = rowsOf(client);
      await lockJobs(client);
      const orgIds = [...new Set(late.map(({ job }) => job.orgId))];
      const queuedBefore = await countQueued(rows, orgIds, 'single');
      const shares = new Shares(quarterShare(deliveriesPerOrgMax), queuedBefore);
      const { queued, waiting } = isMemoryLow
        ? { queued: [], waiting: late }
        : splitByShare(late, shares);
      await insertJobs(
        rows,
        queued.map(({ job, dueMs }) => ({ ...job, dueMs })),
        true,
      );
      await insertJobs(rows, groupsOf(waiting), false);
      return queued;
    });
  }
}

/** Which deliveries have room in their org's share, and which wait for it. */
export function splitByShare(
  late: readonly LateDelivery[],
  shares: Shares,
): { queued: LateDelivery[]; waiting: LateDelivery[] } {
  const queued: LateDelivery[] = [];
  const waiting: LateDelivery[] = [];
  for (const delivery of late) {
    const { orgId, webhookId } = delivery.job;
    const hasRoom = shares.room(orgId, webhookId) > 0;
    if (hasRoom) shares.take(orgId, webhookId, 1);
    (hasRoom ? queued : waiting).push(delivery);
  }
  return { queued, waiting };
}

/**
 * Deliveries of one bundle to one webhook that had equally many attempts wait as one group, until the last of them is
 * due.
 */
export function groupsOf(late: readonly LateDelivery[]): (DeliveryJob & { dueMs: number })[] {
  const groups = new Map<string, DeliveryGroup & { dueMs: number }>();
  for (const { job, dueMs } of late) {
    const { bundle, webhookId, attempts, replay } = job;
    const key = `${webhookBundleId(bundle)} ${webhookId} ${attempts} ${replay}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ...job, offsets: [...job.offsets], dueMs });
    else {
      group.offsets.push(...job.offsets);
      group.bytes += job.bytes;
      group.dueMs = Math.max(group.dueMs, dueMs);
    }
  }
  return [...groups.values()].map((group) => ({ ...groupJobOf(group), dueMs: group.dueMs }));
}
