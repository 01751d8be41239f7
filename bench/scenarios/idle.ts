import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { descendants } from '../harness/cost.ts';
import { atMost, type Figure, info } from '../harness/figures.ts';
import { seconds } from '../harness/load/durations.ts';
import type { Scenario } from '../harness/setup.ts';

const processes = ['ingest', 'workers', 'api', 'clickhouse', 'postgres', 'redis'];
/** By then the processes have done all that their start, and the making of things, left to do. */
const restSeconds = () => seconds(30);
const watchedSeconds = () => seconds(60);

/** Nanoseconds on a processor, and how often a thread went to sleep. */
type Use = { ns: number; sleeps: number };

/** What a whole Millrace takes while nobody asks it for anything. */
export const idle: Scenario = async ({ system }) => {
  await delay(restSeconds() * 1_000);
  const pids = await Promise.all(processes.map((name) => system.pid(name)));
  const parts = processes.map((name, at) => ({ name, pid: pids[at] ?? 0 }));
  const look = () => parts.map(({ pid }) => usesOf(descendants(pid)));
  const before = look();
  const startedAt = performance.now();
  await delay(watchedSeconds() * 1_000);
  const after = look();
  const elapsedMs = performance.now() - startedAt;
  let allNs = 0;
  const figures: Figure[] = [];
  for (const [at, { name }] of parts.entries()) {
    const { ns, sleeps } = spent(before[at], after[at]);
    allNs += ns;
    figures.push(info(`idle ${name}`, percent(ns, elapsedMs), '% of a core'));
    figures.push(info(`idle ${name}, wakes`, sleeps / (elapsedMs / 1_000), '/s'));
  }
  return [atMost('idle system', percent(allNs, elapsedMs), '% of a core', 3), ...figures];
};

const percent = (ns: number, elapsedMs: number): number => (100 * ns) / (elapsedMs * 1e6);

/** Of those that are there at the end: PostgreSQL has a process for each connection, and some end. */
function spent(before: Map<number, Use> = new Map(), after: Map<number, Use> = new Map()): Use {
  const sum = { ns: 0, sleeps: 0 };
  for (const [pid, { ns, sleeps }] of after) {
    sum.ns += ns - (before.get(pid)?.ns ?? 0);
    sum.sleeps += sleeps - (before.get(pid)?.sleeps ?? 0);
  }
  return sum;
}

function usesOf(pids: readonly number[]): Map<number, Use> {
  const uses = new Map<number, Use>();
  for (const pid of pids) {
    try {
      uses.set(pid, useOf(pid));
    } catch {
      // It ended this moment.
    }
  }
  return uses;
}

/** Of all its threads; more exact than the ticks of `stat`. */
function useOf(pid: number): Use {
  const use = { ns: 0, sleeps: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const read = (file: string) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8');
    use.ns += Number(read('schedstat').split(' ')[0]);
    use.sleeps += Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(read('status'))?.[1]);
  }
  return use;
}
