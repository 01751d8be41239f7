import { LRUCache } from 'lru-cache';
import { createClock } from './clock.ts';
import {
  doubtfulTriesAtOnceMax,
  endpointTriesAtOnceMax,
  endpointsMax,
  heldMsMax,
  soonMs,
  triesAtOnceMax,
} from '../limits.ts';

/*
 * Who may be called now. An endpoint is a webhook at an origin; its tenant is its org. Jobs come as the
 * queue has them, and each gets one of three words:
 *
 * - go: it has a place, until `leave`;
 * - wait: its turn comes within `heldMsMax`, so it is held here;
 * - aside: it goes back into the queue until a moment that is told, without a try.
 *
 * Places are limited per endpoint (fewer after time-outs and 429, more after successes), per tenant (twice
 * as many as are still free, so that a tenant never takes all that is left), and for all endpoints whose
 * last try was not answered well and soon (half of all; of these a tenant has as many as are still free). After several failures in a row an endpoint is
 * shut: nothing is tried until a pause is over, which doubles as long as the one try after it fails.
 *
 * What is put aside comes back at a pace: a dead endpoint costs the same few moves a second whether ten
 * jobs wait for it or a million.
 */

const firstTriesAtOnce = 4;
const failuresToShut = 5;
const pauseMsMin = 5_000;
const pauseMsMax = 5 * 60_000;
/** A receiver that answers 429 is left alone for as long as it asks, within these. */
const askedPauseMsMin = 1_000;
const askedPauseMsMax = 5 * 60_000;

/** Between two jobs of one endpoint that come back; with many shut ones, of each of them. */
const returnEveryMs = 25;
const returnEveryMsPerShut = 1;
const asideMsMin = 250;

const firstGuessMs = 20;
/** Longer than the longest pause. */
const forgottenAfterMs = 30 * 60_000;
const sweepEveryMs = 50;

/** How a try went, as far as it matters here. */
export type TryResult = { kind: 'well' | 'failed' | 'overloaded'; askedMs: number };

export type Turn = { kind: 'go'; leave: (result: TryResult | undefined) => void };
export type Word = Turn | { kind: 'aside'; untilMs: number } | { kind: 'stopped' };

type Tenant = { running: number; doubtful: number };

type Endpoint = {
  tenant: Tenant;
  /** When each try under way began, oldest first. */
  running: Set<{ startedMs: number }>;
  limit: number;
  /** How long a try took of late. */
  usualMs: number;
  failures: number;
  /** Answered well and soon, the last time. */
  trusted: boolean;
  shutUntilMs: number;
  /** 0: not shut for failing. Otherwise only one try is let through when the pause is over. */
  pauseMs: number;
  probing: boolean;
  nextReturnMs: number;
  waiting: { sinceMs: number; say: (word: Word) => void }[];
};

export type Endpoints = {
  /** Asks for a turn. */
  enter(key: string, tenantId: string): Word | Promise<Word>;
  /** How many are shut now. */
  shut(): number;
  /** Sends away who waits, and who asks from now on. */
  stop(): void;
};

