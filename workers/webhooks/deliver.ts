import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { noThing, type BundledMessage } from '../../infra/runtime/webhooks/bundles.ts';
import { webhookJobId } from '../../schemas/internal/webhook-job.ts';
import type { Answer, Call, Caller } from './call/call.ts';
import type { Deliveries } from './record/deliveries.ts';
import { disableWebhook, type Why } from './admission/disable.ts';
import type { Endpoints, TryResult } from './admission/endpoints.ts';
import { failingMsMax } from './limits.ts';
import type { TryOutcome, WebhookMetrics } from './metrics.ts';
import { askedMs } from './schedule.ts';
import { signatures } from './call/signature.ts';
import type { Target, TargetCall, Targets } from './call/targets.ts';

export type DeliverParts = {
  pool: Pool;
  targets: Targets;
  endpoints: Endpoints;
  caller: Caller;
  deliveries: Deliveries;
};

/** One copy of one message, for one webhook. Its content is read when it is its turn. */
export type Copy = {
  webhookId: string;
  messageId: string;
  read: () => BundledMessage | undefined | Promise<BundledMessage | undefined>;
};

/**
 * What came of a copy:
 *
 * - over: it was delivered, or there is nobody to deliver it to any more;
 * - failed: it is to be tried again, and the receiver wants to be left alone for `askedMs`;
 * - given up: it is not to be tried again;
 * - aside: it was not tried, and can't be before a moment;
 * - stopped: it was not tried, or broken off, because this process ends.
 */
export type Outcome =
  | { kind: 'over' | 'stopped' }
  | { kind: 'failed'; orgId: string; requestId: string; why: string; askedMs: number }
  | { kind: 'given up'; why: string }
  | { kind: 'aside'; orgId: string; untilMs: number };

const notSent: Answer = {
  status: undefined,
  why: { kind: 'not sent', what: 'its URL, headers or secret can not be used' },
  durationMs: 0,
  body: Buffer.alloc(0),
};

/** Delivers one copy, in its `attempt`th try (from 1): prepare, call, settle. */
export type Deliver = (copy: Copy, attempt: number) => Promise<Outcome>;

export function createDeliver(
  { pool, targets, endpoints, caller, deliveries }: DeliverParts,
  log: Logger,
  metrics: WebhookMetrics,
  stopping: AbortSignal,
): Deliver {
  /** The webhook, if it is still to be called. Most are known, and nobody waits for those. */
  function find(webhookId: string): Target | Outcome | Promise<Target | Outcome> {
    const found = targets.find(webhookId);
    if (!(found instanceof Promise)) return usable(found);
    return found.then(usable, () => ({ kind: 'stopped' }));
  }

  function usable(target: Target | undefined): Target | Outcome {
    if (target?.disabled === false) return target;
    metrics.ended.inc({ reason: target === undefined ? 'webhook_deleted' : 'webhook_disabled' });
    return { kind: 'over' };
  }

  /** Writes down what came of a try, and tells what follows from it. */
  function settle(
    { webhookId, messageId }: Copy,
    attempt: number,
    requestId: string,
    target: Target,
    answer: Answer,
    result: TryResult,
  ): Outcome | Promise<Outcome> {
    const { status = null, durationMs, body } = answer;
    const well = result.kind === 'well';
    const error = answer.status === undefined ? answer.why.what : null;
    const triedAtMs = Date.now() - durationMs;
    const tried = { webhookId, messageId, attempt, triedAtMs, durationMs, status, error };
    const row = { ...tried, requestId: requestId === '' ? null : requestId };
    deliveries.note({ ...row, answer: body.toString('base64') }, target, well);
    metrics.tries[outcomeOf(answer)].inc();
    metrics.duration.observe(durationMs / 1_000);
    if (well) return { kind: 'over' };
    return settleFailed(target, requestId, status, error, result);
  }

  async function settleFailed(
    target: Target,
    requestId: string,
    status: number | null,
    error: string | null,
    result: TryResult,
  ): Promise<Outcome> {
    if (status === 410) {
      await turnOff(target, 'gone', requestId);
      metrics.ended.inc({ reason: 'gone' });
      return { kind: 'given up', why: 'the receiver is gone: 410' };
    }
    const { failingSince } = target;
    if (failingSince !== null && Date.now() - failingSince.getTime() >= failingMsMax) {
      await turnOff(target, 'failing', requestId);
    }
    const why = error ?? `the receiver answered ${status}`;
    return { kind: 'failed', orgId: target.orgId, requestId, why, askedMs: result.askedMs };
  }

  async function turnOff(target: Target, why: Why, requestId: string): Promise<void> {
    const { webhookId: webhook } = target;
    const ofRequest = log.child({ request_id: requestId });
    if (await disableWebhook(pool, target, why, ofRequest)) {
      metrics.disabled.inc({ why });
      ofRequest.warn({ webhook, why }, 'a webhook was disabled');
    }
    targets.forget(webhook);
  }

  return async (copy, attempt) => {
    if (deliveries.isFull()) await deliveries.room(stopping);
    const found = find(copy.webhookId);
    const first = found instanceof Promise ? await found : found;
    if ('kind' in first) return first;
    const word = await endpoints.enter(`${first.webhookId} ${first.call?.origin}`, first.orgId);
    if (word.kind === 'stopped') return word;
    if (word.kind === 'aside') return { ...word, orgId: first.orgId };
    let result: TryResult | undefined;
    try {
      const reading = copy.read();
      const message = reading instanceof Promise ? await reading : reading;
      if (message === undefined) {
        if (stopping.aborted) return { kind: 'stopped' };
        metrics.ended.inc({ reason: 'not_kept' });
        return { kind: 'over' };
      }
      // It may have changed while this one waited for its turn.
      const now = find(copy.webhookId);
      const target = now instanceof Promise ? await now : now;
      if ('kind' in target) return target;
      const answer =
        target.call === undefined
          ? notSent
          : await caller.call(request(copy, message, target.call, Date.now()));
      if (answer.status === undefined && answer.why.kind === 'stopped') return { kind: 'stopped' };
      result = resultOf(answer);
      return await settle(copy, attempt, message.requestId, target, answer, result);
    } finally {
      word.leave(result);
    }
  };
}

function request(copy: Copy, message: BundledMessage, call: TargetCall, nowMs: number): Call {
  const { payload: body, contentType, receivedMs, subtopic, thingId } = message;
  const id = webhookJobId(copy.messageId, copy.webhookId);
  const timestamp = String(Math.floor(nowMs / 1_000));
  const keys = call.keys.filter(({ untilMs }) => untilMs > nowMs).map(({ key }) => key);
  const headers = [
    ...call.headers,
    'content-type',
    contentType,
    'user-agent',
    'Millrace',
    'webhook-id',
    id,
    'webhook-timestamp',
    timestamp,
    'millrace-received-at',
    new Date(receivedMs).toISOString(),
  ];
  if (thingId !== noThing) headers.push('millrace-thing-id', thingId);
  if (subtopic !== '') headers.push('millrace-subtopic', headerText(subtopic));
  if (keys.length > 0) {
    headers.push('webhook-signature', signatures(keys, id, timestamp, body));
  }
  return { origin: call.origin, path: call.path, headers, body };
}

/** A subtopic may hold any letters; a header holds those of ASCII, and others percent-encoded. */
const headerText = (text: string): string => text.replaceAll(/[^!-$&-~]/gu, encodeURIComponent);

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
