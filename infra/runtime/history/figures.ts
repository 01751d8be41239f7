import { boundsMs } from '../observability/latencies.ts';
import type { Registry } from '../observability/metrics.ts';

/** How values of a figure are put together. */
type How = 'sum' | 'max' | 'min';

/** Where a figure comes from: metrics, whose values are added up, apart by this label. */
type Source = {
  metrics: readonly string[];
  label?: string;
  /** Routes that it leaves out. */
  exceptRoutes?: RegExp;
};

/** Routes that programs ask again and again, to see whether the process is well. */
const watched = /^\/(health.*|metrics|reader\/health)$/;
/** These, and routes that take as long as there is something to send or to wait for, or somebody who listens. */
const watchedOrStreamed =
  /^\/(health.*|metrics|reader\/health|.*\/(live|export|backup|restore|next-message))$/;

/** Figures that grow: the growth in an interval is kept, so that a process may start anew at any time. */
const counts = {
  messages: { metrics: ['millrace_acknowledged_messages_total'] },
  records: { metrics: ['millrace_acknowledged_records_total'] },
  refused: { metrics: ['millrace_refused_messages_total'], label: 'reason' },
  /** How many took no longer than each bound, in seconds. */
  ack: {
    metrics: ['millrace_edge_ack_duration_seconds', 'millrace_stream_ack_duration_seconds'],
    label: 'le',
  },
  attempts: { metrics: ['millrace_webhook_attempts_total'], label: 'outcome' },
  missed_deliveries: { metrics: ['millrace_webhook_sink_missed_deliveries_total'] },
  failed_writes: { metrics: ['millrace_log_failed_writes_total'] },
  mails_sent: { metrics: ['millrace_mails_sent_total'] },
  mails_failed: { metrics: ['millrace_mails_failed_attempts_total'] },
  mails_given_up: { metrics: ['millrace_mails_given_up_total'] },
  /** Requests to the API. */
  answers: {
    metrics: ['millrace_api_requests_answered_total'],
    label: 'status',
    exceptRoutes: watched,
  },
  answer: {
    metrics: ['millrace_api_request_duration_seconds'],
    label: 'le',
    exceptRoutes: watchedOrStreamed,
  },
  // The sum of both has no value until the first of them was read.
  cpu: { metrics: ['process_cpu_user_seconds_total', 'process_cpu_system_seconds_total'] },
} as const satisfies Record<string, Source>;

/** Figures that stand at a value: how the values of an interval are put together, and those of several processes. */
export const levels = {
  unsent_seconds: {
    metrics: ['millrace_sink_oldest_unsent_seconds'],
    label: 'sink',
    inTime: 'max',
    across: 'max',
  },
  log_bytes: { metrics: ['millrace_log_bytes'], inTime: 'max', across: 'sum' },
  log_max_bytes: { metrics: ['millrace_log_max_bytes'], inTime: 'max', across: 'sum' },
  disk_free_bytes: { metrics: ['millrace_disk_free_bytes'], inTime: 'min', across: 'min' },
  disk_short: { metrics: ['millrace_log_disk_short'], inTime: 'max', across: 'max' },
  // Since the edge was started: what they tell stays true until somebody looked and started it again.
  lost_frames: { metrics: ['millrace_log_lost_frames_total'], inTime: 'max', across: 'sum' },
  log_identities: { metrics: ['millrace_log_identities_total'], inTime: 'max', across: 'sum' },
  // Each API asks the same store, and each of the workers the same queue.
  store_bytes: { metrics: ['millrace_store_bytes'], inTime: 'max', across: 'max' },
  store_parts: { metrics: ['millrace_store_parts'], inTime: 'max', across: 'max' },
  store_merges: { metrics: ['millrace_store_merges'], inTime: 'max', across: 'max' },
  queue_jobs: {
    metrics: ['millrace_webhook_queue_jobs'],
    label: 'state',
    inTime: 'max',
    across: 'max',
  },
  queue_seconds: {
    metrics: ['millrace_webhook_queue_oldest_seconds'],
    inTime: 'max',
    across: 'max',
  },
  queue_waiting: { metrics: ['millrace_webhook_waiting_deliveries'], inTime: 'max', across: 'max' },
  memory_bytes: { metrics: ['process_resident_memory_bytes'], inTime: 'max', across: 'sum' },
  /** The severity of its worst check. No metric: who reports adds it. */
  health: { metrics: [], inTime: 'max', across: 'max' },
} as const satisfies Record<string, Source & { inTime: How; across: How }>;

export type CountName = keyof typeof counts;
export type LevelName = keyof typeof levels;

/** By the name of a figure, with a colon and the label's value where it has one. Counts of 0 are left out. */
type Figures = Readonly<Record<string, number>>;

/** The figures of an interval of so many seconds. */
export type Sample = { seconds: number; figures: Figures };

export const keyOf = (name: string, label?: string): string =>
  label === undefined ? name : `${name}:${label}`;

export const nameOf = (key: string): string => key.split(':', 1)[0] ?? key;

const isLevel = (name: string): name is LevelName => Object.hasOwn(levels, name);

/** Where latencies end: each is the label of a count of `ack`, and of one of `answer`. */
export const latencyBounds: readonly string[] = [
  ...boundsMs.map((ms) => String(ms / 1_000)),
  '+Inf',
];

const howTo: Readonly<Record<How, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min,
};

/** Adds `other` to what stands there. */
export function combine(one: number | undefined, how: How, other: number): number {
  return one === undefined ? other : howTo[how](one, other);
}

/** Reads the figures that this process has, as its metrics stand now: counts since its start. */
export async function readFigures(registry: Registry): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const [name, source] of Object.entries<Source>({ ...counts, ...levels })) {
    for (const metricName of source.metrics) {
      const metric = registry.getSingleMetric(metricName);
      if (metric === undefined) continue;
      for (const one of (await metric.get()).values) {
        if ('metricName' in one && !String(one.metricName).endsWith('_bucket')) continue;
        if (source.exceptRoutes?.test(String(one.labels['route'])) === true) continue;
        const label = source.label === undefined ? undefined : one.labels[source.label];
        const key = keyOf(name, label === undefined ? undefined : String(label));
        figures[key] = (figures[key] ?? 0) + one.value;
      }
    }
  }
  return figures;
}

/** The figures between two readings. A count that fell began anew: a thread of the process did. */
export function between(before: Figures, after: Figures, seconds: number): Sample {
  const figures: Record<string, number> = {};
  for (const [key, value] of Object.entries(after)) {
    if (isLevel(nameOf(key))) {
      figures[key] = value;
      continue;
    }
    const had = before[key] ?? 0;
    const growth = value < had ? value : value - had;
    if (growth > 0) figures[key] = growth;
  }
  return { seconds, figures };
}

/** Two intervals, one after the other, as one. */
export function joined(earlier: Sample | undefined, later: Sample): Sample {
  if (earlier === undefined) return later;
  const figures: Record<string, number> = { ...earlier.figures };
  for (const [key, value] of Object.entries(later.figures)) {
    const name = nameOf(key);
    figures[key] = combine(figures[key], isLevel(name) ? levels[name].inTime : 'sum', value);
  }
  return { seconds: earlier.seconds + later.seconds, figures };
}
