import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/** Replaces a file whole, so that a crash or a full disk leaves the old or the new one; only its owner reads it. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    // All of it: one write may take only a part where the disk is nearly full.
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}

/** Whether a failed file operation failed because there is no such file. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
