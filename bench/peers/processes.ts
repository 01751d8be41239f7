import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;
const pageBytes = 4_096;

/** CPU seconds of a process and all below it, those that have ended included. */
export function treeCpuSeconds(root: number): number {
  const ticks = tree(root).map(({ fields }) => {
    // utime, stime, and both of the children that were waited for (proc(5)).
    return sum(fields.slice(11, 15).map(Number));
  });
  return sum(ticks) / ticksPerSecond;
}

/** Resident bytes of a process and all below it; what they share counts once, in the one that has most of it. */
export function treeResidentBytes(root: number): number {
  const all = tree(root).flatMap(({ pid }) => unlessGone(() => memory(pid)) ?? []);
  return sum(all.map(({ own }) => own)) + Math.max(0, ...all.map(({ shared }) => shared));
}

/** Pages of its own, and those of files and of memory that others may map as well. */
function memory(pid: number): { own: number; shared: number } {
  const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8')
    .split(' ')
    .map(Number);
  return { own: (resident - shared) * pageBytes, shared: shared * pageBytes };
}

type Process = { pid: number; parent: number; fields: string[] };

function tree(root: number): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => unlessGone(() => read(Number(name))) ?? []);
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

function read(pid: number): Process {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may hold anything: the state is the 3rd field of proc(5), the parent the 4th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, parent: Number(fields[1]), fields };
}

function unlessGone<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
