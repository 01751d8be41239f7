import { readMetrics } from '../../../infra/runtime/observability/metrics.ts';
import { limits } from '../../limits.ts';
import type { Sink } from '../sink.ts';
import { startSinkThread } from '../thread.ts';
import type { StoreSinkStats } from './sink.ts';
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
      insertTimeoutMs: limits.insertTimeoutMs,
      limits: {
        batchBytesMax: limits.batchBytesMax,
        batchAgeMsMax: limits.batchAgeMsMax,
        cursorIdleMs: limits.cursorIdleMs,
        missingMs: limits.missingMs,
        pollMs: limits.batchPollMs,
        retryMsMin: limits.sinkRetryMsMin,
        retryMsMax: limits.sinkRetryMsMax,
      },
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
        const ofEach = (name: string, help: string, value: (stats: StoreSinkStats) => number) =>
          read.counters({ name: `millrace_sink_${name}_total`, help }, 'sink', () =>
            Object.entries(latest()?.sinks ?? {}).map(([sink, stats]) => [sink, value(stats)]),
          );
        ofLog('lost_frames', 'Acknowledged frames that could not be read back', (report) => {
          return report.damagedFrames;
        });
        ofLog(
          'identities',
          'Times the log took another identity, because it had been reverted or copied',
          (report) => {
            return report.formerIdentities;
          },
        );
        ofEach('stored_batches', 'Batches that were stored', (stats) => stats.storedBatches);
        ofEach('stored_records', 'Records that were stored', (stats) => stats.storedRecords);
        ofEach('quarantined_records', 'Records that the store refused for good', (stats) => {
          return stats.quarantinedRecords;
        });
        ofEach('retries', 'Batches tried again', (stats) => stats.retries);
      },
    };
  },
});
