import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, info } from './figures.ts';
import { cpuSeconds } from '../../test/support/usage.ts';
import { type GroupSeconds, groups, groupSeconds, perMillion } from './threads.ts';
import { acknowledgedMetric, caughtUp } from './load/rounds.ts';
import { type Bench, type BenchEdge, metric } from './setup.ts';
import type { Load } from './load/wrk.ts';

const quietMs = 2_000;
const million = 1_000_000;

/** What a load has cost the processes that served it. */
export type Cost = {
  records: number;
  /** CPU seconds per million records: of all of Millrace's processes, and of the edges alone. */
  cpuPerMillion: number;
  edgeCpuPerMillion: number;
  /** The same of all, by what it went to. */
  groupsPerMillion: GroupSeconds;
  /** The highest resident memory; of the edges together. */
  edgePeakBytes: number;
  storePeakBytes: number;
  /** Of everything that is stored by then. */
  diskBytesPerRecord: number;
};

/**
 * Runs `work`, and measures its cost: two seconds after it, once the sinks have caught up. The system's own edge, which
 * is idle, is left out.
 */
export async function costOf<T>(
  bench: Bench,
  edges: BenchEdge[],
  work: () => Promise<T>,
): Promise<{ result: T; cost: Cost }> {
  const { system } = bench;
  const idle = await system.pid('ingest');
  const store = await system.pid('clickhouse');
  const edgePids = edges.map(({ pid }) => pid);
  const own = () => descendants(system.supervisorPid).filter((pid) => pid !== idle);
  const acknowledged = async () => {
    const counts = await Promise.all(edges.map(({ url }) => metric(url, acknowledgedMetric)));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  for (const pid of [...edgePids, store]) forgetPeak(pid);
  const recordsBefore = await acknowledged();
  const before = cpuOf([...own(), ...edgePids]);
  const groupsOf = (all: Map<number, number>) =>
    groupSeconds({ edges: edgePids, store, all: total(all.values()) });
  const groupsBefore = groupsOf(before);
  const result = await work();
  await delay(quietMs);
  for (const edge of edges) await caughtUp(edge);
  const after = cpuOf([...own(), ...edgePids]);
  const groupsAfter = groupsOf(after);
  const records = (await acknowledged()) - recordsBefore;

  const perRecords = (seconds: number) => (seconds * million) / records;
  const edgeSeconds = (used: Map<number, number>) =>
    total(edgePids.map((pid) => used.get(pid) ?? 0));
  return {
    result,
    cost: {
      records,
      // What has ended is in what its parent has.
      cpuPerMillion: perRecords(total(after.values()) - total(before.values())),
      edgeCpuPerMillion: perRecords(edgeSeconds(after) - edgeSeconds(before)),
      groupsPerMillion: perMillion(groupsAfter, groupsBefore, records),
      edgePeakBytes: edgePids.reduce((sum, pid) => sum + peakBytes(pid), 0),
      storePeakBytes: peakBytes(store),
      diskBytesPerRecord: await bench.bytesPerRecord(),
    },
  };
}

export type Round = { result: Load; cost: Cost };

/**
 * The round whose rate is in the middle, or the faster of two there, as a whole: its latencies and costs belong to its
 * rate.
 */
export function medianRound(rounds: readonly Round[]): Round {
  const byRate = rounds.toSorted(
    (one, other) => one.result.requestsPerSecond - other.result.requestsPerSecond,
  );
  const round = byRate[Math.floor(byRate.length / 2)];
  if (round === undefined) throw new Error('there was no round');
  return round;
}

/** What each scenario under load reports of it; `requestRecords` is how many records a request carries. */
export function loadFigures(
  name: string,
  { result: load, cost }: Round,
  requestRecords: number,
): Figure[] {
  return [
    info(`${name} acknowledged`, load.requestsPerSecond * requestRecords, 'records/s'),
    info(`${name} requests`, load.requestsPerSecond, 'requests/s'),
    info(`${name} ack p50`, load.p50Us / 1_000, 'ms'),
    info(`${name} ack p99`, load.p99Us / 1_000, 'ms'),
    info(`${name} ack p99.9`, load.p999Us / 1_000, 'ms'),
    info(`${name} refused or failed`, load.refused + load.errors, 'requests'),
    ...costFigures(name, cost),
  ];
}

function costFigures(name: string, cost: Cost): Figure[] {
  return [
    info(`${name} CPU seconds per million records`, cost.cpuPerMillion, 's'),
    info(`${name} CPU seconds per million records, edge`, cost.edgeCpuPerMillion, 's'),
    ...groups.map((group) =>
      info(`${name} CPU seconds per million records, ${group}`, cost.groupsPerMillion[group], 's'),
    ),
    info(`${name} edge memory, peak`, cost.edgePeakBytes / 1024 ** 2, 'MiB'),
    info(`${name} ClickHouse memory, peak`, cost.storePeakBytes / 1024 ** 2, 'MiB'),
    info(`${name} on disk, per record`, cost.diskBytesPerRecord, 'bytes'),
  ];
}

/** Every process below this one, and itself. */
export function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may hold spaces: the parent is the 4th field (proc(5)).
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has just ended.
    return undefined;
  }
}

function cpuOf(pids: number[]): Map<number, number> {
  const used = new Map<number, number>();
  for (const pid of pids) {
    try {
      used.set(pid, cpuSeconds(pid));
    } catch {
      // It has just ended.
    }
  }
  return used;
}

function total(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function peakBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
