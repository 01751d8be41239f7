import {
  type BackoffStrategy,
  DelayedError,
  type Job,
  UnrecoverableError,
  WaitingError,
  type Worker,
} from 'bullmq';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { type Pool, rowsOf } from '../../infra/runtime/stores/postgres.ts';
import { closeQueueWorker, openQueueWorker } from '../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { type BundledMessages, readBundles } from '../../infra/runtime/webhooks/bundles.ts';
import { countDeliveries } from '../../infra/runtime/webhooks/jobs.ts';
import {
  readWebhookJob,
  type WebhookJob,
  webhookJobNames,
  webhookJobOptions,
  webhookQueue,
} from '../../schemas/internal/webhook-job.ts';
import { limits } from '../limits.ts';
import type { Admission } from './admission/admission.ts';
import type { Deliverer } from './delivery/deliver.ts';
import type { DeliveryState } from './delivery/delivery.ts';
import { deliveriesOf, type PlacedDelivery } from './delivery/job-deliveries.ts';
import { Progress } from './delivery/progress.ts';
import { waitMs } from './delivery/schedule.ts';
import type { WebhookMetrics } from './metrics.ts';
import type { BundleReader } from './prepare/readers.ts';
import { HeldJobs } from './queue/held-jobs.ts';
import type { Requeue } from './queue/requeue.ts';
import type { Recorder } from './record/recorder.ts';
import { retryUntilBack } from './retry-until-back.ts';

/** So long a job is left alone after its process was killed, and so often it is taken again. */
const lockMs = 15_000;
const killedAttemptsMax = 100;

/** For how long a job is deferred when there is no memory for its bundle. */
const noMemoryMs = 1_000;

type WorkerParts = {
  pool: Pool;
  redis: Redis;
  /** For single deliveries. */
  bundles: BundleReader;
  admission: Admission;
  deliverer: Deliverer;
  recorder: Recorder;
  requeue: Requeue;
  logger: Logger;
  metrics: WebhookMetrics;
  /** Aborted when the process breaks off what is under way. */
  stopping: AbortSignal;
};

/** A single delivery failed: the queue takes it again after `delayMs`. */
class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';
  /** Empty: the queue would keep it with each job, and it is always the same. */
  override readonly stack = '';
  readonly delayMs: number;

  constructor(why: string, delayMs: number) {
    super(why);
    this.delayMs = delayMs;
  }
}

/** A single delivery is given up: its job goes to the failed ones. */
class GivenUp extends UnrecoverableError {
  override readonly stack = '';
}

/**
 * Takes jobs from the queue and attempts their deliveries. A bundle's job is done when each of its deliveries is done,
 * given up or a job of its own; a single delivery stays in its job, which the queue repeats.
 */
