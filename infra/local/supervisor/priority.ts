import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Of a process and its threads, and of the session that it leads: what is nicer goes later where processors are short. */
export type Niceness = { process: number; session: number };

/**
 * On one machine the edge and Redis, which it may need, go first. After them come the API and the databases, all alike:
 * with Postgres or the API before ClickHouse, the searches of one user stopped everyone's reads. The workers come last:
 * deliveries are kept while they wait, and one tenant can cause many.
 *
 * A session's niceness weighs all threads of a process together, so it is less than that of each: with a session of 5,
 * all of ClickHouse had a third of what the edge had, and reads starved beside a flood of messages.
 */
export const niceness = {
  answers: { process: 5, session: 2 },
  webhooks: { process: 10, session: 7 },
} as const satisfies Record<string, Niceness>;

const lookEveryMs = 1_000;
/** Without privileges the kernel changes one session in this time, on the whole machine (sched(7)). */
const nextSessionMs = 100;

/**
 * Linux weighs sessions against each other before it looks at a process's own niceness (sched(7), autogroups), so a
 * process that leads a session of its own sets that one's too. Elsewhere its own niceness is enough.
 */
const hasAutogroups = existsSync('/proc/self/autogroup');

/**
 * Lowers the priority of a process that has just been started, and of what it starts, until it has ended. Each process of
 * PostgreSQL leads a session, whose niceness is not inherited: without this each connection would weigh as much as the
 * edge.
 */
export function giveWay(pid: number, nice: Niceness, ended: Promise<unknown>): void {
  let lowered = new Set<number>();
  let next: NodeJS.Timeout;
  const look = () => {
    const pids = [pid, ...childrenOf(pid)];
    lowered = new Set(pids.filter((one) => lowered.has(one) || lower(one, nice)));
    next = setTimeout(look, lowered.size < pids.length ? nextSessionMs : lookEveryMs).unref();
  };
  if (hasAutogroups) {
    look();
    void ended.finally(() => clearTimeout(next));
  } else lower(pid, nice);
}

/** The threads of a process inherit its priority. False if it can be lowered in a moment and not now. */
function lower(pid: number, { process: own, session: ofSession }: Niceness): boolean {
  try {
    setPriority(pid, own);
    if (!hasAutogroups) return true;
    // After the name, which may hold spaces: the session is the sixth field (proc(5)).
    const [, , , session] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    if (Number(session) === pid) writeFileSync(`/proc/${pid}/autogroup`, String(ofSession));
    return true;
  } catch (error) {
    // Else it has ended.
    return !(error instanceof Error && 'code' in error && error.code === 'EAGAIN');
  }
}

function childrenOf(pid: number): number[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return pids
      .split(' ')
      .filter((child) => child !== '')
      .map(Number);
  } catch {
    // It has ended, or the system does not tell.
    return [];
  }
}
