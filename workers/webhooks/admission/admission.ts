import { LRUCache } from 'lru-cache';
import { BusyInterval } from '../../../infra/runtime/process/busy-interval.ts';
import { limits } from '../../limits.ts';
import {
  admitsFromMs,
  afterEnd,
  afterStart,
  type AttemptResult,
  type Circuit,
  closedCircuit,
  isAdmitting,
  isProbeNext,
} from './circuit.ts';

/*
 * Decides whether an attempt may start now: admitted, deferred for a given time, or stopped. It needs room for its row
 * in Postgres, a closed circuit of its endpoint, and a place. An endpoint is a webhook at an origin, so that a changed
 * URL is a new endpoint; its tenant is its org. The attempts under way are limited:
 *
 * - per endpoint: fewer after time-outs and 429, more after successes, none while its circuit is open;
 * - per tenant: twice as many as are still free, so that no tenant ever takes all that is left;
 * - for all endpoints whose last attempt did not succeed quickly: half of all, of which a tenant has as many as are
 *   still free.
 *
 * A delivery whose turn will come soon waits here. Others are deferred for a given time. Deferred deliveries come
 * back at a limited rate: a dead endpoint costs the same few moves a second whether ten wait for it or a million.
 */

const firstLimit = 4;

/** The time between two deferred deliveries of one endpoint. */
const returnEveryMs = 25;
/** The same while many circuits are open: this long for each of them. */
const returnEveryMsPerOpen = 1;
const deferMsMin = 250;

const firstGuessMs = 20;
/** Longer than the longest pause. */
const forgottenAfterMs = 30 * 60_000;
const sweepEveryMs = 50;

export type Admitted = { kind: 'admitted'; leave: (result?: AttemptResult) => void };
type Deferred = { kind: 'deferred'; delayMs: number };
/** An admitted attempt has a place until `leave`. */
export type Decision = Admitted | Deferred | { kind: 'stopped' };

/** Where an attempt goes. */
type Target = { id: string; orgId: string; origin: string | undefined };

/** Where rows of attempts wait to be written. */
export type AttemptRows = { isFull(): boolean; untilRoom(): Promise<void> };

type Tenant = { running: number; doubtful: number };

type Endpoint = {
  tenant: Tenant;
  /** When each attempt under way began, oldest first. */
  running: Set<{ startedMs: number }>;
  limit: number;
  /** How long attempts took lately. */
  usualMs: number;
  /** The last attempt succeeded quickly. */
  isTrusted: boolean;
  circuit: Circuit;
  /** When the next deferred delivery comes back. */
  nextReturnMs: number;
  waiting: { sinceMs: number; resolve: (decision: Decision) => void }[];
};

