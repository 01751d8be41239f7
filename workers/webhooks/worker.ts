import {
  type BackoffStrategy,
  DelayedError,
  type Job,
  UnrecoverableError,
  WaitingError,
} from 'bullmq';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { closeQueueWorker, openQueue, openQueueWorker } from '../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { readBundles, rowsOf } from '../../infra/runtime/webhooks/bundles.ts';
import {
  readWebhookJob,
  type WebhookJob,
  webhookJobNames,
  webhookMessageId,
  webhookBundleId,
  webhookQueue,
} from '../../schemas/internal/webhook-job.ts';
import { createDeliver, type DeliverParts, type Outcome } from './deliver.ts';
import { createLater } from './record/later.ts';
import { heldBytesMax, heldCopiesMax, webhooksStopMsMax } from './limits.ts';
import { createLine } from './admission/semaphore.ts';
import type { WebhookMetrics } from './metrics.ts';
import { copiesOf, countOf, createWorkBundle, settledOf } from './prepare/bundle.ts';
import { createReadBundle } from './prepare/bundles.ts';
import { readPatiently } from './prepare/retry-until-back.ts';
import { waitMs } from './schedule.ts';

/** So long a job is left alone after its process was killed, and so often it is taken again. */
const lockMs = 15_000;
const killedTriesMax = 100;

const tooMuchHeldMs = 1_000;
const settledRememberedMax = 10_000;

/** A try that failed: the queue asks it how long the receiver wants to be left alone. */
class FailedTry extends Error {
  override readonly name = 'FailedTry';
  /** Kept with the job otherwise, and always the same. */
  override readonly stack = '';
  readonly askedMs: number;
  /** Of the request that brought the message. */
  readonly requestId: string;

  constructor({ why, askedMs, requestId }: Extract<Outcome, { kind: 'failed' }>) {
    super(why);
    this.askedMs = askedMs;
    this.requestId = requestId;
  }
}

/**
 * Takes messages for webhooks from the queue and delivers them. The queue tries again what failed.
 *
 * @returns how to stop it: what is under way may end for a moment, and is tried again otherwise.
 */