export class WebhookWorker {
  readonly #parts: WorkerParts;
  readonly #held = new HeldJobs();
  readonly #progress = new Progress();
  readonly #worker: Worker<unknown, void>;
  /** By the ids of their jobs. */
  readonly #underWay = new Map<string, Promise<void>>();
  #takenJobs = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { redis, logger } = parts;
    const options = {
      concurrency: limits.heldDeliveriesMax,
      lockDuration: lockMs,
      maxStalledCount: killedAttemptsMax,
      settings: { backoffStrategy },
    };
    const work = (job: Job<unknown>, token = '') => this.#workOneAfterTheOther(job, token);
    this.#worker = openQueueWorker(webhookQueue, redis, work, options, logger);
    this.#worker.on('completed', (job) => this.#progress.forget(job));
  }

  /** Attempts under way get a moment to end; `breakOff` must end the others, which are made again later. */
  async stop(breakOff: () => void): Promise<void> {
    this.#parts.admission.stop();
    await closeQueueWorker(this.#worker, limits.webhooksStopMsMax, breakOff);
    this.#progress.stop();
  }

  /** The queue gives a job again whose lock ran out, because Redis or this process stood still for so long. */
  async #workOneAfterTheOther(job: Job<unknown>, token: string): Promise<void> {
    const id = job.id ?? '';
    const working = (this.#underWay.get(id) ?? Promise.resolve()).then(() =>
      this.#work(job, token),
    );
    const ended = working.catch(() => undefined);
    this.#underWay.set(id, ended);
    try {
      await working;
    } finally {
      if (this.#underWay.get(id) === ended) this.#underWay.delete(id);
    }
  }

  async #work(job: Job<unknown>, token: string): Promise<void> {
    const data = readWebhookJob(job.data);
    if (data === undefined) {
      this.#parts.metrics.ended.inc({ reason: 'malformed' });
      throw new UnrecoverableError('the job is malformed');
    }
    this.#takenJobs += 1;
    try {
      await this.#holdAndAttempt(job, data, token);
      // The row goes first: a kill in between leaves a job in the queue that has nothing to do.
      const isWritten = await this.#noteDone(job, data);
      if (!isWritten && !isSingle(job)) await putBack(job, token);
    } finally {
      this.#takenJobs -= 1;
      this.#takeNoMoreThanNeeded();
    }
  }

  async #holdAndAttempt(job: Job<unknown>, data: WebhookJob, token: string): Promise<void> {
    const size = { deliveries: countDeliveries(data.messages), bytes: data.bytes };
    const holding = this.#held.tryHold(size);
    this.#takeNoMoreThanNeeded();
    const leave = await holding;
    if (leave === undefined) {
      this.#parts.metrics.deferred.inc();
      return defer(job, token, noMemoryMs);
    }
    try {
      if (isSingle(job)) await this.#attemptSingle(job, data, token);
      else await this.#attemptBundle(job, data, token);
    } finally {
      leave();
    }
  }

  async #attemptBundle(job: Job<unknown>, data: WebhookJob, token: string): Promise<void> {
    const { pool, logger, stopping } = this.#parts;
    const read = () => readBundles(rowsOf(pool), [data.bundle]);
    const found = await retryUntilBack(read, logger, stopping);
    if (found === undefined) return putBack(job, token);
    const [messages = noMessages] = found;
    const deliveries = deliveriesOf(data, (offset) => messages.get(offset));
    let isDone = false;
    await this.#progress.saveWhile(job, async (done) => {
      const left = deliveries.filter(({ place }) => !done.has(place));
      // An attempt that throws does not end the others.
      const attempts = await Promise.allSettled(
        left.map(async (delivery) => {
          const bytes = messages.get(delivery.offset)?.payload.length;
          if (await this.#attemptOnce(data, delivery, bytes)) done.add(delivery.place);
        }),
      );
      for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
      isDone = done.size === deliveries.length;
    });
    if (!isDone) await putBack(job, token);
  }

  /** Attempts a delivery of a bundle. Returns whether this job is done with it. `bytes` undefined: it is not kept. */
  async #attemptOnce(
    data: WebhookJob,
    delivery: PlacedDelivery,
    bytes: number | undefined,
  ): Promise<boolean> {
    const { bundle, attempts = 0, replay = '' } = data;
    const { webhookId, offset } = delivery;
    const attemptsMax = webhookJobOptions.attempts;
    if (bytes === undefined) {
      this.#parts.deliverer.dropNotKept();
      return true;
    }
    const state = await this.#parts.deliverer.attempt(delivery, { attempts, attemptsMax });
    switch (state.kind) {
      case 'done':
      case 'givenUp':
        return true;
      case 'pending':
        return false;
      case 'deferred':
      case 'waiting':
        break;
    }
    const { orgId, attempts: attemptsNow } = state;
    const own = {
      orgId,
      webhookId,
      bundle,
      offsets: [offset],
      bytes,
      attempts: attemptsNow,
      replay,
    };
    return this.#parts.requeue.add(own, state.delayMs);
  }

  async #attemptSingle(job: Job<unknown>, data: WebhookJob, token: string): Promise<void> {
    const { bundles, deliverer } = this.#parts;
    const [delivery] = deliveriesOf(data, async (offset) =>
      (await bundles.read(data.bundle))?.get(offset),
    );
    if (delivery === undefined) return;
    const before = data.attempts ?? 0;
    const attemptsMax = before + (job.opts.attempts ?? 1);
    let state: DeliveryState | undefined;
    await this.#progress.saveWhile(job, async (done) => {
      if (done.has(0)) return;
      const attempts = before + job.attemptsMade;
      state = await deliverer.attempt(delivery, { attempts, attemptsMax });
      if (state.kind === 'done') done.add(0);
    });
    await this.#endSingle(job, data, token, state);
  }

  async #endSingle(
    job: Job<unknown>,
    data: WebhookJob,
    token: string,
    state: DeliveryState | undefined,
  ): Promise<void> {
    switch (state?.kind) {
      case undefined:
      case 'done':
        return;
      case 'pending':
        return putBack(job, token);
      case 'deferred':
        return defer(job, token, state.delayMs);
      case 'waiting':
        throw new AttemptFailed(state.why, state.delayMs);
      case 'givenUp':
        await this.#noteDone(job, data);
        throw new GivenUp(state.why);
    }
  }

  #noteDone(job: Job<unknown>, { bundle }: WebhookJob): Promise<boolean> {
    const id = job.id ?? '';
    return this.#parts.recorder.done({ id, bundle });
  }

  /**
   * BullMQ limits how many jobs this process takes, of which one may have a single delivery and the next one hundreds.
   * While any waits for room here, none more is taken: other workers may have room, and the jobs of a killed process come
   * back late.
   */
  #takeNoMoreThanNeeded(): void {
    this.#worker.concurrency = this.#held.isWaitedFor
      ? Math.max(1, this.#takenJobs)
      : limits.heldDeliveriesMax;
  }
}

/** Of a bundle that is not kept any more. */
const noMessages: BundledMessages = new Map();

/** How long the queue waits after a job failed. */
const backoffStrategy: BackoffStrategy = (failures, _type, error, job) => {
  if (error instanceof AttemptFailed) return error.delayMs;
  const before = readWebhookJob(job?.data)?.attempts ?? 0;
  return waitMs(before + failures, 0, Math.random());
};

const isSingle = ({ name }: Job<unknown>): boolean => name === webhookJobNames.single;

async function defer(job: Job<unknown>, token: string, delayMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + delayMs, token);
  throw new DelayedError();
}

async function putBack(job: Job<unknown>, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}
