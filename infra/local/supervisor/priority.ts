import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * On one machine acknowledgements go first, and Redis, which they may need. After them comes who answers people,
 * all of them alike: where Postgres or the API went before ClickHouse, one user's searches stopped everyone's
 * reads. Webhooks come last: what waits to be delivered is kept, and one tenant can make much of it.
 */
export const niceness = { answers: 5, webhooks: 10 } as const;

/**
 * Lets others go before this process, which has just been started: its threads inherit it.
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
    // It has ended, or the kernel has no autogroups: its own niceness is all there is.
  }
}
