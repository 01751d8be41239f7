import { afterEach, describe, expect, it } from 'vitest';
import { createEndpoints, type Endpoints, type Turn, type TryResult } from './endpoints.ts';
import { doubtfulTriesAtOnceMax, endpointTriesAtOnceMax, triesAtOnceMax } from '../limits.ts';

const well: TryResult = { kind: 'well', askedMs: 0 };
const failed: TryResult = { kind: 'failed', askedMs: 0 };
const overloaded: TryResult = { kind: 'overloaded', askedMs: 0 };

let nowMs = 1_000_000;
const made: Endpoints[] = [];

function create(): Endpoints {
  const endpoints = createEndpoints(() => nowMs);
  made.push(endpoints);
  return endpoints;
}

afterEach(() => {
  for (const endpoints of made.splice(0)) endpoints.stop();
});

/** A turn, where there is one at once. */
function go(endpoints: Endpoints, key: string, tenant = 'tenant'): Turn | undefined {
  const word = endpoints.enter(key, tenant);
  return 'kind' in word && word.kind === 'go' ? word : undefined;
}

/** Until when a job is put aside. */
function aside(endpoints: Endpoints, key: string): number {
  const word = endpoints.enter(key, 'tenant');
  if (!('kind' in word) || word.kind !== 'aside') throw new Error('it was not put aside');
  return word.untilMs;
}

/** Takes the turns there are, up to so many. */
function fill(endpoints: Endpoints, key: string, most: number, tenant = 'tenant'): Turn[] {
  const turns: Turn[] = [];
  while (turns.length < most) {
    const turn = go(endpoints, key, tenant);
    if (turn === undefined) break;
    turns.push(turn);
  }
  return turns;
}

const tryTimes = (endpoints: Endpoints, key: string, result: TryResult, times: number) => {
  for (let at = 0; at < times; at++) go(endpoints, key)?.leave(result);
};

describe('the tries of one endpoint', () => {
  it('are few at first, more as they succeed, and fewer after a time-out', () => {
    const endpoints = create();
    expect(fill(endpoints, 'a', 100)).toHaveLength(4);
    tryTimes(endpoints, 'b', well, 100);
    expect(fill(endpoints, 'b', 100)).toHaveLength(endpointTriesAtOnceMax);
    tryTimes(endpoints, 'c', well, 100);
    tryTimes(endpoints, 'c', overloaded, 1);
    expect(fill(endpoints, 'c', 100)).toHaveLength(endpointTriesAtOnceMax / 2);
  });

  it('stop after five failures in a row, and one is let through after a pause that doubles', () => {
    const endpoints = create();
    tryTimes(endpoints, 'a', failed, 4);
    tryTimes(endpoints, 'a', well, 1);
    tryTimes(endpoints, 'a', failed, 5);
    expect(endpoints.shut()).toBe(1);
    let pauseMs = 5_000;
    for (let probe = 0; probe < 10; probe++) {
      expect(go(endpoints, 'a')).toBeUndefined();
      nowMs += pauseMs - 1;
      expect(go(endpoints, 'a')).toBeUndefined();
      nowMs += 1;
      const turn = go(endpoints, 'a');
      if (turn === undefined) throw new Error(`nothing is let through after ${pauseMs} ms`);
      expect(go(endpoints, 'a')).toBeUndefined();
      turn.leave(failed);
      pauseMs = Math.min(2 * pauseMs, 300_000);
    }
    nowMs += 300_000;
    go(endpoints, 'a')?.leave(well);
    expect(endpoints.shut()).toBe(0);
    expect(fill(endpoints, 'a', 100)).toHaveLength(2);
  });

  it('stop for as long as a 429 asks, within bounds', () => {
    for (const [askedMs, pauseMs] of [
      [10_000, 10_000],
      [1, 1_000],
      [86_400_000, 300_000],
    ] as const) {
      const endpoints = create();
      go(endpoints, 'a')?.leave({ kind: 'overloaded', askedMs });
      nowMs += pauseMs - 1;
      expect(go(endpoints, 'a')).toBeUndefined();
      nowMs += 1;
      expect(go(endpoints, 'a')).toBeDefined();
    }
  });

  it('a million jobs of a shut one come back at the same pace as a hundred', () => {
    const endpoints = create();
    tryTimes(endpoints, 'a', failed, 5);
    const count = 1_000_000;
    let last = 0;
    for (let at = 0; at < count; at++) last = aside(endpoints, 'a');
    expect(last - nowMs).toBeGreaterThan(count * 20);
  });

  it('wait here only where their turn comes soon', async () => {
    const endpoints = create();
    const turns = fill(endpoints, 'a', 4);
    const waiting = endpoints.enter('a', 'tenant');
    expect(waiting).toBeInstanceOf(Promise);
    turns[0]?.leave(failed);
    expect(await waiting).toMatchObject({ kind: 'go' });
    // Its oldest try hangs: so may the next.
    nowMs += 5_000;
    expect(aside(endpoints, 'a')).toBeGreaterThan(nowMs);
  });

  it('do not wait here for longer than a moment', async () => {
    const endpoints = create();
    fill(endpoints, 'a', 4);
    const waiting = endpoints.enter('a', 'tenant');
    nowMs += 5_000;
    expect(await waiting).toMatchObject({ kind: 'aside' });
  });
});

describe('places', () => {
  it('are left for others by a tenant, however many endpoints it has', () => {
    const endpoints = create();
    for (let at = 0; at < 100; at++) fill(endpoints, `dead-${at}`, 4, 'dead');
    expect(fill(endpoints, 'new', 100, 'another')).toHaveLength(4);
    tryTimes(endpoints, 'good', well, 100);
    expect(fill(endpoints, 'good', 100)).toHaveLength(endpointTriesAtOnceMax);
  });

  it('are left for who answers well by all who do not, whoever they are', () => {
    const endpoints = create();
    for (let at = 0; at < 20; at++) {
      for (const turn of fill(endpoints, `good-${at}`, 4, `tenant-${at}`)) turn.leave(well);
    }
    let doubtful = 0;
    for (let at = 0; at < 1_000; at++)
      doubtful += fill(endpoints, `dead-${at}`, 4, `org-${at}`).length;
    expect(doubtful).toBeLessThanOrEqual(doubtfulTriesAtOnceMax);
    let good = 0;
    for (let at = 0; at < 20; at++)
      good += fill(endpoints, `good-${at}`, 100, `tenant-${at}`).length;
    expect(good).toBeGreaterThan(triesAtOnceMax / 3);
    expect(good + doubtful).toBeLessThanOrEqual(triesAtOnceMax);
  });

  it('are given to who waits, once they are free', async () => {
    const endpoints = create();
    const turns = fill(endpoints, 'a', 4);
    const waiting = [endpoints.enter('a', 'tenant'), endpoints.enter('a', 'tenant')];
    for (const turn of turns.slice(0, 2)) turn.leave(undefined);
    for (const word of waiting) expect(await word).toMatchObject({ kind: 'go' });
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