export class Admission {
  readonly #rows: AttemptRows;
  readonly #nowMs: () => number;
  readonly #known = new LRUCache<string, Endpoint>({
    max: limits.endpointsMax,
    ttl: forgottenAfterMs,
    updateAgeOnGet: true,
    dispose: (endpoint) => this.#open.delete(endpoint),
  });
  readonly #tenants = new LRUCache<string, Tenant>({ max: limits.endpointsMax });
  readonly #withWaiting = new Set<Endpoint>();
  /** Those whose circuit is open or half-open. */
  readonly #open = new Set<Endpoint>();
  readonly #total: Tenant = { running: 0, doubtful: 0 };
  readonly #sweeping = new BusyInterval(() => this.#deferLate(), sweepEveryMs);
  #isStopped = false;

  /** `nowMs` is not the time of day: where that is set back by a day, a pause would last a day longer. */
  constructor(rows: AttemptRows, nowMs = () => performance.now()) {
    this.#rows = rows;
    this.#nowMs = nowMs;
  }

  /** Asks for a place for one attempt. */
  enter(target: Target): Decision | Promise<Decision> {
    if (!this.#rows.isFull()) return this.#enter(target);
    return this.#rows.untilRoom().then(() => this.#enter(target));
  }

  /** How many circuits are open or half-open. */
  openCircuits(): number {
    this.#known.purgeStale();
    return this.#open.size;
  }

  /** Admits no more attempts, including those that wait. */
  stop(): void {
    this.#isStopped = true;
    this.#sweeping.stop();
    for (const endpoint of this.#withWaiting) {
      for (const { resolve } of this.#takeWaiting(endpoint)) resolve({ kind: 'stopped' });
    }
  }

  #enter({ id, orgId, origin }: Target): Decision | Promise<Decision> {
    if (this.#isStopped) return { kind: 'stopped' };
    const endpoint = this.#endpointOf(`${id} ${origin}`, orgId);
    if (!isAdmitting(endpoint.circuit, this.#nowMs())) return this.#defer(endpoint);
    const { waiting } = endpoint;
    if (this.#hasPlace(endpoint) && waiting.length === 0) return this.#start(endpoint);
    const turnInMs = ((waiting.length + 1) * this.#guessMs(endpoint)) / endpoint.limit;
    if (turnInMs > limits.admissionWaitMsMax) return this.#defer(endpoint);
    this.#withWaiting.add(endpoint);
    this.#sweeping.start();
    const { promise, resolve } = Promise.withResolvers<Decision>();
    waiting.push({ sinceMs: this.#nowMs(), resolve });
    return promise;
  }

  #endpointOf(key: string, tenantId: string): Endpoint {
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    const tenant = this.#tenants.get(tenantId) ?? { running: 0, doubtful: 0 };
    this.#tenants.set(tenantId, tenant);
    const endpoint: Endpoint = {
      tenant,
      running: new Set(),
      limit: firstLimit,
      usualMs: firstGuessMs,
      isTrusted: false,
      circuit: closedCircuit,
      nextReturnMs: 0,
      waiting: [],
    };
    this.#known.set(key, endpoint);
    return endpoint;
  }

  #hasPlace({ running, limit, tenant, isTrusted }: Endpoint): boolean {
    if (running.size >= limit) return false;
    if (tenant.running >= 2 * (limits.attemptsMax - this.#total.running)) return false;
    return isTrusted || tenant.doubtful < limits.doubtfulAttemptsMax - this.#total.doubtful;
  }

  /** How long an attempt takes: at least as long as the oldest one under way already does. */
  #guessMs({ running, usualMs }: Endpoint): number {
    const [oldest] = running;
    return Math.max(usualMs, oldest === undefined ? 0 : this.#nowMs() - oldest.startedMs);
  }

  #start(endpoint: Endpoint): Admitted {
    const { isTrusted } = endpoint;
    const isProbe = isProbeNext(endpoint.circuit);
    const attempt = { startedMs: this.#nowMs() };
    endpoint.running.add(attempt);
    endpoint.circuit = afterStart(endpoint.circuit);
    this.#count(endpoint, isTrusted, 1);
    return {
      kind: 'admitted',
      leave: (result) => {
        const nowMs = this.#nowMs();
        endpoint.running.delete(attempt);
        this.#count(endpoint, isTrusted, -1);
        endpoint.circuit = afterEnd(endpoint.circuit, { result, isProbe }, nowMs);
        if (result !== undefined) this.#learn(endpoint, result, nowMs - attempt.startedMs);
        this.#admitWaiting(endpoint);
      },
    };
  }

  #count({ tenant }: Endpoint, isTrusted: boolean, by: 1 | -1): void {
    for (const counts of [tenant, this.#total]) {
      counts.running += by;
      if (!isTrusted) counts.doubtful += by;
    }
  }

  #learn(endpoint: Endpoint, { kind }: AttemptResult, tookMs: number): void {
    endpoint.isTrusted = kind === 'success' && tookMs <= limits.quickMsMax;
    if (kind === 'success') {
      endpoint.usualMs += (tookMs - endpoint.usualMs) / 8;
      endpoint.limit = Math.min(endpoint.limit + 1, limits.endpointAttemptsMax);
    } else if (kind === 'overload') {
      endpoint.limit = Math.max(1, Math.floor(endpoint.limit / 2));
    }
    if (endpoint.circuit.kind === 'closed') {
      this.#open.delete(endpoint);
      return;
    }
    endpoint.limit = 1;
    this.#open.add(endpoint);
    for (const { resolve } of this.#takeWaiting(endpoint)) resolve(this.#defer(endpoint));
  }

  #defer(endpoint: Endpoint): Deferred {
    const nowMs = this.#nowMs();
    const { circuit, limit } = endpoint;
    const untilMs = Math.max(
      admitsFromMs(circuit, nowMs),
      nowMs + deferMsMin,
      endpoint.nextReturnMs,
    );
    const returnMs = Math.max(returnEveryMs, returnEveryMsPerOpen * this.#open.size);
    // Somewhat faster than the endpoint can take them, so that it is never idle.
    const ownMs = (0.8 * this.#guessMs(endpoint)) / limit;
    const isAdmitted = isAdmitting(circuit, nowMs);
    endpoint.nextReturnMs = untilMs + (isAdmitted ? Math.min(ownMs, returnMs) : returnMs);
    return { kind: 'deferred', delayMs: Math.round(untilMs - nowMs) };
  }

  #takeWaiting(endpoint: Endpoint, count = endpoint.waiting.length): Endpoint['waiting'] {
    const taken = endpoint.waiting.splice(0, count);
    if (endpoint.waiting.length === 0) this.#withWaiting.delete(endpoint);
    return taken;
  }

  /** A place is free again: it goes to the endpoint that had it, otherwise to the others in turn. */
  #admitWaiting(first: Endpoint): void {
    if (this.#admitWaitingOf(first)) return;
    for (const endpoint of this.#withWaiting) {
      if (this.#admitWaitingOf(endpoint)) return;
    }
  }

  /** Returns whether any was admitted. */
  #admitWaitingOf(endpoint: Endpoint): boolean {
    const { waiting } = endpoint;
    let hasAdmitted = false;
    while (
      waiting.length > 0 &&
      this.#hasPlace(endpoint) &&
      isAdmitting(endpoint.circuit, this.#nowMs())
    ) {
      waiting.shift()?.resolve(this.#start(endpoint));
      hasAdmitted = true;
    }
    if (hasAdmitted && waiting.length === 0) this.#withWaiting.delete(endpoint);
    return hasAdmitted;
  }

  /**
   * Defers what has waited too long: it keeps others from being taken from the queue. Returns whether any still waits.
   */
  #deferLate(): boolean {
    const sinceMsMax = this.#nowMs() - limits.admissionWaitMsMax;
    for (const endpoint of this.#withWaiting) {
      const inTime = endpoint.waiting.findIndex(({ sinceMs }) => sinceMs > sinceMsMax);
      const late = this.#takeWaiting(endpoint, inTime === -1 ? endpoint.waiting.length : inTime);
      for (const { resolve } of late) resolve(this.#defer(endpoint));
    }
    return this.#withWaiting.size > 0;
  }
}
