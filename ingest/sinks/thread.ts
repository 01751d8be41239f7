import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { StoreReport, StoreThreadData } from './store/worker.ts';
import type { WebhookSinkStats } from './webhooks/sink.ts';
import type { WebhookThreadData } from './webhooks/worker.ts';

/** A thread of sinks as the edge sees it. */
export type SinkThread<Report> = {
  /** The latest report; undefined until the first one. */
  latest(): Report | undefined;
  /** Tells it something; what the thread is told while it starts again is lost. */
  send(message: object, moved: readonly ArrayBuffer[]): void;
  /** Lets the batch under way finish, writes the cursors, ends the thread. */
  stop(): Promise<void>;
};

/** The log, as each thread of sinks is told of it. */
export type LogOfThread = Pick<
  StoreThreadData & WebhookThreadData,
  'directory' | 'logId' | 'segmentBytes' | 'positions' | 'logLevel' | 'tracing'
>;

/** What brings the log to the store, and to the queue of webhooks. */
export type Sinks = { store: SinkThread<StoreReport>; webhooks: SinkThread<WebhookSinkStats> };

const restartMs = 1_000;

/** A batch that takes longer to finish is left to the next start, with the same boundaries. */
const stopMsMax = 2_000;

/**
 * Starts the thread of a module, and again if it ever dies: the log holds what it has not delivered.
 * `name` is what the log calls it.
 */
function startSinkThread<Report>(
  name: string,
  module: URL,
  data: object,
  logger: Logger,
): SinkThread<Report> {
  let report: Report | undefined;
  let stopping = false;
  let restart: NodeJS.Timeout | undefined;
  let worker = start();

  function start(): Worker {
    const started = new Worker(module, { workerData: data });
    started.on('message', (latest: Report) => {
      report = latest;
    });
    started.on('error', (error) =>
      logger.error({ sink: name, error: error.stack }, 'a sink failed'),
    );
    started.on('exit', (code) => {
      if (stopping) return;
      // What it said last is no longer so: health tells of it until it speaks again.
      report = undefined;
      logger.error({ sink: name, code }, 'a sink ended; starting it again');
      restart = setTimeout(() => {
        worker = start();
      }, restartMs);
    });
    return started;
  }

  return {
    latest: () => report,
    send: (message, moved) => worker.postMessage(message, moved),
    async stop() {
      stopping = true;
      clearTimeout(restart);
      const hasEnded = worker.threadId === -1;
      if (hasEnded) return;
      const ended = once(worker, 'exit');
      worker.postMessage('stop');
      const impatient = setTimeout(() => void worker.terminate(), stopMsMax);
      await ended;
      clearTimeout(impatient);
    },
  };
}

export const startStoreThread = (data: StoreThreadData, logger: Logger): SinkThread<StoreReport> =>
  startSinkThread('store', new URL('./store/worker.ts', import.meta.url), data, logger);

export const startWebhookThread = (
  data: WebhookThreadData,
  logger: Logger,
): SinkThread<WebhookSinkStats> =>
  startSinkThread('webhook', new URL('./webhooks/worker.ts', import.meta.url), data, logger);
