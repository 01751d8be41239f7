import type { Calls } from '../infra/runtime/observability/calls.ts';
import {
  type Labelled,
  measureCalls,
  measureDisk,
  measureLatency,
  readMetrics,
  type Registry,
} from '../infra/runtime/observability/metrics.ts';
import type { Behind } from './log/commit-times.ts';
import type { Position } from './log/format.ts';
import type { Log } from './log/log.ts';
import type { ReceiveStats } from './http/receive.ts';
import type { Answered } from './http/answered.ts';
import type { SinkStats } from './sinks/store/sink.ts';
import type { Sinks } from './sinks/thread.ts';
import type { WebhookSinkStats } from './sinks/webhooks/sink.ts';

/** What the metrics are read off. */
export type Measured<W> = {
  log: Log<W>;
  received: ReceiveStats;
  answered: Answered;
  sinks: Sinks;
  /** Of each thread. */
  calls: Record<string, Calls>;
};

/** The edge's metrics. Nothing is counted for them on the hot path: they are read off when asked for. */
export function registerMetrics<W>(registry: Registry, measured: Measured<W>): void {
  const { log, received, answered, sinks, calls } = measured;
  const read = readMetrics(registry);

  const counter = (name: string, help: string, value: () => number) =>
    read.counter({ name: `millrace_${name}_total`, help }, value);
  const counters = (name: string, help: string, label: string, values: () => Labelled) =>
    read.counters({ name: `millrace_${name}_total`, help }, label, values);
  const gauge = (name: string, help: string, value: () => number) =>
    read.gauge({ name: `millrace_${name}`, help }, value);

  const ack = {
    name: 'millrace_edge_ack_duration_seconds',
    help: 'From the head of a message to its 202',
  };
  measureLatency(registry, ack, answered.acks);
  counters('edge_requests_answered', 'Requests answered, by status', 'status', () => {
    return answered.all();
  });
  counter('acknowledged_messages', 'Messages on the disk', () => log.stats().committedMessages);
  counter('acknowledged_records', 'Records on the disk', () => log.stats().committedRecords);
  counter('not_stored_messages', 'Messages whose profile says not to store', () => {
    return received.notStored;
  });
  counters('refused_messages', 'Messages refused, by reason', 'reason', () => {
    return Object.entries(received.refused);
  });

  counter('log_commits', 'Writes to the log', () => log.stats().commits);
  counter('log_commit_seconds', 'Time the disk took', () => log.stats().commitSeconds);
  counter('log_failed_writes', 'Writes the disk refused', () => log.stats().failedWrites);
  gauge('log_bytes', 'Bytes the log holds', () => log.stats().bytes);
  gauge('log_max_bytes', 'Bytes the log may hold', () => log.stats().bytesMax);
  gauge('log_disk_short', '1 while too little of the disk is free for more of the log', () => {
    return Number(log.stats().diskIsShort);
  });
  counter('log_lost_frames', 'Acknowledged frames that could not be read back', () => {
    return sinks.store.latest()?.damagedFrames ?? 0;
  });
  counter('log_identities', 'Times the log was reverted or copied, as the store told', () => {
    return sinks.store.latest()?.formerIdentities ?? 0;
  });

  registerSinkMetrics(registry, log, sinks);
  measureCalls(registry, Object.values(calls));
  measureDisk(registry, log.directory);
}

function registerSinkMetrics<W>(registry: Registry, log: Log<W>, sinks: Sinks): void {
  const read = readMetrics(registry);
  const label = 'sink';

  /** Of a sink that has said nothing since its thread began there is nothing to tell. */
  function reported(): [string, { position: Position; pendingBytes: number }][] {
    const webhook = sinks.webhooks.latest();
    const ofStore = Object.entries(sinks.store.latest()?.sinks ?? {});
    return [...ofStore, ...(webhook === undefined ? [] : [['webhook', webhook] as const])].map(
      ([sink, stats]) => [sink, stats],
    );
  }

  const perSink = (name: string, help: string, value: (behind: Behind) => number) =>
    read.gauges({ name: `millrace_sink_${name}`, help }, label, () =>
      reported().map(([sink, { position }]) => {
        const end = log.positions.committed();
        const behind = log.commitTimes.behind(position, end, performance.now());
        return [sink, value(behind) / 1_000];
      }),
    );

  const pending = {
    name: 'millrace_sink_pending_bytes',
    help: 'Bytes of the log the sink has not passed',
  };
  read.gauges(pending, label, () =>
    reported().map(([sink, { pendingBytes }]) => [sink, pendingBytes]),
  );
  perSink('lag_seconds', 'How much of the log, in time, the sink has not passed', (behind) => {
    return behind.lagMs;
  });
  perSink('oldest_unsent_seconds', 'Age of the oldest record the sink has not passed', (behind) => {
    return behind.ageMs;
  });

  const ofStore = (name: string, help: string, value: (stats: SinkStats) => number) =>
    read.counters({ name: `millrace_sink_${name}_total`, help }, label, () =>
      Object.entries(sinks.store.latest()?.sinks ?? {}).map(([sink, stats]) => [
        sink,
        value(stats),
      ]),
    );
  ofStore('stored_batches', 'Batches the store took', (stats) => stats.storedBatches);
  ofStore('stored_records', 'Records the store took', (stats) => stats.storedRecords);
  ofStore('quarantined_records', 'Records the store refused for good', (stats) => {
    return stats.quarantinedRecords;
  });
  ofStore('retries', 'Batches tried again', (stats) => stats.retries);

  const ofWebhooks = (name: string, help: string, value: (stats: WebhookSinkStats) => number) =>
    read.counter({ name: `millrace_webhook_sink_${name}_total`, help }, () => {
      const stats = sinks.webhooks.latest();
      return stats === undefined ? 0 : value(stats);
    });
  ofWebhooks('messages', 'Messages put into the queue of webhooks', (stats) => {
    return stats.forwardedMessages;
  });
  ofWebhooks('copies', 'Copies of them, one for each webhook', (stats) => stats.enqueuedCopies);
  ofWebhooks(
    'waiting_copies',
    'Copies that waited in Postgres for a place in the queue',
    (stats) => {
      return stats.waitingCopies;
    },
  );
  ofWebhooks(
    'missed_copies',
    'Copies that were not kept, because their org had too many bytes',
    (stats) => stats.missedCopies,
  );
  ofWebhooks('quarantined_messages', 'Messages that can not be forwarded for good', (stats) => {
    return stats.quarantinedMessages;
  });
  ofWebhooks('retries', 'Batches tried again', (stats) => stats.retries);
  ofWebhooks('rewinds', 'Times Redis may have lost jobs', (stats) => stats.rewinds);
}
