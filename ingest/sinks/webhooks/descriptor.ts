import { readMetrics } from '../../../infra/runtime/observability/metrics.ts';
import { limits } from '../../limits.ts';
import type { IngestConfig } from '../../config.ts';
import type { Sink, SinkThreadData } from '../sink.ts';
import { startSinkThread } from '../thread.ts';
import type { WebhookSinkStats } from './sink.ts';
import type { WebhookThreadData } from './worker.ts';

/** Delivers messages for webhooks to the queue. */
export const webhooksSink: Sink = {
  deletionsWait: false,

  health: {
    name: 'webhooks',
    /** Messages that wait take room in the log; once it is full, no message is taken. */
    check(progress, logBytesMax) {
      const [webhooks] = progress ?? [];
      if (webhooks === undefined || webhooks.state === 'running') return { status: 'pass' };
      const why =
        webhooks.state === 'halted'
          ? 'messages fail for a reason that is not known: see the log'
          : 'messages can not be queued';
      const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 ** 2);
      const waiting = `${mebibytes(webhooks.pendingBytes)} of ${mebibytes(logBytesMax)} MiB`;
      return { status: 'warn', output: `${why}; they hold ${waiting} of the log` };
    },
  },

  start(thread, config, logger) {
    const module = new URL('./worker.ts', import.meta.url);
    const { latest, send, stop } = startSinkThread<WebhookSinkStats>(
      'webhook',
      module,
      { ...thread, ...settingsOf(config) },
      logger,
    );
    return {
      hear: send,
      stop,
      progress() {
        const webhook = latest();
        return webhook === undefined ? undefined : { webhook };
      },
      registerMetrics(registry) {
        const read = readMetrics(registry);
        const counter = (name: string, help: string, value: (stats: WebhookSinkStats) => number) =>
          read.counter({ name: `millrace_webhook_sink_${name}_total`, help }, () => {
            const stats = latest();
            return stats === undefined ? 0 : value(stats);
          });
        counter('messages', 'Messages put into the queue of webhooks', (stats) => {
          return stats.forwardedMessages;
        });
        counter(
          'copies',
          'Deliveries put into the queue: one for each message and webhook',
          (stats) => stats.queuedDeliveries,
        );
        counter(
          'waiting_copies',
          'Deliveries that waited in Postgres for a place in the queue',
          (stats) => stats.waitingDeliveries,
        );
        counter(
          'missed_copies',
          'Deliveries that were not kept, because their org had too many bytes',
          (stats) => stats.missedDeliveries,
        );
        counter('quarantined_messages', 'Messages that were refused for good', (stats) => {
          return stats.quarantinedMessages;
        });
        counter('retries', 'Batches tried again', (stats) => stats.retries);
        counter(
          'rewinds',
          'Times jobs were added again, because Redis may have lost them',
          (stats) => stats.rewinds,
        );
      },
    };
  },
};

function settingsOf(config: IngestConfig): Omit<WebhookThreadData, keyof SinkThreadData> {
  return {
    databaseUrl: config.databaseUrl,
    redisUrl: config.redisUrl,
    queryMsMax: limits.webhookQueryMsMax,
    redisMsMax: limits.webhookRedisMsMax,
    windowBytes: limits.webhookWindowBytes,
    queueJobsMax: config.webhookQueueJobsMax,
    shares: {
      deliveriesPerOrgMax: config.webhookDeliveriesPerOrgMax,
      bytesPerOrgMax: config.webhookBytesPerOrgMax,
    },
    limits: {
      batchBytesMax: limits.webhookBatchBytesMax,
      batchFramesMax: limits.webhookBatchFramesMax,
      batchAgeMsMax: limits.webhookBatchAgeMsMax,
      pollMs: limits.webhookPollMs,
      retryMsMin: limits.sinkRetryMsMin,
      retryMsMax: limits.webhookRetryMsMax,
      lookMs: limits.webhookLookMs,
      loseMsMax: limits.webhookLoseMsMax,
      cursorMs: limits.webhookCursorMs,
    },
  };
}
