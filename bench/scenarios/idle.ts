import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { descendants } from '../harness/cost.ts';
import { atMost, type Figure, info } from '../harness/figures.ts';
import { seconds } from '../harness/load/durations.ts';
import type { Scenario } from '../harness/setup.ts';

const processes = ['ingest', 'workers', 'api', 'clickhouse', 'postgres', 'redis'];
/** What the start and the making of things left to do is over by then. */
const settleSeconds = () => seconds(30);
const watchedSeconds = () => seconds(60);

/** Nanoseconds on a processor, and how often a thread went to sleep. */
type Use = { ns: number; sleeps: number };

/** What a whole Millrace takes while nobody asks it for anything. */
export const idle: Scenario = async ({ system }) => {
  await delay(settleSeconds() * 1_000);
  const watched = await Promise.all(
    [...processes].map(async (name) => ({ name, pids: descendants(await system.pid(name)) })),
  );
  const parts = [...watched, { name: 'start', pids: [system.supervisorPid] }];
  const before = parts.map(({ pids }) => useOf(pids));
  const startedAt = performance.now();
  await delay(watchedSeconds() * 1_000);
  const elapsedMs = performance.now() - startedAt;
  let allNs = 0;
  const figures: Figure[] = [];
  for (const [at, { name, pids }] of parts.entries()) {
    const now = useOf(pids);
    const ns = now.ns - (before[at]?.ns ?? 0);
    const sleeps = now.sleeps - (before[at]?.sleeps ?? 0);
    allNs += ns;
    figures.push(info(`idle ${name}`, percent(ns, elapsedMs), '% of a core'));
    figures.push(info(`idle ${name}, wakes`, sleeps / (elapsedMs / 1_000), '/s'));
  }
  return [atMost('idle system', percent(allNs, elapsedMs), '% of a core', 3), ...figures];
};

const percent = (ns: number, elapsedMs: number): number => (100 * ns) / (elapsedMs * 1e6);

/** Of all threads of these processes; more exact than the ticks of `stat`. */
function useOf(pids: readonly number[]): Use {
  const use = { ns: 0, sleeps: 0 };
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const read = (file: string) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8');
      use.ns += Number(read('schedstat').split(' ')[0]);
      use.sleeps += Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(read('status'))?.[1]);
    }
  }
  return use;
}
