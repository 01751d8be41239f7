import type { Queue } from 'bullmq';
import {
  Counter,
  Gauge,
  Histogram,
  type Registry,
} from '../../infra/runtime/observability/metrics.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import type { CallFailure } from './call/failures.ts';
import type { DisabledWhy } from './record/disable.ts';
import { countWaiting } from './record/jobs-sql.ts';

/** How an attempt ended, as the metric calls it. */
export type AttemptOutcome = 'delivered' | 'refused' | Exclude<CallFailure['kind'], 'stopped'>;
/** Why a delivery ended that was not delivered. */
type EndReason =
  | 'given_up'
  | 'gone'
  | 'webhook_deleted'
  | 'webhook_disabled'
  | 'not_kept'
  | 'malformed';

export type WebhookMetrics = {
  attempts: Record<AttemptOutcome, Counter.Internal>;
  ended: Counter<'reason'>;
  deferred: Counter;
  disabled: Counter<'why'>;
  lost: Counter;
  duration: Histogram;
};

const reasons: readonly EndReason[] = [
  'given_up',
  'gone',
  'webhook_deleted',
  'webhook_disabled',
  'not_kept',
  'malformed',
];
const whys: readonly DisabledWhy[] = ['gone', 'failing'];

export function registerWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'millrace_webhook_attempts_total',
    help: 'Attempts to deliver a message to a webhook, by how they ended',
    labelNames: ['outcome'],
    registers,
  });
  const attemptsThat = (outcome: AttemptOutcome) => attempts.labels({ outcome });
  const metrics = {
    attempts: {
      delivered: attemptsThat('delivered'),
      refused: attemptsThat('refused'),
      timed_out: attemptsThat('timed_out'),
      not_allowed: attemptsThat('not_allowed'),
      not_sent: attemptsThat('not_sent'),
      no_connection: attemptsThat('no_connection'),
      broken_off: attemptsThat('broken_off'),
    },
    ended: new Counter({
      name: 'millrace_webhook_jobs_ended_total',
      help: 'Deliveries that get no more attempts and were not delivered, by reason',
      labelNames: ['reason'],
      registers,
    }),
    deferred: new Counter({
      name: 'millrace_webhook_jobs_deferred_total',
      help: 'Deliveries that went back into the queue without an attempt, because of an open circuit or too much under way',
      registers,
    }),
    disabled: new Counter({
      name: 'millrace_webhooks_disabled_total',
      help: 'Webhooks that were disabled',
      labelNames: ['why'],
      registers,
    }),
    lost: new Counter({
      name: 'millrace_webhook_lost_jobs_total',
      help: 'Jobs that Redis lost, and that were added again',
      registers,
    }),
    duration: new Histogram({
      name: 'millrace_webhook_try_seconds',
      help: 'How long attempts took',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
  } satisfies WebhookMetrics;
  for (const counter of Object.values(metrics.attempts)) counter.inc(0);
  for (const reason of reasons) metrics.ended.inc({ reason }, 0);
  for (const why of whys) metrics.disabled.inc({ why }, 0);
  return metrics;
}

/** Gauges that ask for their values when the metrics are read: of the queue, and of open circuits. */
export function registerWebhookGauges(
  registry: Registry,
  parts: { pool: Pool; queue: Queue; redis: Redis; openCircuits: () => number },
): void {
  const { pool, queue, redis, openCircuits } = parts;
  const states = ['wait', 'active', 'delayed', 'failed'] as const;
  const jobs = new Gauge({
    name: 'millrace_webhook_queue_jobs',
    help: 'Jobs in the queue of webhooks, by state: bundles of messages at first, then single deliveries',
    labelNames: ['state'],
    registers: [],
    async collect() {
      // While Redis is away the gauge is absent, so that nobody reads an old value.
      this.reset();
      if (redis.status !== 'ready') return;
      const counts = await queue.getJobCounts(...states).catch(() => undefined);
      if (counts === undefined) return;
      for (const state of states) this.set({ state }, counts[state] ?? 0);
    },
  });
  const oldest = new Gauge({
    name: 'millrace_webhook_queue_oldest_seconds',
    help: 'How long the next job of the queue of webhooks has been in it',
    registers: [],
    async collect() {
      if (redis.status !== 'ready') return;
      const [next] = await queue.getJobs(['wait'], 0, 0, true).catch(() => []);
      this.set(next === undefined ? 0 : (Date.now() - next.timestamp) / 1_000);
    },
  });
  const endpoints = new Gauge({
    name: 'millrace_webhook_endpoints_open',
    help: 'Endpoints of webhooks whose circuit is open: they failed so often that they are not called for a while',
    registers: [],
    collect() {
      this.set(openCircuits());
    },
  });
  const waiting = new Gauge({
    name: 'millrace_webhook_waiting_deliveries',
    help: 'Deliveries that wait in Postgres, because their org or the queue has no room for them',
    registers: [],
    async collect() {
      this.reset();
      const deliveries = await countWaiting(pool).catch(() => undefined);
      if (deliveries !== undefined) this.set(deliveries);
    },
  });
  for (const gauge of [jobs, oldest, endpoints, waiting]) registry.registerMetric(gauge);
}
