import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { ConfigError } from './config.ts';

/** A file that is locked while its descriptor is open, here or in a process that inherited it. */
export type FileLock = { readonly descriptor: number; release(): void };

/**
 * Locks a file, and creates it if needed; undefined while another process has the lock. The kernel releases it with the
 * last process that has the descriptor, however that ends, so no stale lock remains. It locks the file and not the
 * path, so containers that share a directory share its locks. Node cannot lock a file: `flock` locks the descriptor
 * that we keep, and exits.
 *
 * @throws ConfigError where the file can't be opened, or there is no `flock`.
 */
export function tryLockFile(path: string): FileLock | undefined {
  const descriptor = openPrivate(path);
  const { status, error, stderr } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  if (status === 0) return { descriptor, release: () => closeSync(descriptor) };
  closeSync(descriptor);
  // Without a message on standard error another process has the lock.
  if (status === 1 && stderr === '') return undefined;
  const why = error?.message ?? stderr.trim();
  throw new ConfigError(`${path} can't be locked: ${why}; flock is part of util-linux`);
}

/** Never written to, and never removed: another file in its place would have another lock. */
function openPrivate(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    throw new ConfigError(`DATA_DIR: ${error instanceof Error ? error.message : String(error)}`);
  }
}
