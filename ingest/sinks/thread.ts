import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../infra/log.ts';
import type { SinksReport, SinkWorkerData } from './worker.ts';

/** The sinks' thread as the edge sees it. */
export type SinkThread = {
  /** The latest report; undefined until the first one. */
  latest(): SinksReport | undefined;
  /** Lets the batch under way finish, writes the cursors, ends the thread. */
  stop(): Promise<void>;
};

const restartMs = 1_000;

/** A batch that takes longer to finish is left to the next start, with the same boundaries. */
const stopMsMax = 2_000;

/** Starts the thread, and again if it ever dies: the log holds what it has not delivered. */
export function startSinkThread(data: SinkWorkerData, logger: Logger): SinkThread {
  let report: SinksReport | undefined;
  let stopping = false;
  let restart: NodeJS.Timeout | undefined;
  let worker = start();

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: data });
    started.on('message', (latest: SinksReport) => {
      report = latest;
    });
    started.on('error', (error) => logger.error({ error: error.stack }, 'the sinks failed'));
    started.on('exit', (code) => {
      if (stopping) return;
      // What they said last is no longer so: health tells of it until they speak again.
      report = undefined;
      logger.error({ code }, 'the sinks ended; starting them again');
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
      const impatient = setTimeout(() => void worker.terminate(), stopMsMax);
      await ended;
      clearTimeout(impatient);
    },
  };
}
