import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import type { BundledMessage } from '../../../infra/runtime/webhooks/frames.ts';
import { webhookJobId } from '../../../schemas/internal/webhook-job.ts';
import { limits } from '../../limits.ts';
import type { Admission } from '../admission/admission.ts';
import type { HttpClient, CallResult } from '../call/call.ts';
import { unusable } from '../call/failures.ts';
import type { AttemptOutcome, WebhookMetrics } from '../metrics.ts';
import { requestOf } from '../prepare/request.ts';
import type { Webhook } from '../prepare/webhook.ts';
import type { WebhookReader } from '../prepare/readers.ts';
import { type DisabledWhy, disableWebhook } from '../record/disable.ts';
import type { Recorder } from '../record/recorder.ts';
import {
  after,
  attemptResultOf,
  type DeliveryEvent,
  type DeliveryState,
  isBrokenOff,
  isGone,
  isSuccess,
} from './delivery.ts';

/** One message to one webhook. The message is read when the attempt is admitted. */
export type Delivery = {
  webhookId: string;
  messageId: string;
  /** Undefined: it is not kept any more. */
  read: () => BundledMessage | undefined | Promise<BundledMessage | undefined>;
};

type DeliverParts = {
  pool: Pool;
  webhooks: WebhookReader;
  admission: Admission;
  client: HttpClient;
  recorder: Recorder;
  logger: Logger;
  metrics: WebhookMetrics;
  /** Aborted when the process breaks off what is under way. */
  stopping: AbortSignal;
};

/** The event that happened to a delivery. `requestId`: of the request that brought the message; empty if it is not known. */
type Happened = { event: DeliveryEvent; requestId: string };

const without = (event: DeliveryEvent): Happened => ({ event, requestId: '' });

type Found =
  | { kind: 'found'; webhook: Webhook }
  | { kind: 'webhookDeleted' | 'webhookDisabled' | 'stopped' };

const notSent: CallResult = {
  kind: 'failure',
  failure: unusable,
  durationMs: 0,
  body: Buffer.alloc(0),
};

/** Attempts deliveries: find the webhook, be admitted, read the message, call, record. */
export class Deliverer {
  readonly #parts: DeliverParts;

  constructor(parts: DeliverParts) {
    this.#parts = parts;
  }

  /** Makes one attempt, if it may be made now. `attempts`: those made before; `attemptsMax`: those allowed in all. */
  async attempt(
    delivery: Delivery,
    { attempts, attemptsMax }: { attempts: number; attemptsMax: number },
  ): Promise<DeliveryState> {
    const { event, requestId } = await this.#tryAttempt(delivery, attempts + 1);
    const chances = { attemptsMax, nowMs: Date.now(), random: Math.random() };
    const state = after({ kind: 'pending', attempts }, event, chances);
    this.#report(delivery, state, requestId);
    return state;
  }

  /** Counts a delivery whose message is not in its bundle any more. */
  dropNotKept(): void {
    this.#parts.metrics.ended.inc({ reason: 'not_kept' });
  }

