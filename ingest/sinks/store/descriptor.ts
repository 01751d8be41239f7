import { readMetrics } from '../../../infra/runtime/observability/metrics.ts';
import { limits } from '../../limits.ts';
import type { Sink } from '../sink.ts';
import { startSinkThread } from '../thread.ts';
import type { StoreReport, StoreThreadData } from './thread.ts';

/** The module that the edge runs as the sink's thread. */
export const storeWorker = new URL('./worker.ts', import.meta.url);

/** Delivers SenML and JSON to ClickHouse. */
export const storeSink = (worker: URL): Sink => ({
  deletionsWait: true,

  health: {
    name: 'clickhouse',
    check(progress) {
      if (progress?.some(({ state }) => state === 'halted') === true) {
        return {
          status: 'warn',
          output: 'batches fail for a reason that is not known: see the log',
        };
      }
      const isStoring = progress?.every(({ state }) => state === 'running') ?? false;
      return isStoring
        ? { status: 'pass' }
        : { status: 'warn', output: 'the store takes no batches' };
    },
  },

  start(thread, config, logger) {
    const data: StoreThreadData = {
      ...thread,
      clickhouseUrl: config.clickhouseUrl,
      ...limits.store,
    };
    const { latest, stop } = startSinkThread<StoreReport>('store', worker, data, logger);
    return {
      stop,
      progress: () => latest()?.sinks,
      registerMetrics(registry) {
        const read = readMetrics(registry);
        const ofLog = (name: string, help: string, value: (report: StoreReport) => number) =>
          read.counter({ name: `millrace_log_${name}_total`, help }, () => {
            const report = latest();
            return report === undefined ? 0 : value(report);
          });
        ofLog(
          'identities',
          'Times the log took another identity, because it had been reverted or copied',
          (report) => {
            return report.formerIdentities;
          },
        );
      },
    };
  },
});
