import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { Compile } from 'typebox/compile';
import type { Logger } from '../../infra/log.ts';
import type { Pool } from '../../infra/postgres.ts';
import type { Redis } from '../../infra/redis.ts';
import { WebhookJob, webhookJobId, webhookQueue } from '../../schemas/webhook-job.ts';
import type { Answer, Call, Caller } from './call.ts';
import type { Deliveries } from './deliveries.ts';
import { disableWebhook, type Why } from './disable.ts';
import type { Endpoints, TryResult } from './endpoints.ts';
import {
  failingMsMax,
  heldBytesMax,
  heldJobsMax,
  triesAtOnceMax,
  webhooksStopMsMax,
} from './limits.ts';
import type { TryOutcome, WebhookMetrics } from './metrics.ts';
import { askedMs, waitMs } from './schedule.ts';
import { signatures } from './signature.ts';
import type { Target, TargetCall, Targets } from './targets.ts';

/** A job whose process was killed is taken up again after at most the sum of these. */
const lockMs = 15_000;
const lookForStalledMs = 5_000;
const killedTriesMax = 100;

const tooMuchHeldMs = 1_000;
const deliveredRememberedMax = 10_000;

const jobs = Compile(WebhookJob);

/** A try that failed: the queue asks it how long the receiver wants to be left alone. */
class FailedTry extends Error {
  override readonly name = 'FailedTry';
  /** Kept with the job otherwise, and always the same. */
  override readonly stack = '';
  readonly askedMs: number;

  constructor(what: string, askedToWaitMs: number) {
    super(what);
    this.askedMs = askedToWaitMs;
  }
}

/**
 * Takes messages for webhooks from the queue and delivers them: prepare, call, settle. The queue tries again
 * what failed.
 *
 * @returns how to stop it: what is under way may end for a moment, and is tried again otherwise.
 */
