import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../infra/runtime/process/logger.ts';

/** The thread of a sink as the edge sees it. */
type SinkThread<Report> = {
  /** The latest report; undefined until the first one. */
  latest: () => Report | undefined;
  stop: () => Promise<void>;
};

const restartMs = 1_000;

/** If a batch takes longer, the next start sends it again, with the same boundaries. */
const stopMsMax = 2_000;

/**
 * Starts a module as a thread, and again whenever it ends: the log holds what it has not delivered. `name` stands in
 * log lines.
 */
export function startSinkThread<Report>(
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
      // Its last report is no longer true. Health says so until there is a new one.
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
    async stop() {
      stopping = true;
      clearTimeout(restart);
      const hasEnded = worker.threadId === -1;
      if (hasEnded) return;
      const ended = once(worker, 'exit');
      worker.postMessage('stop');
      const deadline = setTimeout(() => void worker.terminate(), stopMsMax);
      await ended;
      clearTimeout(deadline);
    },
  };
}
