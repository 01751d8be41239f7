import { alarmsSink } from './alarms/descriptor.ts';
import { Calls } from '../../infra/runtime/observability/calls.ts';
import type { HealthCheck } from '../../infra/runtime/observability/health.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { IngestConfig } from '../config.ts';
import { limits } from '../limits.ts';
import { before, type Position } from '../log/format.ts';
import type { SharedPositions } from '../log/positions.ts';
import type { RunningSink, Sink, SinkProgress } from './sink.ts';
import { storeSink, storeWorker } from './store/descriptor.ts';
import { webhooksSink } from './webhooks/descriptor.ts';

/** Another sink is a folder beside theirs, and its descriptor here. */
const descriptorsOf = (ofStore: URL): readonly Sink[] => [
  storeSink(ofStore),
  webhooksSink,
  alarmsSink,
];

export const sinkCount = descriptorsOf(storeWorker).length;

type Started = { descriptor: Sink; running: RunningSink; calls: Calls };

/** The sinks of an edge, each in a thread of its own. */
export class Sinks {
  readonly #started: readonly Started[];

  private constructor(started: readonly Started[]) {
    this.#started = started;
  }

  static start(
    log: { directory: string; id: string; positions: SharedPositions },
    config: IngestConfig,
    logger: Logger,
    worker = storeWorker,
  ): Sinks {
    const started = descriptorsOf(worker).map((descriptor, sink) => {
      const calls = new Calls();
      const data = {
        directory: log.directory,
        logId: log.id,
        segmentBytes: limits.segmentBytes,
        positions: log.positions.buffer,
        sink,
        calls: calls.buffer,
        logLevel: config.logLevel,
        tracing: config.tracing,
      };
      return { descriptor, running: descriptor.start(data, config, logger), calls };
    });
    return new Sinks(started);
  }

  get all(): readonly RunningSink[] {
    return this.#started.map(({ running }) => running);
  }

  /** How long the calls of each thread took. */
  get calls(): readonly Calls[] {
    return this.#started.map(({ calls }) => calls);
  }

  /** Of sinks that have reported since their thread began, by their names in metrics. */
  progress(): [name: string, SinkProgress][] {
    return this.all.flatMap((sink) => Object.entries(sink.progress() ?? {}));
  }

  /** Up to where all have read; undefined as long as one of them has not reported. */
  slowest(): Position | undefined {
    const all = this.all.map((sink) => sink.progress());
    const positions = all.flatMap((one) =>
      Object.values(one ?? {}).map(({ position }) => position),
    );
    if (all.includes(undefined)) return undefined;
    return positions.reduce((slowest, one) => (before(one, slowest) ? one : slowest));
  }

  /** Whether the sinks that deletions wait for have delivered up to `end`, by their cursors on the disk. */
  hasSaved(end: Position): boolean {
    return this.#started
      .filter(({ descriptor }) => descriptor.deletionsWait)
      .every(({ running }) => hasSaved(running, end));
  }

  /** The same of all sinks. */
  haveSaved(end: Position): boolean {
    return this.all.every((sink) => hasSaved(sink, end));
  }

  health(logBytesMax: number): Record<string, HealthCheck> {
    return Object.fromEntries(
      this.#started.map(({ descriptor: { health }, running }) => {
        const progress = running.progress();
        const all = progress === undefined ? undefined : Object.values(progress);
        return [health.name, health.check(all, logBytesMax)];
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((sink) => sink.stop()));
  }
}

function hasSaved(sink: RunningSink, end: Position): boolean {
  const all = Object.values(sink.progress() ?? {});
  return all.length > 0 && all.every(({ saved }) => !before(saved, end));
}
