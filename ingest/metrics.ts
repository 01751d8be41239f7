import { Gauge, type Registry } from '../infra/metrics.ts';
import type { Log } from './log/log.ts';
import type { ReceiveStats } from './receive.ts';
import type { Sinks } from './sinks/thread.ts';
import type { WebhookSinkStats } from './sinks/webhook-sink.ts';

/**
 * The edge's metrics. Nothing is counted for them on the hot path: they are read off when asked for.
 * All are gauges by type, since they are set; the names that end in `_total` only grow.
 */
export function registerMetrics<W>(
  registry: Registry,
  log: Log<W>,
  received: ReceiveStats,
  sinks: Sinks,
): void {
  const registers = [registry];

  const simple = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `millrace_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });

  const labelled = (name: string, help: string, label: string, values: () => [string, number][]) =>
    new Gauge({
      name: `millrace_${name}`,
      help,
      labelNames: [label],
      registers,
      collect() {
        for (const [of, value] of values()) this.set({ [label]: of }, value);
      },
    });

  simple('acknowledged_messages_total', 'Messages on the disk', () => {
    return log.stats().committedMessages;
  });
  simple('acknowledged_records_total', 'Records on the disk', () => log.stats().committedRecords);
  simple('log_commits_total', 'Writes to the log', () => log.stats().commits);
  simple('log_commit_seconds_total', 'Time the disk took', () => log.stats().commitSeconds);
  simple('log_failed_writes_total', 'Writes the disk refused', () => log.stats().failedWrites);
  simple('log_bytes', 'Bytes the log holds', () => log.stats().bytes);
  simple('log_max_bytes', 'Bytes the log may hold', () => log.stats().bytesMax);
  simple('log_disk_short', '1 while too little of the disk is free for more of the log', () => {
    return Number(log.stats().diskIsShort);
  });
  simple('log_lost_frames_total', 'Acknowledged frames that could not be read back', () => {
    return sinks.store.latest()?.damagedFrames ?? 0;
  });
  simple('log_identities_total', 'Times the log was reverted or copied, as the store told', () => {
    return sinks.store.latest()?.formerIdentities ?? 0;
  });
  simple('not_stored_messages_total', 'Messages whose profile says not to store', () => {
    return received.notStored;
  });

  labelled('refused_messages_total', 'Messages refused, by reason', 'reason', () => {
    return Object.entries(received.refused);
  });

  const perSink = (
    name: string,
    help: string,
    value: 'storedBatches' | 'storedRecords' | 'quarantinedRecords' | 'retries',
  ) =>
    labelled(`sink_${name}`, help, 'sink', () =>
      Object.entries(sinks.store.latest()?.sinks ?? {}).map(([sink, stats]) => [
        sink,
        stats[value],
      ]),
    );

  labelled('sink_pending_bytes', 'Bytes of the log the sink has not passed', 'sink', () => {
    const webhook = sinks.webhooks.latest();
    const all = { ...sinks.store.latest()?.sinks, ...(webhook === undefined ? {} : { webhook }) };
    return Object.entries(all).map(([sink, stats]) => [sink, stats.pendingBytes]);
  });
  perSink('stored_batches_total', 'Batches the store took', 'storedBatches');
  perSink('stored_records_total', 'Records the store took', 'storedRecords');
  perSink('quarantined_records_total', 'Records the store refused for good', 'quarantinedRecords');
  perSink('retries_total', 'Batches tried again', 'retries');

  const ofWebhooks = (name: string, help: string, value: (stats: WebhookSinkStats) => number) =>
    simple(`webhook_sink_${name}`, help, () => {
      const stats = sinks.webhooks.latest();
      return stats === undefined ? 0 : value(stats);
    });

  ofWebhooks('messages_total', 'Messages put into the queue of webhooks', (stats) => {
    return stats.forwardedMessages;
  });
  ofWebhooks(
    'copies_total',
    'Copies of them, one for each webhook',
    (stats) => stats.enqueuedCopies,
  );
  ofWebhooks(
    'waiting_copies_total',
    'Copies that waited in Postgres for a place in the queue',
    (stats) => stats.waitingCopies,
  );
  ofWebhooks(
    'missed_copies_total',
    'Copies that were not kept, because their org had too many bytes',
    (stats) => stats.missedCopies,
  );
  ofWebhooks(
    'quarantined_messages_total',
    'Messages that can not be forwarded for good',
    (stats) => stats.quarantinedMessages,
  );
  ofWebhooks('retries_total', 'Batches tried again', (stats) => stats.retries);
  ofWebhooks('rewinds_total', 'Times Redis may have lost jobs', (stats) => stats.rewinds);
}
