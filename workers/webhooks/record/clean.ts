import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { sleep, startPolling } from '../../../infra/runtime/process/poll.ts';
import { type Pool, transaction } from '../../../infra/runtime/stores/postgres.ts';
import { noteMissed } from '../../../infra/runtime/webhooks/jobs.ts';
import { deleteIdleOrgs, takeLateJobs } from './jobs-sql.ts';
import {
  deleteOldDeliveries,
  deleteOldBundles,
  deleteSurplusDeliveries,
  deleteSurplusBundles,
  giveUpBundles,
  settleBundles,
} from './sql.ts';

/** How long a try, and a message that was forwarded, can be looked at and repeated. */
const keptDays = 7;
/** And how many of them, however fast they come. */
const keptDeliveriesMax = 20_000_000;
const keptBundlesMax = 1_000_000;
/** Copies wait for a place in the queue for as long as the schedule of tries lasts. */
const waitDaysMax = 4;
/** A bundle that still waits to be sent, or whose end was lost with a worker. */
const keptUnsettledDays = 30;

const lookEveryMs = 60_000;
const giveUpEveryMs = 3_600_000;
const rowsAtOnceMax = 5_000;
/** Whoever else uses Postgres has it in between. */
const pauseMs = 50;

/** Deletes what is too old or too much, a little at a time. Several workers share the work. */
export function startCleaning(pool: Pool, log: Logger): () => Promise<void> {
  let gaveUpAt = Number.NEGATIVE_INFINITY;

  async function clean(stopping: AbortSignal): Promise<void> {
    const cleanAll = async (remove: (rowsMax: number) => Promise<number>) => {
      while (!stopping.aborted && (await remove(rowsAtOnceMax)) === rowsAtOnceMax) {
        await sleep(pauseMs, stopping);
      }
    };
    await cleanAll((rowsMax) => deleteOldDeliveries(pool, keptDays, rowsMax));
    await cleanAll((rowsMax) => deleteSurplusDeliveries(pool, keptDeliveriesMax, rowsMax));
    await cleanAll((rowsMax) => endLateJobs(pool, log, rowsMax));
    if (performance.now() - gaveUpAt > giveUpEveryMs) {
      await cleanAll((rowsMax) => giveUpBundles(pool, rowsMax));
      await deleteIdleOrgs(pool);
      gaveUpAt = performance.now();
    }
    const bundleDays = { settled: keptDays, unsettled: keptUnsettledDays };
    await cleanAll((rowsMax) => deleteOldBundles(pool, bundleDays, rowsMax));
    // Postgres' count lags, so there is one step of these for each look.
    await deleteSurplusBundles(pool, keptBundlesMax, rowsAtOnceMax);
  }

  return startPolling(clean, {
    everyMs: lookEveryMs,
    onFailure: (error) => log.warn({ error }, 'old webhook deliveries were not deleted'),
  });
}

/** Ends jobs that have waited for too long, and tells of it; how many. */
async function endLateJobs(pool: Pool, log: Logger, jobsMax: number): Promise<number> {
  const atMs = Date.now();
  const late = await transaction(pool, async (client) => {
    const jobs = await takeLateJobs(client, waitDaysMax, jobsMax);
    const copies = new Map<string, number>();
    for (const { webhookId, offsets } of jobs) {
      copies.set(webhookId, (copies.get(webhookId) ?? 0) + offsets.length);
    }
    await noteMissed(
      async (text, values) => (await client.query(text, values)).rows,
      [...copies].map(([webhookId, count]) => ({
        webhookId,
        copies: count,
        fromMs: atMs,
        toMs: atMs,
      })),
    );
    return jobs;
  });
  if (late.length > 0) {
    log.warn(
      { jobs: late.length },
      'copies for webhooks waited for too long and are not delivered',
    );
    await settleBundles(
      pool,
      late.map(({ bundle }) => bundle),
    );
  }
  return late.length;
}
