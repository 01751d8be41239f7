import { Counter, Gauge, type Registry } from '../../infra/runtime/observability/metrics.ts';
import type { Polled } from '../../infra/runtime/process/poll.ts';

/** Counts looks that workers take again and again, for operators. */
export type LookMetrics = {
  /** A look ended well. */
  looked: () => void;
  failed: () => void;
};

/** Counts the looks for silence (`millrace_alarm_silence_…`), or those at history that is to be corrected. */
export function registerLookMetrics(
  registry: Registry,
  of: 'silence' | 'corrections',
  words: string,
): LookMetrics {
  let lookedMs = performance.now();
  const waiting = new Gauge({
    name: `millrace_alarm_${of}_waiting_seconds`,
    help: `For how long ${words} without success`,
    registers: [],
    collect() {
      this.set((performance.now() - lookedMs) / 1_000);
    },
  });
  registry.registerMetric(waiting);
  const failures = new Counter({
    name: `millrace_alarm_${of}_failures_total`,
    help: `How often ${words} and failed`,
    registers: [registry],
  });
  return {
    looked: () => void (lookedMs = performance.now()),
    failed: () => failures.inc(),
  };
}

type Look = (stopping: AbortSignal) => Promise<Polled>;

/** The same look, counted. */
export const counted =
  (look: Look, metrics: LookMetrics): Look =>
  async (stopping) => {
    try {
      const polled = await look(stopping);
      metrics.looked();
      return polled;
    } catch (error) {
      metrics.failed();
      throw error;
    }
  };