  /** `attempt`: its number, from 1. */
  async #tryAttempt(delivery: Delivery, attempt: number): Promise<Happened> {
    const first = await this.#find(delivery.webhookId);
    if (first.kind !== 'found') return this.#ofNone(delivery, first);
    const { id, orgId, endpoint } = first.webhook;
    const { admission, stopping } = this.#parts;
    const decision = await admission.enter({ id, orgId, origin: endpoint?.origin });
    switch (decision.kind) {
      case 'stopped':
        return without({ kind: 'stopped' });
      case 'deferred':
        return without({ ...decision, orgId });
      case 'admitted':
        break;
    }
    let result: CallResult | undefined;
    try {
      const message = await delivery.read();
      if (message === undefined) {
        return without({ kind: stopping.aborted ? 'stopped' : 'messageNotKept' });
      }
      // It may have changed while the delivery waited for its place.
      const now = await this.#find(delivery.webhookId);
      if (now.kind !== 'found') return this.#ofNone(delivery, now);
      const { webhook } = now;
      result = await this.#call(delivery, message, webhook);
      const { requestId } = message;
      if (!isBrokenOff(result)) await this.#record(delivery, attempt, requestId, webhook, result);
      return { event: { kind: 'attempted', result, orgId }, requestId };
    } finally {
      decision.leave(result && attemptResultOf(result, Date.now()));
    }
  }

  /** Counts and logs the new state of a delivery. */
  #report({ messageId, webhookId }: Delivery, state: DeliveryState, requestId: string): void {
    const { metrics, logger } = this.#parts;
    if (state.kind === 'deferred') metrics.deferred.inc();
    if (state.kind === 'done' && state.reason !== 'delivered') {
      metrics.ended.inc({ reason: state.reason });
    }
    if (state.kind !== 'givenUp') return;
    metrics.ended.inc({ reason: state.reason });
    const { attempts, why: reason } = state;
    const what = {
      request_id: requestId,
      message: messageId,
      webhook: webhookId,
      attempts,
      reason,
    };
    logger.warn(what, 'a delivery to a webhook was given up');
  }

  /** The webhook, or why it is not to be called. */
  async #find(id: string): Promise<Found> {
    const { webhooks } = this.#parts;
    let webhook = await webhooks.read(id);
    if (webhook?.isDisabled === true) {
      // A remembered one may be from before it was enabled, and would drop a delivery for good.
      webhooks.forget(id);
      webhook = await webhooks.read(id);
    }
    if (webhook === undefined) return { kind: 'stopped' };
    if (webhook === null) return { kind: 'webhookDeleted' };
    return webhook.isDisabled ? { kind: 'webhookDisabled' } : { kind: 'found', webhook };
  }

  /** Nothing is attempted. A webhook that is disabled misses the delivery, and its users can see how many. */
  async #ofNone(
    { webhookId, read }: Delivery,
    found: Exclude<Found, { kind: 'found' }>,
  ): Promise<Happened> {
    if (found.kind === 'webhookDisabled') {
      const message = await read();
      if (message !== undefined) this.#parts.recorder.missed(webhookId, message.receivedMs);
    }
    return without(found);
  }

  async #call(
    { messageId, webhookId }: Delivery,
    message: BundledMessage,
    { endpoint }: Webhook,
  ): Promise<CallResult> {
    if (endpoint === undefined) return notSent;
    const id = webhookJobId(messageId, webhookId);
    return this.#parts.client.call(requestOf(id, message, endpoint, Date.now()));
  }

  async #record(
    { webhookId, messageId }: Delivery,
    attempt: number,
    requestId: string,
    webhook: Webhook,
    result: CallResult,
  ): Promise<void> {
    const { recorder, metrics } = this.#parts;
    const { durationMs, body } = result;
    recorder.attempted({
      webhookId,
      messageId,
      requestId: requestId === '' ? null : requestId,
      attempt,
      triedAtMs: Date.now() - durationMs,
      durationMs,
      status: result.kind === 'response' ? result.status : null,
      error: result.kind === 'failure' ? result.failure.what : null,
      answer: body.toString('base64'),
      isSuccess: isSuccess(result),
    });
    metrics.attempts[outcomeOf(result)].inc();
    metrics.duration.observe(durationMs / 1_000);
    if (isSuccess(result)) return;
    const { failingSince } = webhook;
    const hasFailedLong =
      failingSince !== null && Date.now() - failingSince.getTime() >= limits.failingMsMax;
    if (isGone(result)) await this.#disable(webhook, 'gone', requestId);
    else if (hasFailedLong) await this.#disable(webhook, 'failing', requestId);
  }

  async #disable(webhook: Webhook, why: DisabledWhy, requestId: string): Promise<void> {
    const { pool, webhooks, logger, metrics } = this.#parts;
    const ofRequest = logger.child({ request_id: requestId });
    if (await disableWebhook(pool, webhook, why, ofRequest)) {
      metrics.disabled.inc({ why });
      ofRequest.warn({ webhook: webhook.id, why }, 'a webhook was disabled');
    }
    webhooks.forget(webhook.id);
  }
}

function outcomeOf(result: CallResult): AttemptOutcome {
  if (result.kind === 'response') return isSuccess(result) ? 'delivered' : 'refused';
  return result.failure.kind === 'stopped' ? 'broken_off' : result.failure.kind;
}
