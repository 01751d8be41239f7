import type { Queue } from 'bullmq';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Pool, transaction } from '../../../infra/runtime/stores/postgres.ts';
import {
  type DeliveryGroup,
  singleJobId,
  groupJobId,
  insertJobs,
  type DeliveryJob,
  quarterShare,
  queueJobOf,
} from '../../../infra/runtime/webhooks/jobs.ts';
import type { Rows } from '../../../infra/runtime/webhooks/bundles.ts';
import { webhookBundleId } from '../../../schemas/internal/webhook-job.ts';
import { countQueued, lockJobs } from './jobs-sql.ts';
import { lateEveryMs } from '../limits.ts';
import { readPatiently } from '../prepare/retry-until-back.ts';
import { Shares } from '../admission/shares.ts';

/** Copies that could not be delivered in the bundle they came in: each becomes a job of its own, or waits to. */
export type Later = {
  /** Whether it was noted before the stop. Its `offsets` are one. */
  add(copy: DeliveryGroup, delayMs: number): Promise<boolean>;
};

type LateCopy = PromiseWithResolvers<boolean> & { copy: DeliveryJob; dueMs: number };

/** `memory`: whether Redis has little left. */
export function createLater(
  parts: { pool: Pool; queue: Queue; isMemoryLow: () => boolean; deliveriesPerOrgMax: number },
  log: Logger,
  stopping: AbortSignal,
): Later {
  const { pool, queue, isMemoryLow, deliveriesPerOrgMax } = parts;
  let waiting: LateCopy[] = [];

  /** Gives what goes to the queue. Nobody else counts or moves jobs meanwhile, so that no share is given twice. */
  function note(late: readonly LateCopy[]): Promise<LateCopy[]> {
    return transaction(pool, async (client) => {
      const rows: Rows = async (text, values) => (await client.query(text, values)).rows;
      await lockJobs(client);
      const orgIds = [...new Set(late.map(({ copy }) => copy.orgId))];
      const single = await countQueued(rows, orgIds, 'single');
      const shares = new Shares(quarterShare(deliveriesPerOrgMax), single);
      const queued: LateCopy[] = [];
      const over: LateCopy[] = [];
      for (const one of late) {
        const { orgId, webhookId } = one.copy;
        const hasRoom = !isMemoryLow() && shares.room(orgId, webhookId) > 0;
        if (hasRoom) shares.take(orgId, webhookId, 1);
        (hasRoom ? queued : over).push(one);
      }
      const jobs = queued.map(({ copy, dueMs }) => ({ ...copy, dueMs }));
      await insertJobs(rows, jobs, true);
      await insertJobs(rows, together(over), false);
      return queued;
    });
  }

  async function write(late: readonly LateCopy[]): Promise<void> {
    const queued = await readPatiently(() => note(late), log, stopping);
    if (queued !== undefined && queued.length > 0) {
      const nowMs = Date.now();
      await queue.addBulk(queued.map(({ copy, dueMs }) => queueJobOf(copy, dueMs - nowMs)));
    }
    for (const { resolve } of late) resolve(queued !== undefined);
  }

  /** Those of one moment go together. */
  function writeSoon(): void {
    setTimeout(() => {
      const late = waiting;
      waiting = [];
      write(late).catch((error: unknown) => {
        for (const { reject } of late) reject(error);
      });
    }, lateEveryMs);
  }

  return {
    add(copy, delayMs) {
      const dueMs = Date.now() + Math.max(0, delayMs);
      const one = {
        ...Promise.withResolvers<boolean>(),
        copy: { ...copy, id: singleJobId(copy) },
        dueMs,
      };
      waiting.push(one);
      if (waiting.length === 1) writeSoon();
      return one.promise;
    },
  };
}

/** Copies of one bundle for one webhook that have had as many tries wait as one group, until the last of them is due. */
function together(late: readonly LateCopy[]): (DeliveryJob & { dueMs: number })[] {
  const groups = new Map<string, DeliveryJob & { dueMs: number }>();
  for (const { copy, dueMs } of late) {
    const { bundle, webhookId, attempts, replay } = copy;
    const key = `${webhookBundleId(bundle)} ${webhookId} ${attempts} ${replay}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ...copy, offsets: [...copy.offsets], dueMs });
    else {
      group.offsets.push(...copy.offsets);
      group.bytes += copy.bytes;
      group.dueMs = Math.max(group.dueMs, dueMs);
    }
  }
  return [...groups.values()].map((group) => ({ ...group, id: groupJobId(group) }));
}
