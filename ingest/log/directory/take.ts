import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { lockDirectory } from './lock.ts';

type LogDirectory = { path: string; release: () => void };

/**
 * Takes the log directory of the edge with this index for this process alone, until it is released. With fewer edges
 * than before, the logs of the others keep what they acknowledged, and nothing sends it: an error is logged.
 *
 * @throws when another process has it.
 */
export async function takeLogDirectory(
  dataDir: string,
  index: number,
  processes: number,
  logger: Logger,
): Promise<LogDirectory> {
  const path = join(dataDir, 'log', String(index));
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (index === 0) {
    for (const name of await readdir(join(dataDir, 'log'))) {
      if (Number(name) < processes) continue;
      logger.error(
        { log: name, INGEST_PROCESSES: processes },
        'a log has no edge: what it acknowledged is not sent to the store',
      );
    }
  }
  return { path, release: lockDirectory(path).release };
}
