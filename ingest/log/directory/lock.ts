import { join } from 'node:path';
import { tryLockFile } from '../../../infra/runtime/process/lock.ts';

/**
 * Takes a log directory for this process alone, until it ends.
 *
 * @throws when another process has the directory, in this container or another one.
 */
export function lockDirectory(directory: string): { release: () => void } {
  const lock = tryLockFile(join(directory, 'lock'));
  if (lock === undefined) throw new Error(`DATA_DIR: another process has ${directory}`);
  return lock;
}
