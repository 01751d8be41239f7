/** The seam between the edge and its sinks: what each side knows of the other. */
import type { HealthCheck } from '../../infra/runtime/observability/health.ts';
import type { Registry } from '../../infra/runtime/observability/metrics.ts';
import type { TracingConfig } from '../../infra/runtime/observability/tracing.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { IngestConfig } from '../config.ts';
import type { Position } from '../log/format.ts';

/**
 * `running`: the sink delivers what was committed. `retrying`: its target is away. `halted`: it fails for a reason
 * that is not known; it tries again, and an operator should look.
 */
type SinkState = 'running' | 'retrying' | 'halted';

/** How far a sink is in the log, for one table or queue that it delivers to. */
export type SinkProgress = {
  state: SinkState;
  position: Position;
  /** The cursor on the disk: after a crash the sink goes on from there. */
  saved: Position;
  pendingBytes: number;
  /** Delivered. */
  batches: number;
  records: number;
  /** How often a batch was tried again. */
  retries: number;
  /** Refused for good. */
  quarantinedFrames: number;
  quarantinedRecords: number;
  /** Not delivered, by a sink that may lag. */
  skippedBytes: number;
};

/** The data that every thread of a sink is started with. */
export type SinkThreadData = {
  directory: string;
  logId: string;
  segmentBytes: number;
  positions: SharedArrayBuffer;
  /** Its number among the sinks: it releases segments by it. */
  sink: number;
  /** Where it notes how long its calls took. */
  calls: SharedArrayBuffer;
  logLevel: string;
  tracing: TracingConfig | undefined;
};

/** A sink, as its folder describes it to the edge. */
export type Sink = {
  /** Starts its thread. */
  start: (data: SinkThreadData, config: IngestConfig, logger: Logger) => RunningSink;
  /** Whether a deletion waits until it has delivered what was acknowledged before. */
  deletionsWait: boolean;
  /** The health check of its target, and the name of that check. */
  health: {
    name: string;
    check: (progress: readonly SinkProgress[] | undefined, logBytesMax: number) => HealthCheck;
  };
};

/** A sink whose thread runs, or is started again. */
export type RunningSink = {
  /** By their names in metrics; undefined until the current thread has reported. */
  progress: () => Record<string, SinkProgress> | undefined;
  /** Registers its counters, beside its progress. */
  registerMetrics: (registry: Registry) => void;
  /** Lets the batch under way finish, writes the cursors, ends the thread. */
  stop: () => Promise<void>;
};
