import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * On one machine the edge and Redis, which it may need, go first. After them come the API and the databases, all alike:
 * with Postgres or the API before ClickHouse, the searches of one user stopped everyone's reads. The workers come last:
 * deliveries are kept while they wait, and one tenant can cause many.
 */
export const niceness = { answers: 5, webhooks: 10 } as const;

/**
 * Lowers the priority of a process that has just been started: its threads inherit it.
 *
 * Linux weighs sessions against each other before it looks at a process's own niceness (sched(7),
 * autogroups), so a process that leads a session of its own sets that one's too.
 */
export function giveWay(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
    if (process.platform !== 'linux') return;
    // After the name, which may hold spaces: the session is the sixth field (proc(5)).
    const [, , , session] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    if (Number(session) === pid) writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // It has ended, or the kernel has no autogroups: then its own niceness is enough.
  }
}