/** `nowMs` is the time of day: it is compared with when jobs are due. */
export function createEndpoints(nowMs: () => number): Endpoints {
  const known = new LRUCache<string, Endpoint>({
    max: endpointsMax,
    ttl: forgottenAfterMs,
    updateAgeOnGet: true,
    dispose: (endpoint) => shutOnes.delete(endpoint),
  });
  const tenants = new LRUCache<string, Tenant>({ max: endpointsMax });
  const withWaiting = new Set<Endpoint>();
  const shutOnes = new Set<Endpoint>();
  const total: Tenant = { running: 0, doubtful: 0 };
  let stopped = false;

  function endpointOf(key: string, tenantId: string): Endpoint {
    const found = known.get(key);
    if (found !== undefined) return found;
    const tenant = tenants.get(tenantId) ?? { running: 0, doubtful: 0 };
    tenants.set(tenantId, tenant);
    const made: Endpoint = {
      tenant,
      running: new Set(),
      limit: firstTriesAtOnce,
      usualMs: firstGuessMs,
      failures: 0,
      trusted: false,
      shutUntilMs: 0,
      pauseMs: 0,
      probing: false,
      nextReturnMs: 0,
      waiting: [],
    };
    known.set(key, made);
    return made;
  }

  function isShut(endpoint: Endpoint): boolean {
    return endpoint.shutUntilMs > nowMs() || endpoint.probing;
  }

  function hasPlace(endpoint: Endpoint): boolean {
    const { tenant, trusted } = endpoint;
    if (endpoint.running.size >= endpoint.limit) return false;
    if (tenant.running >= 2 * (triesAtOnceMax - total.running)) return false;
    return trusted || tenant.doubtful < doubtfulTriesAtOnceMax - total.doubtful;
  }

  /** How long a try of it takes, by what is known: at least as long as the one that hangs just now. */
  function guessMs(endpoint: Endpoint): number {
    const [oldest] = endpoint.running;
    return Math.max(endpoint.usualMs, oldest === undefined ? 0 : nowMs() - oldest.startedMs);
  }

  function start(endpoint: Endpoint): Turn {
    const { tenant, trusted } = endpoint;
    const isProbe = endpoint.pauseMs > 0;
    const entry = { startedMs: nowMs() };
    endpoint.running.add(entry);
    endpoint.probing = isProbe;
    count(1);

    function count(by: 1 | -1): void {
      for (const one of [tenant, total]) {
        one.running += by;
        if (!trusted) one.doubtful += by;
      }
    }

    return {
      kind: 'go',
      leave(result) {
        endpoint.running.delete(entry);
        count(-1);
        if (isProbe) endpoint.probing = false;
        if (result !== undefined) learn(endpoint, result, nowMs() - entry.startedMs, isProbe);
        serve(endpoint);
      },
    };
  }

  function learn(endpoint: Endpoint, result: TryResult, tookMs: number, wasProbe: boolean): void {
    const now = nowMs();
    endpoint.trusted = result.kind === 'well' && tookMs <= soonMs;
    if (result.kind === 'well') {
      endpoint.usualMs += (tookMs - endpoint.usualMs) / 8;
      endpoint.limit = Math.min(endpoint.limit + 1, endpointTriesAtOnceMax);
      endpoint.failures = 0;
      endpoint.pauseMs = 0;
      endpoint.shutUntilMs = 0;
      shutOnes.delete(endpoint);
      return;
    }
    endpoint.failures += 1;
    if (result.kind === 'overloaded') {
      endpoint.limit = Math.max(1, Math.floor(endpoint.limit / 2));
      const asked = Math.min(Math.max(result.askedMs, askedPauseMsMin), askedPauseMsMax);
      if (result.askedMs > 0) endpoint.shutUntilMs = Math.max(endpoint.shutUntilMs, now + asked);
    }
    const opens = endpoint.pauseMs === 0 && endpoint.failures >= failuresToShut;
    if (!opens && !wasProbe) return;
    endpoint.pauseMs = Math.min(Math.max(2 * endpoint.pauseMs, pauseMsMin), pauseMsMax);
    endpoint.limit = 1;
    endpoint.shutUntilMs = Math.max(endpoint.shutUntilMs, now + endpoint.pauseMs);
    shutOnes.add(endpoint);
    sendAside(endpoint);
  }

  function putAside(endpoint: Endpoint): Word {
    const now = nowMs();
    const shut = isShut(endpoint);
    const pauseMs = endpoint.probing ? endpoint.pauseMs : asideMsMin;
    const earliest = Math.max(endpoint.shutUntilMs, now + pauseMs);
    const untilMs = Math.max(earliest, endpoint.nextReturnMs);
    const pace = Math.max(returnEveryMs, returnEveryMsPerShut * shutOnes.size);
    // A little sooner than it can take them, so that it is never idle.
    const own = (0.8 * guessMs(endpoint)) / endpoint.limit;
    endpoint.nextReturnMs = untilMs + (shut ? pace : Math.min(own, pace));
    return { kind: 'aside', untilMs: Math.round(untilMs) };
  }

  function sendAside(endpoint: Endpoint): void {
    for (const { say } of take(endpoint, endpoint.waiting.length)) say(putAside(endpoint));
  }

  function take(endpoint: Endpoint, howMany: number): Endpoint['waiting'] {
    const taken = endpoint.waiting.splice(0, howMany);
    if (endpoint.waiting.length === 0) withWaiting.delete(endpoint);
    return taken;
  }

  /** A place is free again: first for who had it, then for the others in turn. */
  function serve(first: Endpoint): void {
    if (letIn(first)) return;
    for (const endpoint of withWaiting) {
      if (letIn(endpoint)) return;
    }
  }

  /** Whether anybody was. */
  function letIn(endpoint: Endpoint): boolean {
    let served = false;
    while (endpoint.waiting.length > 0 && hasPlace(endpoint) && !isShut(endpoint)) {
      endpoint.waiting.shift()?.say(start(endpoint));
      served = true;
    }
    if (served && endpoint.waiting.length === 0) withWaiting.delete(endpoint);
    return served;
  }

  /** Nobody waits here for long: a place that is held is one that others can't have. */
  const sweeping = createClock(() => {
    const longSince = nowMs() - heldMsMax;
    for (const endpoint of withWaiting) {
      const late = endpoint.waiting.findIndex(({ sinceMs }) => sinceMs > longSince);
      const howMany = late === -1 ? endpoint.waiting.length : late;
      for (const { say } of take(endpoint, howMany)) say(putAside(endpoint));
    }
    return withWaiting.size > 0;
  }, sweepEveryMs);

  return {
    enter(key, tenantId) {
      if (stopped) return { kind: 'stopped' };
      const endpoint = endpointOf(key, tenantId);
      if (isShut(endpoint)) return putAside(endpoint);
      if (hasPlace(endpoint) && endpoint.waiting.length === 0) return start(endpoint);
      const turnInMs = ((endpoint.waiting.length + 1) * guessMs(endpoint)) / endpoint.limit;
      if (turnInMs > heldMsMax) return putAside(endpoint);
      withWaiting.add(endpoint);
      sweeping.start();
      return new Promise((resolve) => {
        endpoint.waiting.push({ sinceMs: nowMs(), say: resolve });
      });
    },
    shut() {
      known.purgeStale();
      return shutOnes.size;
    },
    stop() {
      stopped = true;
      sweeping.stop();
      for (const endpoint of withWaiting) {
        for (const { say } of take(endpoint, endpoint.waiting.length)) say({ kind: 'stopped' });
      }
    },
  };
}
