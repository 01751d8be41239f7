import type { Logger } from './logger.ts';

/** How a process ends: what was opened last is closed first, within a deadline. */
export type Lifecycle = {
  /** Registers how to close what was just opened. */
  closing(name: string, close: () => Promise<void> | void): void;
  /** Begins the stop. A second call ends the process at once, except under a supervisor, which kills it if needed. */
  stop(reason: string): void;
  /** Settles once everything is closed. */
  readonly stopped: Promise<void>;
};

/**
 * Closes everything in reverse order of opening on SIGINT, SIGTERM or when the supervisor that started
 * this process is gone. A part that fails to close is logged and does not keep the others open.
 */
export function createLifecycle(logger: Logger, deadlineMs: number): Lifecycle {
  const open: { name: string; close: () => Promise<void> | void }[] = [];
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let stopping = false;

  async function closeAll(): Promise<void> {
    for (const part of open.toReversed()) {
      try {
        await part.close();
        logger.debug({ part: part.name }, 'closed');
      } catch (error) {
        logger.error({ error, part: part.name }, 'failed to close');
      }
    }
  }

  function stop(reason: string): void {
    // When a whole process group is signalled, the supervisor signals once more.
    if (stopping && process.connected) return;
    if (stopping) {
      logger.warn({ reason }, 'stopping at once');
      process.exit(1);
    }
    stopping = true;
    logger.info({ reason }, 'stopping');
    const deadline = setTimeout(() => {
      logger.error({ deadlineMs }, 'not stopped in time');
      process.exit(1);
    }, deadlineMs);
    void closeAll().finally(() => {
      clearTimeout(deadline);
      logger.info('stopped');
      resolve();
    });
  }

  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('disconnect', () => stop('the supervisor is gone'));
  return { closing: (name, close) => open.push({ name, close }), stop, stopped };
}

/** Runs a process's `main`; a start that fails prints one line and exits with 1. */
export async function run(logger: Logger, main: () => Promise<void>): Promise<void> {
  try {
    await main();
    process.exit(0);
  } catch (error) {
    logger.fatal(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}
