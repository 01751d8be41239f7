import type { CallResult } from '../call/call.ts';
import type { AttemptResult } from '../admission/circuit.ts';
import { askedMs, waitMs } from './schedule.ts';

/*
 * The states of a delivery, which is one message to one webhook:
 *
 *   pending ──┬── may not be attempted yet ─────────▶ deferred ──▶ pending
 *             ├── failed, and attempts are left ────▶ waiting ───▶ pending
 *             ├── failed for the last time, or 410 ─▶ given up
 *             ├── delivered, or the message or ─────▶ done
 *             │   the webhook is gone
 *             └── this process stops ───────────────▶ pending
 *
 * All that happens to a pending delivery is an event; only `after` decides the next state.
 */

/** `attempts`: those made before. */
type Pending = { kind: 'pending'; attempts: number };

export type DeliveryState =
  | Pending
  | { kind: 'deferred'; attempts: number; delayMs: number; orgId: string }
  | { kind: 'waiting'; attempts: number; delayMs: number; orgId: string; why: string }
  | { kind: 'givenUp'; reason: 'gone' | 'given_up'; attempts: number; why: string }
  | { kind: 'done'; reason: 'delivered' | 'webhook_deleted' | 'webhook_disabled' | 'not_kept' };

export type DeliveryEvent =
  | { kind: 'webhookDeleted' | 'webhookDisabled' | 'messageNotKept' | 'stopped' }
  | { kind: 'deferred'; delayMs: number; orgId: string }
  | { kind: 'attempted'; result: CallResult; orgId: string };

/** `attemptsMax`: how many attempts it may have in all. `random` is in [0, 1). */
export function after(
  { attempts }: Pending,
  event: DeliveryEvent,
  chances: { attemptsMax: number; nowMs: number; random: number },
): DeliveryState {
  switch (event.kind) {
    case 'stopped':
      return { kind: 'pending', attempts };
    case 'webhookDeleted':
      return { kind: 'done', reason: 'webhook_deleted' };
    case 'webhookDisabled':
      return { kind: 'done', reason: 'webhook_disabled' };
    case 'messageNotKept':
      return { kind: 'done', reason: 'not_kept' };
    case 'deferred':
      return { kind: 'deferred', attempts, delayMs: event.delayMs, orgId: event.orgId };
    case 'attempted':
      break;
  }
  const { result, orgId } = event;
  if (isSuccess(result)) return { kind: 'done', reason: 'delivered' };
  if (isBrokenOff(result)) return { kind: 'pending', attempts };
  const { attemptsMax, nowMs, random } = chances;
  const made = attempts + 1;
  if (isGone(result)) {
    const why = 'the receiver is gone: 410';
    return { kind: 'givenUp', reason: 'gone', attempts: made, why };
  }
  const why = whyFailed(result);
  if (made >= attemptsMax) return { kind: 'givenUp', reason: 'given_up', attempts: made, why };
  const delayMs = waitMs(made, askedMsOf(result, nowMs), random);
  return { kind: 'waiting', attempts: made, delayMs, orgId, why };
}

export const isSuccess = (result: CallResult): boolean =>
  result.kind === 'response' && result.status >= 200 && result.status < 300;

/** Broken off by this process at its stop: it says nothing about the receiver. */
export const isBrokenOff = (result: CallResult): boolean =>
  result.kind === 'failure' && result.failure.kind === 'stopped';

export const isGone = (result: CallResult): boolean =>
  result.kind === 'response' && result.status === 410;

const whyFailed = (result: CallResult): string =>
  result.kind === 'failure' ? result.failure.what : `the receiver answered ${result.status}`;

const askedMsOf = (result: CallResult, nowMs: number): number =>
  result.kind === 'response' ? askedMs(result.retryAfter, nowMs) : 0;

/** The result of an attempt as the endpoint's circuit sees it; none if it was broken off. */
export function attemptResultOf(result: CallResult, nowMs: number): AttemptResult | undefined {
  if (isBrokenOff(result)) return undefined;
  if (isSuccess(result)) return { kind: 'success', askedMs: 0 };
  const isOverload =
    result.kind === 'failure' ? result.failure.kind === 'timed_out' : result.status === 429;
  return { kind: isOverload ? 'overload' : 'failure', askedMs: askedMsOf(result, nowMs) };
}
