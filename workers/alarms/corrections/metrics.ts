import { Counter, Gauge, type Registry } from '../../../infra/runtime/observability/metrics.ts';
import { type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { findLongestWaitS } from './sql.ts';

/** Counts corrections of history, for operators. */
export type CorrectionMetrics = {
  corrected: () => void;
  /** History stays as it was: the records around those that came late are too many. */
  givenUp: () => void;
};

export function registerCorrectionMetrics(registry: Registry, pool: Pool): CorrectionMetrics {
  const registers = [registry];
  const corrected = new Counter({
    name: 'millrace_alarm_corrections_total',
    help: 'Times that the history of a rule and a thing was looked at again, because records came late',
    registers,
  });
  const givenUp = new Counter({
    name: 'millrace_alarm_corrections_given_up_total',
    help: 'Times that the history of a rule and a thing stayed as it was, because it has too many records',
    registers,
  });
  const oldest = new Gauge({
    name: 'millrace_alarm_corrections_oldest_seconds',
    help: 'How long ago the records came late whose history has waited for longest to be corrected',
    registers: [],
    async collect() {
      const seconds = await findLongestWaitS(rowsOf(pool)).catch(() => undefined);
      // While PostgreSQL is away the gauge is absent, so that nobody reads an old value.
      if (seconds === undefined) this.remove();
      else this.set(seconds);
    },
  });
  registry.registerMetric(oldest);
  return { corrected: () => corrected.inc(), givenUp: () => givenUp.inc() };
}
