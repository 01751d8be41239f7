import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AttemptResult } from './circuit.ts';
import { Admission, type Admitted, type AttemptRows, type Decision } from './admission.ts';
import { limits } from '../../limits.ts';

const success: AttemptResult = { kind: 'success', askedMs: 0 };
const failure: AttemptResult = { kind: 'failure', askedMs: 0 };
const overload: AttemptResult = { kind: 'overload', askedMs: 0 };

let nowMs = 1_000_000;
const made: Admission[] = [];
const roomy: AttemptRows = { isFull: () => false, untilRoom: async () => undefined };

function create(rows = roomy): Admission {
  const admission = new Admission(rows, () => nowMs);
  made.push(admission);
  return admission;
}

/** Of a webhook at an origin that depends on it alone. */
const enter = (admission: Admission, id: string, orgId = 'tenant'): Decision | Promise<Decision> =>
  admission.enter({ id, orgId, origin: 'https://receiver.example' });

afterEach(() => {
  for (const admission of made.splice(0)) admission.stop();
});

/** A place, if there is one at once. */
function admitted(admission: Admission, key: string, tenant = 'tenant'): Admitted | undefined {
  const decision = enter(admission, key, tenant);
  return 'kind' in decision && decision.kind === 'admitted' ? decision : undefined;
}

/** Until when a delivery is deferred. */
function deferredUntil(admission: Admission, key: string): number {
  const decision = enter(admission, key);
  if (!('kind' in decision) || decision.kind !== 'deferred') throw new Error('it was not deferred');
  return nowMs + decision.delayMs;
}

/** Takes the places there are, up to so many. */
function fill(admission: Admission, key: string, most: number, tenant = 'tenant'): Admitted[] {
  const places: Admitted[] = [];
  while (places.length < most) {
    const place = admitted(admission, key, tenant);
    if (place === undefined) break;
    places.push(place);
  }
  return places;
}

const attemptTimes = (admission: Admission, key: string, result: AttemptResult, times: number) => {
  for (let at = 0; at < times; at++) admitted(admission, key)?.leave(result);
};

describe('the attempts at one endpoint', () => {
  it('are few at first, more as they succeed, and fewer after a time-out', () => {
    const admission = create();
    expect(fill(admission, 'a', 100)).toHaveLength(4);
    attemptTimes(admission, 'b', success, 100);
    expect(fill(admission, 'b', 100)).toHaveLength(limits.endpointAttemptsMax);
    attemptTimes(admission, 'c', success, 100);
    attemptTimes(admission, 'c', overload, 1);
    expect(fill(admission, 'c', 100)).toHaveLength(limits.endpointAttemptsMax / 2);
  });

  it('are let through on time where the time of day is set while they pause', () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
    const admission = new Admission(roomy);
    made.push(admission);
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    attemptTimes(admission, 'a', failure, 5);
    vi.setSystemTime(Date.now() - 24 * 3_600_000);
    expect(admitted(admission, 'a')).toBeUndefined();
    vi.advanceTimersByTime(5_000);
    expect(admitted(admission, 'a')).toBeDefined();
    vi.useRealTimers();
  });

  it('stop after five failures in a row, and one is let through after a pause that doubles', () => {
    const admission = create();
    attemptTimes(admission, 'a', failure, 4);
    attemptTimes(admission, 'a', success, 1);
    attemptTimes(admission, 'a', failure, 5);
    expect(admission.openCircuits()).toBe(1);
    let pauseMs = 5_000;
    for (let probe = 0; probe < 10; probe++) {
      expect(admitted(admission, 'a')).toBeUndefined();
      nowMs += pauseMs - 1;
      expect(admitted(admission, 'a')).toBeUndefined();
      nowMs += 1;
      const place = admitted(admission, 'a');
      if (place === undefined) throw new Error(`nothing is let through after ${pauseMs} ms`);
      expect(admitted(admission, 'a')).toBeUndefined();
      place.leave(failure);
      pauseMs = Math.min(2 * pauseMs, 300_000);
    }
    nowMs += 300_000;
    admitted(admission, 'a')?.leave(success);
    expect(admission.openCircuits()).toBe(0);
    expect(fill(admission, 'a', 100)).toHaveLength(2);
  });

  it('stop for as long as a 429 asks, within bounds', () => {
    for (const [askedMs, pauseMs] of [
      [10_000, 10_000],
      [1, 1_000],
      [86_400_000, 300_000],
    ] as const) {
      const admission = create();
      admitted(admission, 'a')?.leave({ kind: 'overload', askedMs });
      nowMs += pauseMs - 1;
      expect(admitted(admission, 'a')).toBeUndefined();
      nowMs += 1;
      expect(admitted(admission, 'a')).toBeDefined();
    }
  });

  it('come back at the same rate while its circuit is open, be they a hundred or a million', () => {
    const admission = create();
    attemptTimes(admission, 'a', failure, 5);
    const count = 1_000_000;
    let last = 0;
    for (let at = 0; at < count; at++) last = deferredUntil(admission, 'a');
    expect(last - nowMs).toBeGreaterThan(count * 20);
  });

  it('wait only where their turn comes soon', async () => {
    const admission = create();
    const places = fill(admission, 'a', 4);
    const waiting = enter(admission, 'a');
    expect(waiting).toBeInstanceOf(Promise);
    places[0]?.leave(failure);
    expect(await waiting).toMatchObject({ kind: 'admitted' });
    // The oldest attempt hangs: so may the next.
    nowMs += 5_000;
    expect(deferredUntil(admission, 'a')).toBeGreaterThan(nowMs);
  });

  it('do not wait for longer than a moment', async () => {
    const admission = create();
    fill(admission, 'a', 4);
    const waiting = enter(admission, 'a');
    nowMs += 5_000;
    expect(await waiting).toMatchObject({ kind: 'deferred' });
  });
});

