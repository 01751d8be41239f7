import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { startPolling } from '../../../infra/runtime/process/poll.ts';
import { sleep } from '../../../infra/runtime/process/sleep.ts';
import { type Pool, rowsOf, transaction } from '../../../infra/runtime/stores/postgres.ts';
import { noteMissed } from '../../../infra/runtime/webhooks/jobs.ts';
import { deleteIdleOrgs, takeLateJobs } from './jobs-sql.ts';
import {
  deleteOldAttempts,
  deleteOldBundles,
  deleteSurplusAttempts,
  deleteSurplusBundles,
  settleBundles,
} from './sql.ts';

/** How long attempts can be read, and messages replayed. */
const keptDays = 7;
/** How many attempts are kept at most. */
const keptAttemptsMax = 20_000_000;
const keptBundlesMax = 1_000_000;
/** Deliveries wait for a place in the queue for as long as the schedule of attempts lasts. */
const waitDaysMax = 4;
/** Bundles with deliveries left, or whose end was lost with a worker. */
const keptUnsettledDays = 30;

const lookEveryMs = 60_000;
const forgetOrgsEveryMs = 3_600_000;
const rowsAtOnceMax = 5_000;
/** The pause between two deletions: other work needs Postgres too. */
const pauseMs = 50;

/** Deletes rows that are too old or too many, a little at a time. Several workers share the work. */
export function startCleaning(pool: Pool, logger: Logger): () => Promise<void> {
  let forgotAt = Number.NEGATIVE_INFINITY;

  async function clean(stopping: AbortSignal): Promise<void> {
    const cleanAll = async (remove: (rowsMax: number) => Promise<number>) => {
      while (!stopping.aborted && (await remove(rowsAtOnceMax)) === rowsAtOnceMax) {
        await sleep(pauseMs, stopping);
      }
    };
    await cleanAll((rowsMax) => deleteOldAttempts(pool, keptDays, rowsMax));
    await cleanAll((rowsMax) => deleteSurplusAttempts(pool, keptAttemptsMax, rowsMax));
    await cleanAll((rowsMax) => endLateJobs(pool, logger, rowsMax));
    if (performance.now() - forgotAt > forgetOrgsEveryMs) {
      await deleteIdleOrgs(pool);
      forgotAt = performance.now();
    }
    const bundleDays = { settled: keptDays, unsettled: keptUnsettledDays };
    await cleanAll((rowsMax) => deleteOldBundles(pool, bundleDays, rowsMax));
    // Postgres' own count of rows lags, so only one step at a time.
    await deleteSurplusBundles(pool, keptBundlesMax, rowsAtOnceMax);
  }

  return startPolling(clean, {
    everyMs: lookEveryMs,
    onFailure: (error) => logger.warn({ error }, 'old attempts at webhooks were not deleted'),
  });
}

/** Drops jobs that waited for too long, and notes that with their webhooks; returns how many. */
async function endLateJobs(pool: Pool, logger: Logger, jobsMax: number): Promise<number> {
  const atMs = Date.now();
  const late = await transaction(pool, async (client) => {
    const jobs = await takeLateJobs(client, waitDaysMax, jobsMax);
    const counts = new Map<string, number>();
    for (const { webhookId, offsets } of jobs) {
      counts.set(webhookId, (counts.get(webhookId) ?? 0) + offsets.length);
    }
    await noteMissed(
      rowsOf(client),
      [...counts].map(([webhookId, count]) => ({
        webhookId,
        deliveries: count,
        fromMs: atMs,
        toMs: atMs,
      })),
    );
    return jobs;
  });
  if (late.length > 0) {
    logger.warn(
      { jobs: late.length },
      'deliveries to webhooks waited for too long and are dropped',
    );
    await settleBundles(
      pool,
      late.map(({ bundle }) => bundle),
    );
  }
  return late.length;
}
