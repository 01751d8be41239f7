import { readdirSync, readFileSync } from 'node:fs';
import { cpuSeconds } from '../../test/support/usage.ts';

/**
 * What the CPU of a whole Millrace goes to: the edge's main thread in the kernel (the network) and in user mode (HTTP
 * and codecs), its writes to the log, its sinks; the store's inserts and its merges; everything else.
 */
export const groups = ['network', 'codec', 'log', 'sink', 'insert', 'merge', 'rest'] as const;
export type Group = (typeof groups)[number];
export type GroupSeconds = Record<Group, number>;

const ticksPerSecond = 100;
/** Threads of the store that neither insert nor merge, by the name that the kernel has of them. */
const housekeeping = new Set([
  'AsyncMetrics',
  'BgBufSchPool',
  'BgDistSchPool',
  'BgMBSchPool',
  'BgSchPool',
  'BgStrmSchPool',
  'Collector',
  'Common',
  'MemoryWorker',
  'Move',
  'SystemLogFlush',
]);

/** CPU seconds used so far, by group. `all` of them are given: processes that have ended count as well. */
export function groupSeconds(processes: {
  edges: readonly number[];
  store: number;
  all: number;
}): GroupSeconds {
  const { edges, store, all } = processes;
  const used = { network: 0, codec: 0, log: 0, sink: 0, insert: 0, merge: 0, rest: 0 };
  for (const edge of edges) addEdge(used, edge);
  addStore(used, store);
  used.rest = all - used.network - used.codec - used.log - used.sink - used.insert - used.merge;
  return used;
}

function addEdge(used: GroupSeconds, pid: number): void {
  const threads = threadsOf(pid);
  // Node starts V8's threads before the first script, and those for files when a script first asks for one. Threads
  // with the process's own name that are younger are those of sinks.
  const firstOfFiles = Math.min(
    ...threads.filter(({ name }) => name === 'libuv-worker').map(({ startedTick }) => startedTick),
  );
  for (const thread of threads) {
    const { tid, name, startedTick, userSeconds, systemSeconds } = thread;
    if (tid === pid) {
      used.network += systemSeconds;
      used.codec += userSeconds;
    } else if (name === 'libuv-worker') used.log += userSeconds + systemSeconds;
    else if (startedTick > firstOfFiles) used.sink += userSeconds + systemSeconds;
  }
}

/** Its threads for inserts come and go, so they are what is left of the process. */
function addStore(used: GroupSeconds, pid: number): void {
  let others = 0;
  for (const { name, userSeconds, systemSeconds } of threadsOf(pid)) {
    if (name === 'MergeMutate') used.merge += userSeconds + systemSeconds;
    else if (housekeeping.has(name)) others += userSeconds + systemSeconds;
  }
  used.insert += cpuSeconds(pid) - used.merge - others;
}

/** What one has more than the other, for a million of so many records. */
export function perMillion(
  after: GroupSeconds,
  before: GroupSeconds,
  records: number,
): GroupSeconds {
  const spent = { ...after };
  for (const group of groups) spent[group] = ((after[group] - before[group]) * 1e6) / records;
  return spent;
}

type Thread = {
  tid: number;
  name: string;
  startedTick: number;
  userSeconds: number;
  systemSeconds: number;
};

function threadsOf(pid: number): Thread[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((tid) => {
    try {
      return [parseThread(readFileSync(`/proc/${pid}/task/${tid}/stat`, 'utf8'))];
    } catch {
      // It has just ended.
      return [];
    }
  });
}

/** A line of `stat`, see proc(5): the id, the name in parentheses, and from the state on fields without names. */
function parseThread(stat: string): Thread {
  const nameEnd = stat.lastIndexOf(')');
  const fields = stat.slice(nameEnd + 2).split(' ');
  return {
    tid: Number.parseInt(stat, 10),
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    startedTick: Number(fields[19]),
    userSeconds: Number(fields[11]) / ticksPerSecond,
    systemSeconds: Number(fields[12]) / ticksPerSecond,
  };
}
