import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holdersOf } from '../../infra/local/installation/take-over.ts';
import { eventually } from '../support/eventually.ts';

/** `kill -9` of a supervisor and of all that it has started, at this moment; waits until they are gone. */
export async function killEverything(supervisorPid: number, dataDir: string): Promise<void> {
  // Stopped, it starts nothing more while the others are looked for.
  signal(supervisorPid, 'SIGSTOP');
  const lock = join(dataDir, 'children.lock');
  await eventually(() => {
    const all = new Set([supervisorPid, ...(existsSync(lock) ? holdersOf(lock) : [])]);
    for (const pid of all) signal(pid, 'SIGKILL');
    return !existsSync(lock) || holdersOf(lock).length === 0;
  });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