export function startWebhookWorker(
  parts: DeliverParts & { redis: Redis; isMemoryLow: () => boolean; deliveriesPerOrgMax: number },
  log: Logger,
  metrics: WebhookMetrics,
  stopping: AbortController,
): () => Promise<void> {
  const { redis, pool, endpoints, caller, deliveries } = parts;
  const deliver = createDeliver(parts, log, metrics, stopping.signal);
  const queue = openQueue(webhookQueue, redis);
  const later = createLater({ ...parts, queue }, log, stopping.signal);
  const bundles = createWorkBundle(later, deliver, log, metrics);
  const readBundle = createReadBundle(pool, log, stopping.signal);
  const line = createLine(heldCopiesMax);
  let takenJobs = 0;
  let heldBytes = 0;
  /** Settled, while the queue does not know it yet: it may give them again after Redis was away. */
  const settledCopies = new LRUCache<string, Set<number>>({ max: settledRememberedMax });

  async function work(job: Job<unknown>, token = ''): Promise<void> {
    const data = readWebhookJob(job.data);
    if (data === undefined) {
      metrics.ended.inc({ reason: 'malformed' });
      throw new UnrecoverableError('this is no message for a webhook');
    }
    const copies = countOf(data);
    const { bytes } = data;
    // The largest is let through alone.
    if (heldBytes > 0 && heldBytes + bytes > heldBytesMax) {
      await putAside(job, token, Date.now() + tooMuchHeldMs);
    }
    heldBytes += bytes;
    takenJobs += 1;
    try {
      const turn = line.enter(copies);
      takeNoMoreThanNeeded();
      await turn;
      try {
        await (job.name === webhookJobNames.single
          ? workOne(job, data, token)
          : workBundle(job, data, token));
      } finally {
        line.leave(copies);
        heldBytes -= bytes;
      }
      // What of it is settled stands in the job.
      const isEnded = await end(job, data);
      if (!isEnded && job.name === webhookJobNames.bundle) await putBack(job, token);
    } finally {
      takenJobs -= 1;
      takeNoMoreThanNeeded();
    }
  }

  /** Postgres forgets a job before the queue does: a process that is killed in between is no reason to keep it. */
  function end(job: Job<unknown>, { bundle }: WebhookJob): Promise<boolean> {
    const id = job.id ?? '';
    return deliveries.noteEnded({ id, bundle, isBundle: id === webhookBundleId(bundle) });
  }

  /** While jobs stand in line no others are taken: what a killed process had taken comes back late. */
  function takeNoMoreThanNeeded(): void {
    worker.concurrency = line.isLong() ? Math.max(1, takenJobs) : heldCopiesMax;
  }

  /** What is known to be settled of a job. The same job added again, to repeat it, is another one. */
  function settledIn(job: Job<unknown>): Set<number> {
    const settled = settledCopies.get(placeOf(job)) ?? new Set();
    settledCopies.set(placeOf(job), settled);
    for (const place of settledOf(job)) settled.add(place);
    return settled;
  }

  async function workBundle(job: Job<unknown>, data: WebhookJob, token: string): Promise<void> {
    const settled = settledIn(job);
    const read = () => readBundles(rowsOf(pool), [data.bundle]);
    const found = await readPatiently(read, log, stopping.signal);
    if (found === undefined) return putBack(job, token);
    const copies = copiesOf(data, found[0] ?? new Map());
    if (!(await bundles.work(job, data, copies, settled))) return putBack(job, token);
  }

  async function workOne(job: Job<unknown>, data: WebhookJob, token: string): Promise<void> {
    const settled = settledIn(job);
    const [message] = data.messages;
    const webhookId = message?.webhook_ids[0];
    if (settled.has(0) || message === undefined || webhookId === undefined) return;
    const { offset } = message;
    const copy = {
      webhookId,
      messageId: webhookMessageId({ ...data.bundle, offset }),
      read: async () => (await readBundle(data.bundle))?.get(offset),
    };
    const tries = (data.attempts ?? 0) + job.attemptsMade + 1;
    const outcome = await deliver(copy, tries);
    switch (outcome.kind) {
      case 'over':
        settled.add(0);
        await job.updateProgress([0]);
        return;
      case 'stopped':
        return putBack(job, token);
      case 'aside':
        return putAside(job, token, outcome.untilMs);
      case 'given up':
        await end(job, data);
        throw new UnrecoverableError(outcome.why);
      case 'failed':
        if (job.attemptsMade + 1 >= (job.opts.attempts ?? 1)) await end(job, data);
        throw new FailedTry(outcome);
    }
  }

  async function putAside(job: Job<unknown>, token: string, untilMs: number): Promise<never> {
    await job.moveToDelayed(untilMs, token);
    metrics.putAside.inc();
    throw new DelayedError();
  }

  async function putBack(job: Job<unknown>, token: string): Promise<never> {
    await job.moveToWait(token);
    throw new WaitingError();
  }

  const backoffStrategy: BackoffStrategy = (failedTries, _type, error, job) =>
    waitMs(
      failedTries + triesBefore(job?.data),
      error instanceof FailedTry ? error.askedMs : 0,
      Math.random(),
    );
  const worker = openQueueWorker(
    webhookQueue,
    redis,
    work,
    {
      concurrency: heldCopiesMax,
      lockDuration: lockMs,
      maxStalledCount: killedTriesMax,
      settings: { backoffStrategy },
    },
    log,
  );
  worker.on('completed', (job) => void settledCopies.delete(placeOf(job)));
  worker.on('failed', (job, error) => {
    if (job?.finishedOn === undefined || !(error instanceof FailedTry)) return;
    metrics.ended.inc({ reason: 'given_up' });
    const tries = job.attemptsMade + triesBefore(job.data);
    const { requestId: request_id, message: reason } = error;
    log.warn({ request_id, message: job.id, tries, reason }, 'a webhook message was given up');
  });
  return async () => {
    endpoints.stop();
    await closeQueueWorker(worker, webhooksStopMsMax, () => {
      stopping.abort();
      caller.breakOff();
      deliveries.leaveEnded();
    });
    bundles.stop();
    await queue.close();
  };
}

const placeOf = (job: Job<unknown>): string => `${job.id} ${job.timestamp}`;

/** How often a copy was tried before it was a job of its own. */
const triesBefore = (data: unknown): number => readWebhookJob(data)?.attempts ?? 0;
