import { Counter, Gauge, type Registry } from '../../../infra/runtime/observability/metrics.ts';
import type { Sent } from './send.ts';

/** Counts notices of alarms, for operators. */
export type NoticeMetrics = {
  /** After each look: when the notice that has waited for longest was due; infinity if none waits. */
  looked: (oldestDueMs: number) => void;
  sent: (sent: Sent) => void;
};

export function registerNoticeMetrics(registry: Registry): NoticeMetrics {
  const registers = [registry];
  const told = new Counter({
    name: 'millrace_alarm_transitions_told_total',
    help: 'Transitions of alarms that receivers were told of',
    registers,
  });
  const held = new Counter({
    name: 'millrace_alarm_notices_held_total',
    help: 'Transitions of alarms that nobody was told of, by reason',
    labelNames: ['why'],
    registers,
  });
  const notices = new Counter({
    name: 'millrace_alarm_notices_total',
    help: 'Notices of alarms that were written, by their way: each is one delivery or one mail',
    labelNames: ['way'],
    registers,
  });
  let oldestDueMs = Number.POSITIVE_INFINITY;
  let lookedMs = Date.now();
  const oldest = new Gauge({
    name: 'millrace_alarm_notices_oldest_seconds',
    help: 'How long the notice of an alarm that is due has waited, or nobody has looked',
    registers: [],
    collect() {
      const nowMs = Date.now();
      this.set(Math.max(0, nowMs - oldestDueMs, nowMs - lookedMs) / 1_000);
    },
  });
  registry.registerMetric(oldest);
  for (const why of ['silenced', 'inhibited', 'nobody'] as const) held.inc({ why }, 0);
  for (const way of ['webhook', 'mail'] as const) notices.inc({ way }, 0);
  return {
    looked(dueMs) {
      oldestDueMs = dueMs;
      lookedMs = Date.now();
    },
    sent({ transitions, webhooks, mails, held: { silenced, inhibited, nobody } }) {
      told.inc(transitions);
      notices.inc({ way: 'webhook' }, webhooks);
      notices.inc({ way: 'mail' }, mails);
      held.inc({ why: 'silenced' }, silenced);
      held.inc({ why: 'inhibited' }, inhibited);
      held.inc({ why: 'nobody' }, nobody);
    },
  };
}
