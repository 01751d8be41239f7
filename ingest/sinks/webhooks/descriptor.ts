import { readMetrics } from '../../../infra/runtime/observability/metrics.ts';
import { limits } from '../../limits.ts';
import type { IngestConfig } from '../../config.ts';
import type { Sink, SinkThreadData } from '../sink.ts';
import { startSinkThread } from '../thread.ts';
import type { WebhookReport, WebhookThreadData } from './worker.ts';

/** Brings messages for webhooks to Postgres, from where workers deliver them. */
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
          : 'Postgres does not take messages';
      const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 ** 2);
      const waiting = `${mebibytes(webhooks.pendingBytes)} of ${mebibytes(logBytesMax)} MiB`;
      return { status: 'warn', output: `${why}; they hold ${waiting} of the log` };
    },
  },

  start(thread, config, logger) {
    const module = new URL('./worker.ts', import.meta.url);
    const { latest, stop } = startSinkThread<WebhookReport>(
      'webhook',
      module,
      { ...thread, ...settingsOf(config) },
      logger,
    );
    return {
      stop,
      progress() {
        const webhook = latest();
        return webhook === undefined ? undefined : { webhook };
      },
      registerMetrics(registry) {
        const read = readMetrics(registry);
        const counter = (name: string, help: string, value: (report: WebhookReport) => number) =>
          read.counter({ name: `millrace_webhook_sink_${name}_total`, help }, () => {
            const report = latest();
            return report === undefined ? 0 : value(report);
          });
        counter('messages', 'Messages kept for webhooks', (report) => report.messages);
        counter(
          'deliveries',
          'Deliveries that are due: one for each message and webhook',
          (report) => report.deliveries,
        );
        counter(
          'missed_deliveries',
          'Deliveries that were not kept, because their org had too many bytes',
          (report) => report.missed,
        );
      },
    };
  },
};

function settingsOf(config: IngestConfig): Omit<WebhookThreadData, keyof SinkThreadData> {
  return {
    databaseUrl: config.databaseUrl,
    bytesPerOrgMax: config.webhookBytesPerOrgMax,
    ...limits.webhooks,
  };
}
