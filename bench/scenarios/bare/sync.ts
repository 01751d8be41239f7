import { randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../../../test/support/statistics.ts';

const writeBytes = 64 * 1024;
const fileBytes = 16 * 1024 * 1024;
const writes = 500;

/** Milliseconds of one 64 KiB write into a file that is there already, on the disk when it returns: the median. */
export function syncMs(directory: string): number {
  const path = join(directory, 'bare-sync');
  const block = randomBytes(writeBytes);
  const plain = openSync(path, 'w');
  for (let at = 0; at < fileBytes; at += writeBytes) writeSync(plain, block, 0, writeBytes, at);
  fsyncSync(plain);
  closeSync(plain);

  const synced = openSync(path, constants.O_WRONLY | constants.O_DSYNC);
  const times: number[] = [];
  for (let turn = 0; turn < writes; turn++) {
    const startedAt = performance.now();
    writeSync(synced, block, 0, writeBytes, (turn * writeBytes) % fileBytes);
    times.push(performance.now() - startedAt);
  }
  closeSync(synced);
  rmSync(path);
  return median(times);
}
