import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * On one machine the edge, Redis and webhooks go first: an acknowledgement can't wait, and what is not stored
 * yet stands in the log. Who answers people gives way, all of them alike: where Postgres or the API went before
 * ClickHouse, one user's searches stopped everyone's reads.
 */
const niceness = 5;

/**
 * Lets every other process go before this one, which has just been started: its threads inherit it.
 *
 * Linux weighs sessions against each other before it looks at a process's own niceness (sched(7),
 * autogroups), so a process that leads a session of its own sets that one's too.
 */
export function giveWay(pid: number): void {
  try {
    setPriority(pid, niceness);
    if (process.platform !== 'linux') return;
    // After the name, which may hold spaces: the session is the sixth field (proc(5)).
    const [, , , session] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    if (Number(session) === pid) writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // It has ended, or the kernel has no autogroups: its own niceness is all there is.
  }
}
