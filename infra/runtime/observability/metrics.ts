import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Connections } from '../network/connections.ts';
import type { About } from '../process/about.ts';
import { type Calls, neighbours, outcomes } from './calls.ts';
import { type Lag, measureLag } from './event-loop-lag.ts';
import { boundsMs, type Latencies } from './latencies.ts';

export { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

/** Their names suggest a wrong type, and other metrics have the same values. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_eventloop_utilization_summary',
];

/** The values of the lag of the event loop. */
const lags = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'] as const;
const lagName = (of: keyof Lag): string => `nodejs_eventloop_lag_${of}_seconds`;

/** The period of clocks whose metrics are removed or replaced: they never tick. */
const neverMs = 2 ** 31 - 1;

/** A process's own metrics, with Node's beside them. */
export function createMetrics({ version, commit }: About): Registry {
  const registry = new Registry();
  collectDefaultMetrics({
    register: registry,
    eventLoopUtilizationTimeout: neverMs,
    eventLoopMonitoringPrecision: neverMs,
  });
  for (const name of [...misnamed, ...lags.map(lagName)]) registry.removeSingleMetric(name);
  registerLag(registry);
  const info = new Gauge({
    name: 'millrace_build_info',
    help: '1, with what runs as labels',
    labelNames: ['version', 'commit'],
    registers: [registry],
  });
  info.set({ version, commit }, 1);
  return registry;
}

/** Node's own metrics of the lag need a clock that wakes a process many times a second, also with nothing to do. */
function registerLag(registry: Registry): void {
  const measured = measureLag();
  const metrics = readMetrics(registry);
  const [first, ...others] = lags;
  const naming = (of: keyof Lag) => ({ name: lagName(of), help: `Lag of the event loop: ${of}` });
  let lag: Lag;
  // They are read in this order.
  metrics.gauge(naming(first), () => {
    lag = measured();
    return lag[first];
  });
  for (const of of others) metrics.gauge(naming(of), () => lag[of]);
}

/** The name and the help text of a metric. */
type Naming = { name: string; help: string };

/** Values by their label. */
export type Labelled = Iterable<readonly [string, number]>;

/** Metrics whose values are kept elsewhere and read at a scrape. Counters restart with what they count. */
export function readMetrics(registry: Registry) {
  return {
    gauge(naming: Naming, value: () => number): void {
      const metric = new Gauge({
        ...naming,
        registers: [],
        collect() {
          metric.set(value());
        },
      });
      registry.registerMetric(metric);
    },
    gauges(naming: Naming, label: string, values: () => Labelled): void {
      const metric = new Gauge({
        ...naming,
        labelNames: [label],
        registers: [],
        collect() {
          // A value that is not known any more is absent, not old.
          metric.reset();
          for (const [of, value] of values()) metric.set({ [label]: of }, value);
        },
      });
      registry.registerMetric(metric);
    },
    counter(naming: Naming, value: () => number): void {
      const metric = new Counter({
        ...naming,
        registers: [],
        collect() {
          metric.reset();
          metric.inc(value());
        },
      });
      registry.registerMetric(metric);
    },
    counters(naming: Naming, label: string, values: () => Labelled): void {
      const metric = new Counter({
        ...naming,
        labelNames: [label],
        registers: [],
        collect() {
          metric.reset();
          for (const [of, value] of values()) metric.inc({ [label]: of }, value);
        },
      });
      registry.registerMetric(metric);
    },
  };
}

type Labels = Readonly<Record<string, string>>;

/** Labels, and the latencies of several threads, which are added up. */
type Series = readonly [Labels, readonly Latencies[]];

/** A histogram of what was counted elsewhere. */
class LatencyHistogram extends Histogram<string> {
  readonly #naming: Naming;
  readonly #series: () => readonly Series[];

  constructor(naming: Naming, series: () => readonly Series[]) {
    // Its own bucket is never filled.
    super({ ...naming, buckets: [1], registers: [] });
    this.#naming = naming;
    this.#series = series;
  }

  override async get() {
    const values = this.#series().flatMap((series) => this.#valuesOf(series));
    const type = 'histogram' as const;
    return { ...this.#naming, type, aggregator: 'sum' as const, collect: () => undefined, values };
  }

  /** Where there is one, the registry asks for it. */
  getForPromString() {
    return this.get();
  }

  #valuesOf([labels, parts]: Series) {
    const counts = parts.map((part) => part.cumulative());
    const upTo = (at: number) => counts.reduce((sum, one) => sum + (one[at] ?? 0), 0);
    const named = (suffix: string, value: number, own: Labels = {}) => ({
      metricName: `${this.#naming.name}_${suffix}`,
      value,
      labels: { ...labels, ...own },
    });
    const count = upTo(boundsMs.length);
    return [
      ...boundsMs.map((bound, at) => named('bucket', upTo(at), { le: String(bound / 1_000) })),
      named('bucket', count, { le: '+Inf' }),
      named('sum', parts.reduce((sum, part) => sum + part.sumMs(), 0) / 1_000),
      named('count', count),
    ];
  }
}

/** How long one thing took. */
export function measureLatency(registry: Registry, naming: Naming, latencies: Latencies): void {
  registry.registerMetric(new LatencyHistogram(naming, () => [[{}, [latencies]]]));
}

/** The latencies of the calls of all threads of a process. */
export function measureCalls(registry: Registry, threads: readonly Calls[]): void {
  const naming = {
    name: 'millrace_call_duration_seconds',
    help: 'How long ClickHouse, Postgres and Redis took to answer, by service and outcome',
  };
  const series = () =>
    neighbours.flatMap((service) =>
      outcomes.map((outcome): Series => {
        const labels = { service, outcome };
        return [labels, threads.map((calls) => calls.latencies(service, outcome))];
      }),
    );
  registry.registerMetric(new LatencyHistogram(naming, series));
}

/** The connections that a process holds, may hold, and has refused. */
export function measureConnections(registry: Registry, connections: Connections): void {
  const read = readMetrics(registry);
  const gauge = (name: string, help: string, value: () => number) =>
    read.gauge({ name: `millrace_connections${name}`, help }, value);
  gauge('', 'Connections that are open', () => connections.held);
  gauge('_max', 'Connections that may be open', () => connections.limits.max);
  const refused = {
    name: 'millrace_connections_refused_total',
    help: 'Connections refused: too_many over the bound of their network, unavailable over that of all',
  };
  read.counters(refused, 'code', () => Object.entries(connections.refused));
}

/** The free space on the disk of a directory. */
export function measureDisk(registry: Registry, directory: string): void {
  const metric = new Gauge({
    name: 'millrace_disk_free_bytes',
    help: 'Bytes that are free on the disk of DATA_DIR',
    registers: [],
    async collect() {
      const disk = await statfs(directory).catch(() => undefined);
      metric.remove();
      if (disk !== undefined) metric.set(disk.bavail * disk.bsize);
    },
  });
  registry.registerMetric(metric);
}
