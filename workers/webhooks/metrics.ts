import type { Queue } from 'bullmq';
import {
  Counter,
  Gauge,
  Histogram,
  type Registry,
} from '../../infra/runtime/observability/metrics.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import type { NoAnswer } from './call/call.ts';
import type { Why } from './admission/disable.ts';
import { countWaiting } from './record/jobs-sql.ts';

/** How a try ended. */
export type TryOutcome = 'delivered' | 'refused' | Exclude<NoAnswer['kind'], 'stopped'>;
/** Why a copy ended that was not delivered. */
export type EndReason =
  | 'given_up'
  | 'gone'
  | 'webhook_deleted'
  | 'webhook_disabled'
  | 'not_kept'
  | 'malformed';

export type WebhookMetrics = {
  tries: Record<TryOutcome, Counter.Internal>;
  ended: Counter<'reason'>;
  putAside: Counter;
  disabled: Counter<'why'>;
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
const whys: readonly Why[] = ['gone', 'failing'];

export function registerWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const tries = new Counter({
    name: 'millrace_webhook_tries_total',
    help: 'Tries to deliver a message to a webhook, by how they ended',
    labelNames: ['outcome'],
    registers,
  });
  const triesThat = (outcome: TryOutcome) =>
    tries.labels({ outcome: outcome.replaceAll(' ', '_') });
  const metrics = {
    tries: {
      delivered: triesThat('delivered'),
      refused: triesThat('refused'),
      'timed out': triesThat('timed out'),
      'not allowed': triesThat('not allowed'),
      'not sent': triesThat('not sent'),
      'no connection': triesThat('no connection'),
      'broken off': triesThat('broken off'),
    },
    ended: new Counter({
      name: 'millrace_webhook_jobs_ended_total',
      help: 'Messages for a webhook that are not tried any more, by why',
      labelNames: ['reason'],
      registers,
    }),
    putAside: new Counter({
      name: 'millrace_webhook_jobs_put_aside_total',
      help: 'Messages that were put back without a try, because their receiver is shut or busy',
      registers,
    }),
    disabled: new Counter({
      name: 'millrace_webhooks_disabled_total',
      help: 'Webhooks that were disabled',
      labelNames: ['why'],
      registers,
    }),
    duration: new Histogram({
      name: 'millrace_webhook_try_seconds',
      help: 'How long a try took',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
  } satisfies WebhookMetrics;
  for (const counter of Object.values(metrics.tries)) counter.inc(0);
  for (const reason of reasons) metrics.ended.inc({ reason }, 0);
  for (const why of whys) metrics.disabled.inc({ why }, 0);
  return metrics;
}

/** What is asked when somebody looks: the queue, and the endpoints that are shut. */
export function registerWebhookGauges(
  registry: Registry,
  parts: { pool: Pool; queue: Queue; redis: Redis; shut: () => number },
): void {
  const { pool, queue, redis, shut } = parts;
  const states = ['wait', 'active', 'delayed', 'failed'] as const;
  const jobs = new Gauge({
    name: 'millrace_webhook_queue_jobs',
    help: 'Jobs in the queue of webhooks, by state: bundles of messages at first, single ones to be tried again',
    labelNames: ['state'],
    registers: [],
    async collect() {
      // A gauge that can't be asked for is absent, not old.
      this.reset();
      if (redis.status !== 'ready') return;
      const counts = await queue.getJobCounts(...states).catch(() => undefined);
      if (counts === undefined) return;
      for (const state of states) this.set({ state }, counts[state] ?? 0);
    },
  });
  const oldest = new Gauge({
    name: 'millrace_webhook_queue_oldest_seconds',
    help: 'How long the message that is next in the queue of webhooks has been in it',
    registers: [],
    async collect() {
      if (redis.status !== 'ready') return;
      const [next] = await queue.getJobs(['wait'], 0, 0, true).catch(() => []);
      this.set(next === undefined ? 0 : (Date.now() - next.timestamp) / 1_000);
    },
  });
  const endpoints = new Gauge({
    name: 'millrace_webhook_endpoints_shut',
    help: 'Endpoints of webhooks that failed so often that they are left alone for a while',
    registers: [],
    collect() {
      this.set(shut());
    },
  });
  const waiting = new Gauge({
    name: 'millrace_webhook_waiting_copies',
    help: 'Copies for webhooks that wait in Postgres, because their org or the queue has no room for them',
    registers: [],
    async collect() {
      this.reset();
      const copies = await countWaiting(pool).catch(() => undefined);
      if (copies !== undefined) this.set(copies);
    },
  });
  for (const gauge of [jobs, oldest, endpoints, waiting]) registry.registerMetric(gauge);
}
