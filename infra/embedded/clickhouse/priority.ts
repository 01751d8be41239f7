import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lets every other process go first. Called before the engine has threads: they inherit it.
 *
 * Linux weighs sessions against each other before it looks at a process's own niceness (sched(7),
 * autogroups), so a process that leads a session of its own sets that one's too.
 */
export function yieldToOthers(niceness: number): void {
  setPriority(niceness);
  if (process.platform !== 'linux') return;
  try {
    // Behind the name, which may hold spaces: the session is the sixth field (proc(5)).
    const [, , , session] =
      readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    if (Number(session) === process.pid) writeFileSync('/proc/self/autogroup', String(niceness));
  } catch {
    // A kernel without autogroups: its own niceness is all there is.
  }
}
