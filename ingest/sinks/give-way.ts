import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

const niceMax = 19;

/**
 * Makes this thread nicer than it is, by so much: acks go first, and the log is there to wait. On Linux a thread has a
 * number and a priority of its own.
 */
export function giveWay(nicerBy: number): void {
  if (process.platform !== 'linux') return;
  const thread = Number(basename(readlinkSync('/proc/thread-self')));
  setPriority(thread, Math.min(niceMax, getPriority(thread) + nicerBy));
}
