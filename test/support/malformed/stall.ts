import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** How long a cheap request waited, in milliseconds, at worst and so often over the limit. */
export type Stalls = { asked: number; worstMs: number; medianMs: number; over: number };

/** Longer than this and others notice. */
const stallMsMax = 100;

/** Asks a process for what costs it nothing every ten milliseconds, from a process of its own, until told to stop. */
export async function watchStalls(url: string, pid: number): Promise<{ stop(): Promise<Stalls> }> {
  const script = join(import.meta.dirname, 'stall-process.ts');
  const child = fork(script, [url, String(stallMsMax), String(pid)]);
  await heard(child);
  return {
    async stop() {
      child.send('stop');
      const stalls = await heard(child);
      child.disconnect();
      return stalls;
    },
  };
}

async function heard(child: ChildProcess): Promise<Stalls> {
  const [stalls]: Stalls[] = await once(child, 'message');
  if (stalls === undefined) throw new Error('nothing was told');
  return stalls;
}
