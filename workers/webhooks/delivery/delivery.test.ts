import { describe, expect, it } from 'vitest';
import type { CallResult } from '../call/call.ts';
import type { CallFailure } from '../call/failures.ts';
import { after, attemptResultOf, type DeliveryEvent } from './delivery.ts';

const orgId = 'org';
const nowMs = 1_000_000;
const chances = { attemptsMax: 10, nowMs, random: 0.5 };
const ended = { durationMs: 5, body: Buffer.alloc(0) };

const response = (status: number, retryAfter?: string): CallResult => ({
  kind: 'response',
  status,
  retryAfter,
  ...ended,
});
const failure = (kind: CallFailure['kind']): CallResult => ({
  kind: 'failure',
  failure: { kind, what: `it was: ${kind}` },
  ...ended,
});
const attempted = (result: CallResult): DeliveryEvent => ({ kind: 'attempted', result, orgId });
const next = (attempts: number, event: DeliveryEvent) =>
  after({ kind: 'pending', attempts }, event, chances);

describe('a pending delivery', () => {
  it.each([200, 204, 299])('is done when its receiver answers %d', (status) => {
    const state = next(3, attempted(response(status)));
    expect(state).toEqual({ kind: 'done', reason: 'delivered' });
  });

  it.each([
    ['webhookDeleted', 'webhook_deleted'],
    ['webhookDisabled', 'webhook_disabled'],
    ['messageNotKept', 'not_kept'],
  ] as const)('is done without an attempt: %s', (kind, reason) => {
    expect(next(3, { kind })).toEqual({ kind: 'done', reason });
  });

  it('is deferred without an attempt, and keeps the count of those before', () => {
    const state = next(3, { kind: 'deferred', delayMs: 250, orgId });
    expect(state).toEqual({ kind: 'deferred', attempts: 3, delayMs: 250, orgId });
  });

  it('stays pending when this process stops before its attempt, or during it', () => {
    const pending = { kind: 'pending', attempts: 3 };
    expect(next(3, { kind: 'stopped' })).toEqual(pending);
    expect(next(3, attempted(failure('stopped')))).toEqual(pending);
  });

  it.each([
    [response(500), 'the receiver answered 500'],
    [response(301), 'the receiver answered 301'],
    [failure('timed_out'), 'it was: timed_out'],
    [failure('not_allowed'), 'it was: not_allowed'],
  ])('waits for its next attempt after a failure', (result, why) => {
    const state = next(1, attempted(result));
    expect(state).toEqual({ kind: 'waiting', attempts: 2, delayMs: 5 * 60_000, orgId, why });
  });

  it('waits for longer where its receiver asks for that', () => {
    const state = next(0, attempted(response(503, '3600')));
    expect(state).toMatchObject({ kind: 'waiting', delayMs: 3_600_000 });
  });

  it('is given up when its last attempt fails', () => {
    const why = 'the receiver answered 500';
    const state = next(9, attempted(response(500)));
    expect(state).toEqual({ kind: 'givenUp', reason: 'given_up', attempts: 10, why });
  });

  it('is given up at once when its receiver answers 410', () => {
    const state = next(0, attempted(response(410)));
    expect(state).toMatchObject({ kind: 'givenUp', reason: 'gone', attempts: 1 });
  });
});

describe('an attempt tells about its endpoint', () => {
  it.each([
    [response(204), { kind: 'success', askedMs: 0 }],
    [response(500, '7'), { kind: 'failure', askedMs: 7_000 }],
    [response(429, '7'), { kind: 'overload', askedMs: 7_000 }],
    [failure('timed_out'), { kind: 'overload', askedMs: 0 }],
    [failure('no_connection'), { kind: 'failure', askedMs: 0 }],
    [failure('stopped'), undefined],
  ])('%o', (result, expected) => {
    expect(attemptResultOf(result, nowMs)).toEqual(expected);
  });
});