describe('places', () => {
  it('are left for others by a tenant, however many endpoints it has', () => {
    const admission = create();
    for (let at = 0; at < 100; at++) fill(admission, `dead-${at}`, 4, 'dead');
    expect(fill(admission, 'new', 100, 'another')).toHaveLength(4);
    attemptTimes(admission, 'good', success, 100);
    expect(fill(admission, 'good', 100)).toHaveLength(limits.endpointAttemptsMax);
  });

  it('are left for who answers well by all who do not, whoever they are', () => {
    const admission = create();
    for (let at = 0; at < 20; at++) {
      for (const place of fill(admission, `good-${at}`, 4, `tenant-${at}`)) place.leave(success);
    }
    let doubtful = 0;
    for (let at = 0; at < 1_000; at++)
      doubtful += fill(admission, `dead-${at}`, 4, `org-${at}`).length;
    expect(doubtful).toBeLessThanOrEqual(limits.doubtfulAttemptsMax);
    let good = 0;
    for (let at = 0; at < 20; at++)
      good += fill(admission, `good-${at}`, 100, `tenant-${at}`).length;
    expect(good).toBeGreaterThan(limits.attemptsMax / 3);
    expect(good + doubtful).toBeLessThanOrEqual(limits.attemptsMax);
  });

  it('are given to who waits, once they are free', async () => {
    const admission = create();
    const places = fill(admission, 'a', 4);
    const waiting = [enter(admission, 'a'), enter(admission, 'a')];
    for (const place of places.slice(0, 2)) place.leave(undefined);
    for (const decision of waiting) expect(await decision).toMatchObject({ kind: 'admitted' });
  });

  it('are given to nobody after a stop', async () => {
    const admission = create();
    fill(admission, 'a', 4);
    const waiting = enter(admission, 'a');
    admission.stop();
    expect(await waiting).toEqual({ kind: 'stopped' });
    expect(enter(admission, 'b')).toEqual({ kind: 'stopped' });
  });
});

describe('an attempt', () => {
  const attempt = { id: 'webhook', orgId: 'org', origin: 'https://receiver.example' };

  it('is admitted when there is room for its row', async () => {
    const room = Promise.withResolvers<void>();
    const admission = create({ isFull: () => true, untilRoom: () => room.promise });
    const entering = Promise.resolve(admission.enter(attempt));
    expect(await Promise.race([entering, Promise.resolve('waiting')])).toBe('waiting');
    room.resolve();
    expect((await entering).kind).toBe('admitted');
  });

  it('at another URL of its webhook is at another endpoint', () => {
    const admission = create();
    attemptTimes(admission, attempt.id, failure, 5);
    expect(admission.enter(attempt)).toMatchObject({ kind: 'deferred' });
    const moved = { ...attempt, origin: 'https://elsewhere.example' };
    expect(admission.enter(moved)).toMatchObject({ kind: 'admitted' });
  });
});