export function startWebhookWorker(
  parts: {
    redis: Redis;
    pool: Pool;
    targets: Targets;
    endpoints: Endpoints;
    caller: Caller;
    deliveries: Deliveries;
  },
  log: Logger,
  metrics: WebhookMetrics,
  stopping: AbortController,
): () => Promise<void> {
  const { redis, pool, targets, endpoints, caller, deliveries } = parts;
  let heldBytes = 0;
  /** Delivered, while the queue does not know it yet: it may give them again after Redis was away. */
  const delivered = new LRUCache<string, true>({ max: deliveredRememberedMax });

  async function work(job: Job<unknown>, token = ''): Promise<void> {
    const { data } = job;
    if (!jobs.Check(data)) {
      metrics.ended.inc({ reason: 'malformed' });
      throw new UnrecoverableError('this is no message for a webhook');
    }
    if (delivered.has(placeOf(job))) return;
    const bytes = data.payload.length;
    // The largest is let through alone.
    if (heldBytes > 0 && heldBytes + bytes > heldBytesMax) {
      await putAside(job, token, Date.now() + tooMuchHeldMs);
    }
    heldBytes += bytes;
    try {
      await deliver(job, data, token);
    } finally {
      heldBytes -= bytes;
    }
  }

  async function deliver(job: Job<unknown>, data: WebhookJob, token: string): Promise<void> {
    await deliveries.room(stopping.signal);
    const seen = await find(data, job, token);
    if (seen === undefined) return;
    const word = await endpoints.enter(`${seen.webhookId} ${seen.call?.origin}`, seen.orgId);
    if (word.kind === 'stopped') return putBack(job, token);
    if (word.kind === 'aside') return putAside(job, token, word.untilMs);
    let result: TryResult | undefined;
    try {
      // It may have changed while this one waited for its turn.
      const target = await find(data, job, token);
      if (target === undefined) return;
      const answer = await tryOnce(data, target);
      if (answer.status === undefined && answer.why.kind === 'stopped') {
        return await putBack(job, token);
      }
      result = resultOf(answer);
      await settle(job, data, target, answer, result);
    } finally {
      word.leave(result);
    }
  }

  /** The webhook, if it is still to be called. Otherwise the job is over. */
  async function find(
    data: WebhookJob,
    job: Job<unknown>,
    token: string,
  ): Promise<Target | undefined> {
    const target = await targets.find(data.webhook_id).catch(() => putBack(job, token));
    if (target === undefined) metrics.ended.inc({ reason: 'webhook deleted' });
    else if (target.disabled) metrics.ended.inc({ reason: 'webhook disabled' });
    return target?.disabled === false ? target : undefined;
  }

  async function tryOnce(data: WebhookJob, { call }: Target): Promise<Answer> {
    if (call !== undefined) return caller.call(request(data, call, Date.now()));
    const what = 'its URL, headers or secret can not be used';
    return {
      status: undefined,
      why: { kind: 'not sent', what },
      durationMs: 0,
      body: Buffer.alloc(0),
    };
  }

  /** Writes down what came of a try, and throws where there is to be another, or none. */
  async function settle(
    job: Job<unknown>,
    data: WebhookJob,
    target: Target,
    answer: Answer,
    result: TryResult,
  ): Promise<void> {
    const { status = null, durationMs, body } = answer;
    const well = result.kind === 'well';
    const error = answer.status === undefined ? answer.why.what : null;
    const row = {
      webhookId: data.webhook_id,
      messageId: data.message_id,
      attempt: job.attemptsMade + 1,
      triedAt: new Date(Date.now() - durationMs),
      durationMs,
      status,
      error,
      answer: body,
    };
    deliveries.note(row, target, well);
    metrics.tries.inc({ outcome: outcomeOf(answer) });
    metrics.duration.observe(durationMs / 1_000);
    if (well) {
      delivered.set(placeOf(job), true);
      return;
    }
    if (status === 410) {
      await turnOff(target, 'gone');
      metrics.ended.inc({ reason: 'gone' });
      throw new UnrecoverableError('the receiver is gone: 410');
    }
    const { failingSince } = target;
    if (failingSince !== null && Date.now() - failingSince.getTime() >= failingMsMax) {
      await turnOff(target, 'failing');
    }
    throw new FailedTry(error ?? `the receiver answered ${status}`, result.askedMs);
  }

  async function turnOff(target: Target, why: Why): Promise<void> {
    const { webhookId: webhook } = target;
    if (await disableWebhook(pool, target, why, log)) {
      metrics.disabled.inc({ why });
      log.warn({ webhook, why }, 'a webhook was disabled');
    }
    targets.forget(webhook);
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

  const worker = new Worker<unknown, void>(webhookQueue, work, {
    connection: redis,
    concurrency: triesAtOnceMax + heldJobsMax,
    lockDuration: lockMs,
    stalledInterval: lookForStalledMs,
    maxStalledCount: killedTriesMax,
    settings: {
      backoffStrategy: (failedTries, _type, error) =>
        waitMs(failedTries, error instanceof FailedTry ? error.askedMs : 0, Math.random()),
    },
  });
  worker.on('completed', (job) => void delivered.delete(placeOf(job)));
  worker.on('failed', (job, error) => {
    if (job?.finishedOn === undefined || !(error instanceof FailedTry)) return;
    metrics.ended.inc({ reason: 'given up' });
    const { id, attemptsMade: tries } = job;
    log.warn({ message: id, tries, reason: error.message }, 'a webhook message was given up');
  });
  // While Redis is away there is one of these for each attempt to reach it, and one line told of it.
  worker.on('error', (error) => {
    if (redis.status === 'ready') log.error({ error: error.message }, 'the webhook queue failed');
  });

  return async () => {
    const closed = worker.close();
    endpoints.stop();
    await Promise.race([closed, delay(webhooksStopMsMax, undefined, { ref: false })]);
    stopping.abort();
    caller.breakOff();
    await closed;
  };
}

/** The same job added again, to repeat it, is another one. */
const placeOf = (job: Job<unknown>): string => `${job.id} ${job.timestamp}`;

function request(data: WebhookJob, call: TargetCall, nowMs: number): Call {
  const body = Buffer.from(data.payload, data.encoding);
  const id = webhookJobId(data.message_id, data.webhook_id);
  const timestamp = String(Math.floor(nowMs / 1_000));
  const keys = call.keys.filter(({ untilMs }) => untilMs > nowMs).map(({ key }) => key);
  const headers = [
    ...call.headers,
    ['content-type', data.content_type, 'user-agent', 'Millrace'],
    ['webhook-id', id, 'webhook-timestamp', timestamp],
  ].flat();
  if (keys.length > 0) {
    headers.push('webhook-signature', signatures(keys, id, timestamp, body));
  }
  return { origin: call.origin, path: call.path, headers, body };
}

function resultOf(answer: Answer): TryResult {
  if (answer.status === undefined) {
    return { kind: answer.why.kind === 'timed out' ? 'overloaded' : 'failed', askedMs: 0 };
  }
  if (isWell(answer.status)) return { kind: 'well', askedMs: 0 };
  return {
    kind: answer.status === 429 ? 'overloaded' : 'failed',
    askedMs: askedMs(answer.retryAfter, Date.now()),
  };
}

function outcomeOf(answer: Answer): TryOutcome {
  if (answer.status !== undefined) return isWell(answer.status) ? 'delivered' : 'refused';
  return answer.why.kind === 'stopped' ? 'broken off' : answer.why.kind;
}

const isWell = (status: number): boolean => status >= 200 && status < 300;
