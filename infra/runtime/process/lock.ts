import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { ConfigError } from './config.ts';

/** A file that is locked for as long as its descriptor is open, here or in a process that was given it. */
export type FileLock = { readonly descriptor: number; release(): void };

/**
 * Locks a file, made if there is none; undefined while somebody else has it. The kernel lets go of it with the
 * last process that holds it, however that ends, so no lock is ever left behind; and it knows the file and not
 * its path, so that containers which share a directory share its locks. Node itself can't lock a file: `flock`
 * does it to the descriptor that we keep, and ends.
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
  // It has said nothing: somebody has the lock.
  if (status === 1 && stderr === '') return undefined;
  const why = error?.message ?? stderr.trim();
  throw new ConfigError(`${path} can't be locked: ${why}; flock is part of util-linux`);
}

/** Never written to, and never removed: another one in its place would have a lock of its own. */
function openPrivate(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    throw new ConfigError(`DATA_DIR: ${error instanceof Error ? error.message : String(error)}`);
  }
}
