import { afterEach, describe, expect, it } from 'vitest';
import type { AttemptResult } from './circuit.ts';
import { type Admitted, Endpoints } from './endpoints.ts';
import { attemptsMax, doubtfulAttemptsMax, endpointAttemptsMax } from '../../limits.ts';

const success: AttemptResult = { kind: 'success', askedMs: 0 };
const failure: AttemptResult = { kind: 'failure', askedMs: 0 };
const overload: AttemptResult = { kind: 'overload', askedMs: 0 };

let nowMs = 1_000_000;
const made: Endpoints[] = [];

function create(): Endpoints {
  const endpoints = new Endpoints(() => nowMs);
  made.push(endpoints);
  return endpoints;
}

afterEach(() => {
  for (const endpoints of made.splice(0)) endpoints.stop();
});

/** A place, if there is one at once. */
function admitted(endpoints: Endpoints, key: string, tenant = 'tenant'): Admitted | undefined {
  const admission = endpoints.enter(key, tenant);
  return 'kind' in admission && admission.kind === 'admitted' ? admission : undefined;
}

/** Until when a delivery is deferred. */
function deferredUntil(endpoints: Endpoints, key: string): number {
  const admission = endpoints.enter(key, 'tenant');
  if (!('kind' in admission) || admission.kind !== 'deferred')
    throw new Error('it was not deferred');
  return admission.untilMs;
}

/** Takes the places there are, up to so many. */
function fill(endpoints: Endpoints, key: string, most: number, tenant = 'tenant'): Admitted[] {
  const places: Admitted[] = [];
  while (places.length < most) {
    const place = admitted(endpoints, key, tenant);
    if (place === undefined) break;
    places.push(place);
  }
  return places;
}

const attemptTimes = (endpoints: Endpoints, key: string, result: AttemptResult, times: number) => {
  for (let at = 0; at < times; at++) admitted(endpoints, key)?.leave(result);
};

describe('the attempts at one endpoint', () => {
  it('are few at first, more as they succeed, and fewer after a time-out', () => {
    const endpoints = create();
    expect(fill(endpoints, 'a', 100)).toHaveLength(4);
    attemptTimes(endpoints, 'b', success, 100);
    expect(fill(endpoints, 'b', 100)).toHaveLength(endpointAttemptsMax);
    attemptTimes(endpoints, 'c', success, 100);
    attemptTimes(endpoints, 'c', overload, 1);
    expect(fill(endpoints, 'c', 100)).toHaveLength(endpointAttemptsMax / 2);
  });

  it('stop after five failures in a row, and one is let through after a pause that doubles', () => {
    const endpoints = create();
    attemptTimes(endpoints, 'a', failure, 4);
    attemptTimes(endpoints, 'a', success, 1);
    attemptTimes(endpoints, 'a', failure, 5);
    expect(endpoints.openCircuits()).toBe(1);
    let pauseMs = 5_000;
    for (let probe = 0; probe < 10; probe++) {
      expect(admitted(endpoints, 'a')).toBeUndefined();
      nowMs += pauseMs - 1;
      expect(admitted(endpoints, 'a')).toBeUndefined();
      nowMs += 1;
      const place = admitted(endpoints, 'a');
      if (place === undefined) throw new Error(`nothing is let through after ${pauseMs} ms`);
      expect(admitted(endpoints, 'a')).toBeUndefined();
      place.leave(failure);
      pauseMs = Math.min(2 * pauseMs, 300_000);
    }
    nowMs += 300_000;
    admitted(endpoints, 'a')?.leave(success);
    expect(endpoints.openCircuits()).toBe(0);
    expect(fill(endpoints, 'a', 100)).toHaveLength(2);
  });

  it('stop for as long as a 429 asks, within bounds', () => {
    for (const [askedMs, pauseMs] of [
      [10_000, 10_000],
      [1, 1_000],
      [86_400_000, 300_000],
    ] as const) {
      const endpoints = create();
      admitted(endpoints, 'a')?.leave({ kind: 'overload', askedMs });
      nowMs += pauseMs - 1;
      expect(admitted(endpoints, 'a')).toBeUndefined();
      nowMs += 1;
      expect(admitted(endpoints, 'a')).toBeDefined();
    }
  });

  it('come back at the same rate while its circuit is open, be they a hundred or a million', () => {
    const endpoints = create();
    attemptTimes(endpoints, 'a', failure, 5);
    const count = 1_000_000;
    let last = 0;
    for (let at = 0; at < count; at++) last = deferredUntil(endpoints, 'a');
    expect(last - nowMs).toBeGreaterThan(count * 20);
  });

  it('wait only where their turn comes soon', async () => {
    const endpoints = create();
    const places = fill(endpoints, 'a', 4);
    const waiting = endpoints.enter('a', 'tenant');
    expect(waiting).toBeInstanceOf(Promise);
    places[0]?.leave(failure);
    expect(await waiting).toMatchObject({ kind: 'admitted' });
    // The oldest attempt hangs: so may the next.
    nowMs += 5_000;
    expect(deferredUntil(endpoints, 'a')).toBeGreaterThan(nowMs);
  });

  it('do not wait for longer than a moment', async () => {
    const endpoints = create();
    fill(endpoints, 'a', 4);
    const waiting = endpoints.enter('a', 'tenant');
    nowMs += 5_000;
    expect(await waiting).toMatchObject({ kind: 'deferred' });
  });
});

describe('places', () => {
  it('are left for others by a tenant, however many endpoints it has', () => {
    const endpoints = create();
    for (let at = 0; at < 100; at++) fill(endpoints, `dead-${at}`, 4, 'dead');
    expect(fill(endpoints, 'new', 100, 'another')).toHaveLength(4);
    attemptTimes(endpoints, 'good', success, 100);
    expect(fill(endpoints, 'good', 100)).toHaveLength(endpointAttemptsMax);
  });

  it('are left for who answers well by all who do not, whoever they are', () => {
    const endpoints = create();
    for (let at = 0; at < 20; at++) {
      for (const place of fill(endpoints, `good-${at}`, 4, `tenant-${at}`)) place.leave(success);
    }
    let doubtful = 0;
    for (let at = 0; at < 1_000; at++)
      doubtful += fill(endpoints, `dead-${at}`, 4, `org-${at}`).length;
    expect(doubtful).toBeLessThanOrEqual(doubtfulAttemptsMax);
    let good = 0;
    for (let at = 0; at < 20; at++)
      good += fill(endpoints, `good-${at}`, 100, `tenant-${at}`).length;
    expect(good).toBeGreaterThan(attemptsMax / 3);
    expect(good + doubtful).toBeLessThanOrEqual(attemptsMax);
  });

  it('are given to who waits, once they are free', async () => {
    const endpoints = create();
    const places = fill(endpoints, 'a', 4);
    const waiting = [endpoints.enter('a', 'tenant'), endpoints.enter('a', 'tenant')];
    for (const place of places.slice(0, 2)) place.leave(undefined);
    for (const admission of waiting) expect(await admission).toMatchObject({ kind: 'admitted' });
  });

  it('are given to nobody after a stop', async () => {
    const endpoints = create();
    fill(endpoints, 'a', 4);
    const waiting = endpoints.enter('a', 'tenant');
    endpoints.stop();
    expect(await waiting).toEqual({ kind: 'stopped' });
    expect(endpoints.enter('b', 'tenant')).toEqual({ kind: 'stopped' });
  });
});
